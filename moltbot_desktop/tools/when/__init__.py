"""Time phrases as people say them, English and Chinese: `parse_when`.

An own grammar, after two kept libraries were tried on 259 phrases (126 of them Chinese; the table
is tests/unit/tools/phrases_when.tsv; asking about what is unclear counts as right, and for a
library so does finding nothing there):

    dateparser 1.5.0          65 of 133 English right, 33 silently wrong; 29 and 9 of 126 Chinese
    python-dateutil 4.0.0     35 of 133 English right, 11 silently wrong; no Chinese
    this package              all of them; but it was written with this table. Of 6,000 phrases made
                              by the starter model's generator, first seen afterwards, 96 % were
                              understood or rightly asked about at once; of 112 moments read by
                              eye one was wrong. Rules for all of these were added since.

dateparser reads "tomorrow at 9" as 10:00 when it is 10:00 now and knows no 半小时后 or 明天早上9点;
its first call takes 120-160 ms, ours stays below one. What counts for a reminder is that nothing is
guessed: a word that the grammar does not know makes a question, never a moment. There is no
phrase on the table where a library was right and the grammar was not, so neither is used.
"""

from moltbot_desktop.tools.when.answer import Doubt, Unclear, When
from moltbot_desktop.tools.when.parse import parse_when

__all__ = ["Doubt", "Unclear", "When", "parse_when"]
