"""Text as LaTeX prints it: marks escaped, letters of formulas that its text fonts lack in maths."""

from __future__ import annotations

import re

from halfwidth.document.wrapping import one_line

_GREEK = "alpha beta gamma delta theta kappa nu pi tau varphi Phi Sigma"
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # At the start of a row these two would belong to the line break before it.
    "[": "{[}",
    "*": "{*}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "∓": r"$\mp$",
    "·": r"$\cdot$",
    "√": r"$\surd$",
    "∛": r"$\sqrt[3]{\ }$",
    "∂": r"$\partial$",
    "∩": r"$\cap$",
    "∪": r"$\cup$",
    "⌈": r"$\lceil$",
    "⌉": r"$\rceil$",
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    "½": r"$\frac12$",
    "¼": r"$\frac14$",
    "ŷ": r"$\hat y$",
    "ȳ": r"$\bar y$",
    **{letter: rf"$\{name}$" for letter, name in zip("αβγδθκνπτφΦΣ", _GREEK.split(), strict=True)},
    **{letter: f"$^{above}$" for letter, above in zip("¹²³⁴ⁿ⁻", "1234n-", strict=True)},
    **{letter: f"$_{below}$" for letter, below in zip("₀₁₂₃₋₍₎ₖᵢⱼ", "0123-()kij", strict=True)},
}
# Accents that stand behind their letter, as in formulas.
_ACCENTS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar"}
_LETTER = re.compile(f".[{''.join(_ACCENTS)}]?")


def latex_text(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> print(latex_text("50 % of n_g ≥ p̂"), latex_text("--by"))
    50 \% of n\_g $\geq$ $\hat p$ -{}-by
    """
    # Two hyphens in a row would be printed as one dash.
    return _LETTER.sub(lambda match: _written(match.group()), one_line(text)).replace("--", "-{}-")


def _written(letter: str) -> str:
    if len(letter) == 1:
        return _ESCAPES.get(letter, letter)
    base = _ESCAPES.get(letter[0], letter[0]).strip("$")
    return f"${_ACCENTS[letter[1]]} {base}$"
