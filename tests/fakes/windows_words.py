r"""How a Windows program cuts its command line into words, written from the documented rules.

https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-commandlinetoargvw
"""

from __future__ import annotations


def words_of(line: str) -> list[str]:
    """The program's name first, which knows no escapes: it ends at its second quote."""
    if line.startswith('"'):
        name, _, rest = line[1:].partition('"')
    else:
        end = next((at for at, one in enumerate(line) if one in " \t"), len(line))
        name, rest = line[:end], line[end:]
    words = [name]
    at = 0
    while at < len(rest):
        if rest[at] in " \t":
            at += 1
            continue
        word, at = _word(rest, at)
        words.append(word)
    return words


def _word(text: str, at: int) -> tuple[str, int]:
    word, quoted = "", False
    while at < len(text) and (quoted or text[at] not in " \t"):
        if text[at] == "\\":
            end = at
            while end < len(text) and text[end] == "\\":
                end += 1
            count, before_quote = end - at, end < len(text) and text[end] == '"'
            word += "\\" * (count // 2 if before_quote else count)
            at = end
            if before_quote and count % 2:
                word, at = word + '"', at + 1
        elif text[at] == '"':
            if quoted and text[at + 1 : at + 2] == '"':
                word, at = word + '"', at + 2
            else:
                quoted, at = not quoted, at + 1
        else:
            word, at = word + text[at], at + 1
    return word, at


def variables_of(block: bytes) -> dict[str, str]:
    """https://learn.microsoft.com/windows/win32/procthread/changing-environment-variables"""
    text = block.decode("utf-16-le", "surrogatepass")
    assert text.endswith("\x00\x00"), "an environment ends with two zeros"
    lines = [one for one in text[:-2].split("\x00") if one]
    names = [one.partition("=")[0].upper() for one in lines]
    assert names == sorted(set(names)), "sorted, each name once whatever its case"
    return dict(one.split("=", 1) for one in lines)
