"""Time phrases as people say them, English and Chinese: `parse_when`.

An own grammar, after two kept libraries were tried on 230 phrases (110 of them Chinese; the table
is tests/unit/tools/phrases_when.tsv):

    dateparser 1.5.0          60 of 120 English right, 29 silently wrong; 21 of 110 Chinese right
    python-dateutil 4.0.0     32 of 120 English right, 10 silently wrong; no Chinese
    this package              all of the table it was written with

dateparser reads "tomorrow at 9" as 10:00 when it is 10:00 now and knows no 半小时后 or 明天早上9点;
its first call takes 120-160 ms, ours stays below one. What counts for a reminder is that nothing is
guessed: a word that the grammar does not know makes a question, never a moment. There is no
phrase on the table where a library was right and the grammar was not, so neither is used.
"""

from moltbot_desktop.tools.when.answer import Doubt, Unclear, When
from moltbot_desktop.tools.when.parse import parse_when

__all__ = ["Doubt", "Unclear", "When", "parse_when"]
