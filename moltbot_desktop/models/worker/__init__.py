"""The chat model in a process of its own: what breaks llama.cpp does not break the assistant.

    model = await load_isolated_chat_model(
        path, context_tokens=8192, threads=None, state_dir=directory
    )
    async for event in model.generate(request, cancel): ...
    await model.close()

From the outside in: `model` (the `ChatModel` port), `lives` (starting again), `session` (one life
of the process), `process` (its pipes), `protocol` and `codec` (what is said, pure), `deaths` (when
to start again, pure), `child` (the other side), `command` (how a process of ours is started).
"""
