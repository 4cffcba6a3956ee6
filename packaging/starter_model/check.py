"""Checks a GGUF file against the checkpoint it was made from.

The file is only useful if llama.cpp sees exactly what was trained: the same tokens, the same
prompts from the chat template, the same logits up to quantization, and a pointer mask under which
every right call can be written.
"""

import argparse
import random
from pathlib import Path

import jinja2.sandbox
import llama_cpp
import numpy as np
import torch

from moltbot_desktop.models.starter import PointerMask, StarterLayout
from starter_model import dialogues
from starter_model.dialogues import Dialogue
from starter_model.network import Network
from starter_model.tools import TOOLS
from starter_model.vocabulary import Vocabulary

SEED = 8


def samples(count: int) -> list[Dialogue]:
    rng = random.Random(SEED)
    return [dialogues.dialogue(rng) for _ in range(count)]


def different_tokens(llama: llama_cpp.Llama, vocabulary: Vocabulary) -> int:
    """Requests that llama.cpp tokenizes in another way."""
    texts = [" " + one.user for one in samples(600)]
    return sum(
        llama.tokenize(text.encode(), add_bos=False, special=False) != vocabulary.encode(text)
        for text in texts
    )


def different_prompts(llama: llama_cpp.Llama, vocabulary: Vocabulary) -> int:
    """Requests that the chat template renders in another way, earlier turns included."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment()
    template = environment.from_string(llama.metadata["tokenizer.chat_template"])
    different = 0
    for one in samples(300):
        messages = [
            {"role": "system", "content": "A long system text."},
            {"role": "user", "content": "something earlier"},
            {"role": "assistant", "content": "an earlier answer"},
            {"role": "user", "content": one.user},
        ]
        text = template.render(messages=messages, bos_token="<s>", add_generation_prompt=True)
        found = llama.tokenize(text.encode(), add_bos=False, special=True)
        different += found != vocabulary.prompt(one.user)
    return different


def logit_difference(path: Path, checkpoint: Path) -> tuple[float, float]:
    """The largest difference of a logit and the share of positions with the same best token.

    Of what is decoded, the answers: what follows inside a request was never learnt.
    """
    state = torch.load(checkpoint, weights_only=True)
    network = Network(state["config"])
    network.load_state_dict(state["weights"])
    vocabulary = Vocabulary(state["pieces"])
    llama = llama_cpp.Llama(str(path), n_ctx=512, logits_all=True, verbose=False)
    largest, same = 0.0, []
    for one in samples(40):
        ids, learnt = vocabulary.dialogue(one)
        answers = np.array(learnt[1:])
        llama.reset()  # type: ignore[no-untyped-call]
        llama.eval(ids)
        found = np.array(llama.scores[: len(ids)])[:-1][answers]
        with torch.no_grad():
            wanted = network(torch.tensor([ids])).numpy().reshape(len(ids), -1)[:-1][answers]
        largest = max(largest, float(np.abs(found - wanted).max()))
        same.extend(found.argmax(1) == wanted.argmax(1))
    return largest, float(np.mean(same))


def blocked_calls(vocabulary: Vocabulary, tools: str) -> list[str]:
    """Right calls that the pointer mask would not let the model write."""
    layout = StarterLayout.from_vocab(vocabulary.tokens, tools)
    blocked = []
    for one in samples(1500):
        if not one.tool or not TOOLS[one.tool]:
            continue
        ids = vocabulary.encode(" " + one.user)
        mask = PointerMask(layout, ids, [vocabulary.tokens[i] for i in ids])
        call = vocabulary.call(one)
        for length in range(1, len(call)):
            allowed = mask.allowed(call[:length])
            if allowed is not None and call[length] not in allowed:
                wrote = vocabulary.decode(call[1:length])
                blocked.append(f"{one.user} | {one.args} | after {wrote!r}")
                break
    return blocked


def main() -> None:
    """Command line; fails if anything that must be equal is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--checkpoint", type=Path, required=True)
    options = parser.parse_args()
    llama = llama_cpp.Llama(str(options.model), vocab_only=True, verbose=False)
    vocabulary = Vocabulary(torch.load(options.checkpoint, weights_only=True)["pieces"])
    tokens = different_tokens(llama, vocabulary)
    prompts = different_prompts(llama, vocabulary)
    largest, same = logit_difference(options.model, options.checkpoint)
    blocked = blocked_calls(vocabulary, llama.metadata["moltbot.starter.tools"])
    print(f"requests tokenized differently: {tokens} of 600")
    print(f"prompts rendered differently: {prompts} of 300 requests")
    print(f"largest difference of a logit: {largest:.3f}, same best token: {same:.4f}")
    print(f"right calls that the mask blocks: {len(blocked)}", *blocked[:20], sep="\n  ")
    if tokens or prompts or same < 0.99:
        raise SystemExit("the file does not match the checkpoint")


if __name__ == "__main__":
    main()
