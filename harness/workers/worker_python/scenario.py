# tocuda, Apache-2.0.
"""A Python scenario as a plain value, with the field names and defaults of C++ scenarios."""

from dataclasses import asdict, dataclass, field

REPRODUCED = "reproduced"
REFUTED = "refuted"
PARTIAL = "partial"
INCONCLUSIVE = "inconclusive"
SKIPPED = "skipped"
BROKEN = "broken"

DECIDED = (REPRODUCED, REFUTED, PARTIAL)
VERDICTS = (REPRODUCED, REFUTED, PARTIAL, INCONCLUSIVE, SKIPPED, BROKEN)


@dataclass(frozen=True)
class Needs:
    gpus: int = 0
    free_gib: float = 0.0
    compute_capability: str = ""
    arithmetic: bool = False  # depends on how fast a GPU computes


@dataclass(frozen=True)
class Limits:
    seconds: float = 60.0
    resident_bytes: int = 4 << 30


@dataclass(frozen=True)
class Variant:
    name: str
    expected: dict  # claim -> verdict
    environment: dict = field(default_factory=dict)  # None unsets the variable
    fakes: tuple = ()
    simulate: str = ""  # the simulated GPUs that this variant always uses
    faults: tuple = ()  # of simulated GPUs, so that it never runs on real ones
    limits: Limits = Limits()
    needs: Needs | None = None  # if they differ from the scenario's


@dataclass(frozen=True)
class Scenario:
    summary: str
    observed: str  # what is observed: one sentence
    decisive: str  # what of it decides the verdict: one sentence
    claims: dict  # claim -> what the document says, in at most 40 characters
    variants: tuple
    needs: Needs = Needs()
    judges_ends: bool = False  # a crash or timeout is evidence to judge; otherwise it is broken
    differs: dict = field(default_factory=dict)  # evidence key -> {"2.11": text that it contains there, ...}
    code: tuple = ()  # of a document's example, line by line
    says: str = ""  # what the document says of it
    illustrates: tuple = ()  # the claims that it is about

    def described(self, name):
        fields = asdict(self)
        for optional in ("code", "says", "illustrates"):
            if not fields[optional]:
                del fields[optional]
        for variant in fields["variants"]:
            if variant["needs"] is None:
                del variant["needs"]
        return {
            "kind": "scenario",
            "name": name,
            **fields,
            "claims": [{"id": claim, "statement": statement} for claim, statement in self.claims.items()],
            "differs": [{"key": key, "says": says} for key, says in self.differs.items()],
        }

    def needs_of(self, name):
        variant = self.variant(name)
        return variant.needs if variant and variant.needs else self.needs

    def variant(self, name):
        return next((variant for variant in self.variants if variant.name == name), None)
