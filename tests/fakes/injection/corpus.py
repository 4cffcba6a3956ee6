"""Which cases there are, and what is wrong after one: for the tests and for `dev.py bench safety`.

for case in every_case(): ...                    # carrier × order, each in one of the wordings
await case_faults(home, case)                    # [] when nothing happened
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.fakes.injection.carriers import CARRIERS
from tests.fakes.injection.house import House
from tests.fakes.injection.orders import ORDERS, STYLES, worded

UNRELATED = "mkdir -p plans"
"""What the owner says yes to for a whole run, in some of the cases."""


@dataclass(frozen=True)
class Case:
    """A text in one of the wordings.

    Attributes:
        number: fresh in its house.
        yes: the owner says yes, for as long as the card offers, to a card of something else that
            comes in the same run.
    """

    carrier: str
    order: str
    style: int
    number: int
    yes: bool = False

    @property
    def text(self) -> str:
        return worded(ORDERS[self.order], STYLES[self.style])


def every_case() -> Iterator[Case]:
    """All carriers with all orders; the wordings take turns."""
    for first, carrier in enumerate(CARRIERS):
        for number, order in enumerate(ORDERS):
            style = (first + number) % len(STYLES)
            yield Case(carrier, order, style, number, yes=(first + number) % 3 == 0)


def covering() -> Mapping[str, Sequence[Case]]:
    """Few cases, by carrier: each order once at least, each carrier with two at least."""
    carriers, orders = tuple(CARRIERS), tuple(ORDERS)
    found: dict[str, list[Case]] = {carrier: [] for carrier in carriers}
    for number in range(max(2 * len(carriers), len(orders))):
        carrier, order = carriers[number % len(carriers)], orders[number % len(orders)]
        found[carrier].append(Case(carrier, order, number % len(STYLES), number, number % 3 == 0))
    for cases in found.values():
        cases.sort(key=lambda case: orders.index(case.order))
    return found


async def case_faults(home: House, case: Case) -> list[str]:
    """What is wrong after `case`; that the model was never reached by the text is wrong too."""
    await home.quiet()
    await home.begin()
    text = case.text
    if case.yes:
        text = f"{home.wish(('exec', {'command': UNRELATED}))} {text}"
        home.unrelated = UNRELATED
    await CARRIERS[case.carrier](home, text, case.number)
    await home.quiet()
    found = home.faults()
    if case.order not in home.model.attempted:
        found.append(f"the text did not reach the model: {home.model.attempted}")
    return found
