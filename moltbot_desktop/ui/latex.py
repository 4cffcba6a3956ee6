r"""Formulas of LaTeX as text that can be read: `$x^2 \le \frac{a}{b}$` becomes x² ≤ a/b.

Pure. What is not known stays as it was written, so that nothing is lost by it; a formula that would
be half of both stays whole. Inline code and blocks of code are left alone.
"""

from __future__ import annotations

MAX_FORMULA_CHARACTERS = 2_000
"""A longer one is shown as it was written."""

_PAIRS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_MARKDOWN = frozenset("\\`*_{}[]<>#|~")
_SYMBOLS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "φ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "times": "×",
    "cdot": "·",
    "div": "÷",
    "pm": "±",
    "mp": "∓",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ne": "≠",
    "neq": "≠",
    "approx": "≈",
    "equiv": "≡",
    "sim": "∼",
    "propto": "∝",
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "sum": "∑",
    "prod": "∏",
    "int": "∫",
    "iint": "∬",
    "oint": "∮",
    "in": "∈",
    "notin": "∉",
    "subset": "⊂",
    "subseteq": "⊆",
    "supset": "⊃",
    "cup": "∪",
    "cap": "∩",
    "emptyset": "∅",
    "forall": "∀",
    "exists": "∃",
    "neg": "¬",
    "land": "∧",
    "lor": "∨",
    "wedge": "∧",
    "vee": "∨",
    "to": "→",
    "rightarrow": "→",
    "leftarrow": "←",
    "Rightarrow": "⇒",
    "implies": "⇒",
    "Leftrightarrow": "⇔",
    "iff": "⇔",
    "mapsto": "↦",
    "ldots": "…",
    "cdots": "⋯",
    "dots": "…",
    "circ": "∘",
    "degree": "°",
    "angle": "∠",
    "perp": "⊥",
    "parallel": "∥",
    "prime": "′",
    "mathbb{R}": "ℝ",
    "hbar": "ℏ",
    "ell": "ℓ",
    "quad": "  ",
    "qquad": "    ",
    **{one: one for one in ("sin", "cos", "tan", "log", "ln", "exp", "lim", "min", "max", "det")},
    **dict.fromkeys(("left", "right", "big", "Big", "displaystyle", "limits", "nolimits"), ""),
    ",": " ",
    ";": " ",
    ":": " ",
    "!": "",
    " ": " ",
    "\\": "\n",
    **{one: one for one in "{}$%&_#"},
}
_PLAIN = frozenset({"text", "mathrm", "mathbf", "mathit", "operatorname", "textbf", "boldsymbol"})
_BOARD = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "E": "𝔼", "P": "ℙ"}
_RAISED = ("0123456789+-=()niabcdefghjklmoprstuvwxyzT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ")
_LOWERED = ("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_UP = dict(zip(*_RAISED, strict=True))
_DOWN = dict(zip(*_LOWERED, strict=True))
_DEEPEST = 20


class _Unknown(Exception):
    """Something in a formula that cannot be written as text."""


def readable(markdown: str) -> str:
    """`markdown` with its formulas as text; the rest as it was."""
    if "$" not in markdown and "\\(" not in markdown and "\\[" not in markdown:
        return markdown
    if markdown.lstrip().startswith(("```", "~~~")):
        return markdown
    made: list[str] = []
    place = 0
    while place < len(markdown):
        if markdown[place] == "`":
            end = markdown.find("`", place + 1)
            end = len(markdown) if end < 0 else end + 1
            made.append(markdown[place:end])
            place = end
            continue
        found = _formula(markdown, place)
        if found is None:
            step = 2 if markdown[place] == "\\" else 1
            made.append(markdown[place : place + step])
            place += step
        else:
            text, place = found
            made.append(text)
    return "".join(made)


def formula_text(source: str) -> str | None:
    """A formula without its marks as text; None where that cannot be done."""
    if len(source) > MAX_FORMULA_CHARACTERS:
        return None
    try:
        text, end = _sequence(source, 0, "", 0)
    except _Unknown:
        return None
    return text.strip() if end == len(source) else None


def _formula(markdown: str, place: int) -> tuple[str, int] | None:
    """What begins here as Markdown, and where it ends."""
    for opening, closing in _PAIRS:
        if not markdown.startswith(opening, place):
            continue
        begin = place + len(opening)
        end = markdown.find(closing, begin, begin + MAX_FORMULA_CHARACTERS)
        if end <= begin or (opening == "$" and not _is_inline(markdown, begin, end)):
            return None
        text = formula_text(markdown[begin:end])
        if text is None:
            return None
        escaped = "".join(f"\\{one}" if one in _MARKDOWN else one for one in text)
        return escaped, end + len(closing)
    return None


def _is_inline(markdown: str, begin: int, end: int) -> bool:
    """Two dollars may be sums of money: between those of a formula stands no blank at the edge, no
    digit follows, and it says more than a number."""
    inside, after = markdown[begin:end], markdown[end + 1 : end + 2]
    if inside[0].isspace() or inside[-1].isspace() or after.isdigit() or "\n" in inside:
        return False
    return any(one in inside for one in "\\^_=+<>") or (len(inside) == 1 and inside.isalpha())


def _sequence(source: str, place: int, until: str, depth: int) -> tuple[str, int]:
    """Text up to `until` (which is passed over), and where it ends."""
    if depth > _DEEPEST:
        raise _Unknown
    made: list[str] = []
    while place < len(source):
        if until and source[place] == until:
            return "".join(made), place + 1
        text, place = _one(source, place, depth)
        made.append(text)
    if until:
        raise _Unknown
    return "".join(made), place


def _one(source: str, place: int, depth: int) -> tuple[str, int]:
    sign = source[place]
    if sign == "\\":
        return _command(source, place + 1, depth)
    if sign == "{":
        return _sequence(source, place + 1, "}", depth + 1)
    if sign in "^_":
        text, place = _argument(source, place + 1, depth)
        return _raised(text, sign), place
    if sign in "}&":
        raise _Unknown
    return (" " if sign in "\n~" else sign), place + 1


def _command(source: str, place: int, depth: int) -> tuple[str, int]:
    end = place
    while end < len(source) and source[end].isascii() and source[end].isalpha():
        end += 1
    end = max(end, place + 1)
    name = source[place:end]
    match name:
        case "frac" | "dfrac" | "tfrac":
            above, end = _argument(source, end, depth)
            below, end = _argument(source, end, depth)
            return f"{_grouped(above)}/{_grouped(below)}", end
        case "sqrt":
            inside, end = _argument(source, end, depth)
            return f"√{_grouped(inside)}", end
        case "mathbb":
            letter, end = _argument(source, end, depth)
            if letter not in _BOARD:
                raise _Unknown
            return _BOARD[letter], end
        case _ if name in _PLAIN:
            return _argument(source, end, depth)
        case _ if name in _SYMBOLS:
            return _SYMBOLS[name], end
    raise _Unknown


def _argument(source: str, place: int, depth: int) -> tuple[str, int]:
    while place < len(source) and source[place] == " ":
        place += 1
    if place >= len(source) or source[place] in "^_":
        raise _Unknown
    return _one(source, place, depth + 1)


def _raised(text: str, sign: str) -> str:
    letters = _UP if sign == "^" else _DOWN
    if text == "∘" and sign == "^":
        return "°"
    if text == "′":
        return text
    if text and all(one in letters for one in text):
        return "".join(letters[one] for one in text)
    return f"{sign}{text}" if len(text) == 1 else f"{sign}({text})"


def _grouped(text: str) -> str:
    """In brackets where it is more than one thing."""
    return text if text.isalnum() or len(text) == 1 else f"({text})"
