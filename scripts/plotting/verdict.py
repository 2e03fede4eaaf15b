# tocuda, Apache-2.0.
"""Verdicts of claims as the rows of a run tell them."""
import dataclasses

DECIDED = ("reproduced", "refuted", "partial")
WORDS = (*DECIDED, "inconclusive", "skipped", "broken")


@dataclasses.dataclass(frozen=True)
class Seen:
    claim: str
    scenario: str
    variant: str
    device: str
    verdict: str
    expected: str

    @property
    def unexpected(self):
        return self.verdict == "broken" or (self.verdict in DECIDED and self.expected in DECIDED and self.verdict != self.expected)

    @property
    def family(self):
        return self.scenario.split("/")[0]


def text_of(holder, name):
    value = holder.get(name)
    return value if isinstance(value, str) else ""


def seen_in(source):
    """Every claim of every row; a verdict of an unknown word is one that broke."""
    found = []
    for row in source.scenarios:
        claims = row.get("claims")
        for claim in claims if isinstance(claims, list) else []:
            if isinstance(claim, dict) and text_of(claim, "id"):
                verdict = text_of(claim, "verdict")
                found.append(Seen(text_of(claim, "id"), text_of(row, "name"), text_of(row, "variant"), text_of(row, "device"),
                                  verdict if verdict in WORDS else "broken", text_of(claim, "expected")))
    return found


def common_word(words):
    """Of those that decide, `partial` where they differ; where none decides, the strongest of the others."""
    decided = {word for word in words if word in DECIDED}
    if decided:
        return decided.pop() if len(decided) == 1 else "partial"
    return next((word for word in ("broken", "inconclusive") if word in words), "skipped")


@dataclasses.dataclass(frozen=True)
class Total:
    """A claim over all of its rows."""
    verdict: str
    expected: str
    unexpected: int  # rows


def totals_of(seen):
    claims = {}
    for one in seen:
        claims.setdefault(one.claim, []).append(one)
    return {claim: Total(common_word([one.verdict for one in rows]), common_word([one.expected for one in rows]),
                         sum(one.unexpected for one in rows)) for claim, rows in sorted(claims.items())}
