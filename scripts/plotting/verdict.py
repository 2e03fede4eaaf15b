# tocuda, Apache-2.0.
"""The verdicts of claims in the document of a run."""

import dataclasses

WORDS = ("reproduced", "refuted", "partial", "inconclusive", "skipped", "broken")


@dataclasses.dataclass(frozen=True)
class Seen:
    claim: str
    scenario: str
    variant: str
    device: str
    verdict: str
    expected: str
    unexpected: bool

    @property
    def family(self):
        return self.scenario.split("/")[0]


def seen_in(source):
    """The verdict on every claim in every row."""
    return [
        Seen(
            claim["id"],
            row["name"],
            row["variant"],
            row["device"],
            claim["verdict"],
            claim["expected"],
            claim["unexpected"],
        )
        for row in source.scenarios
        for claim in row["claims"]
    ]


@dataclasses.dataclass(frozen=True)
class Total:
    """A claim over all of its rows."""

    verdict: str
    expected: str
    unexpected: int  # rows


def totals_of(source):
    return {
        claim["id"]: Total(claim["verdict"], claim["expected"], claim["unexpected_rows"]) for claim in source.claims
    }
