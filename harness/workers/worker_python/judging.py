# tocuda, Apache-2.0.
"""Judges a row: one ruling for each claim of its variant. Pure. An undecided claim is inconclusive, with a reason."""

from worker_python.evidence import Undecided
from worker_python.scenario import BROKEN, INCONCLUSIVE, PARTIAL, REFUTED, REPRODUCED
from worker_python.shortage import LACKED


class Judgement:
    """The first verdict on a claim stands, because judges read the strongest evidence first."""

    def __init__(self):
        self.rulings = {}

    def __call__(self, claim, verdict, because):
        self.rulings.setdefault(claim, (verdict, because))

    def reproduced(self, claim, because):
        self(claim, REPRODUCED, because)

    def refuted(self, claim, because):
        self(claim, REFUTED, because)

    def partial(self, claim, because):
        self(claim, PARTIAL, because)


def judge_each(say, evidence, judges):
    """Runs one judge for each claim, so that evidence missing for one leaves the other claims alone."""
    for claim, judge in judges.items():
        try:
            verdict, because = judge(evidence)
        except Undecided as undecided:
            verdict, because = INCONCLUSIVE, str(undecided)
        say(claim, verdict, because)


def _rulings(entry, variant, evidence):
    if not evidence.outcome.normal() and not entry.scenario.judges_ends:
        return {claim: (BROKEN, evidence.end()) for claim in variant.expected}, ""
    judgement = Judgement()
    try:
        if evidence.has(LACKED):
            raise Undecided(evidence.text(LACKED))
        entry.judge(evidence, judgement)
    except Undecided as undecided:
        return judgement.rulings, str(undecided)
    return judgement.rulings, "the evidence does not decide this claim"


def judge_row(entry, row):
    """Returns the ruling lines as tocuda reads them."""
    variant = entry.scenario.variant(row.variant)
    if variant is None:
        return []
    rulings, still_open = _rulings(entry, variant, row.evidence)
    lines = []
    for claim in variant.expected:
        verdict, because = rulings.get(claim, (INCONCLUSIVE, still_open))
        lines.append(
            {
                "kind": "ruling",
                "name": row.name,
                "variant": row.variant,
                "claim": claim,
                "verdict": verdict,
                "because": because,
            }
        )
    return lines
