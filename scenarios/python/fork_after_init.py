# tocuda, Apache-2.0.
"""After the parent has queried the GPU, even by is_available() alone, a forked child cannot use one, yet its own
is_available() is still true. A child forked before the first query can."""

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.forked import in_forked_child
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

MOMENTS = ("before", "after_check", "after_move")
REFUSED = "Cannot re-initialize CUDA in forked subprocess"


def look(see, name, torch):
    see(f"{name}.is_available", torch.cuda.is_available())
    say_attempt(see, f"{name}.move", attempt(lambda: torch.zeros(2).cuda()))


def observe(see, variant):
    import torch

    in_forked_child(see, "before", lambda see: look(see, "before", torch))
    see("parent.is_available", torch.cuda.is_available())
    in_forked_child(see, "after_check", lambda see: look(see, "after_check", torch))
    say_attempt(see, "parent.move", attempt(lambda: torch.zeros(2).cuda()))
    in_forked_child(see, "after_move", lambda see: look(see, "after_move", torch))


def whole(evidence):
    """Requires that the GPU works in the parent, and in the child forked before the first query."""
    if any(evidence.integer(f"{moment}.ended_by") != 0 for moment in MOMENTS):
        raise Undecided("a forked child did not exit normally")
    works = [evidence.text(f"{who}.move.handled") == NO_ERROR for who in ("parent", "before")]
    if works != [True, True] or not evidence.flag("parent.is_available"):
        raise Undecided("no GPU works on this machine")


def refused(evidence, moment):
    if evidence.text(f"{moment}.move.handled") == NO_ERROR:
        return False
    if class_of(evidence, f"{moment}.move") != "RuntimeError" or not evidence.text(f"{moment}.move.message").startswith(
        REFUSED
    ):
        raise Undecided(f"the forked child raised another error: {class_of(evidence, f'{moment}.move')}")
    return True


def judge_fork(evidence):
    whole(evidence)
    if not refused(evidence, "after_move"):
        return REFUTED, "a child forked after the parent had used CUDA moved a tensor"
    check = " or is_available()" if refused(evidence, "after_check") else ", not after is_available(),"
    return REPRODUCED, f"a child forked after a move{check} raises {class_of(evidence, 'after_move.move')}"


def judge_guard(evidence):
    whole(evidence)
    if not refused(evidence, "after_move"):
        raise Undecided("the forked child could use the GPU")
    if not evidence.flag("after_move.is_available"):
        return REPRODUCED, "is_available() is false in the child that cannot use the GPU"
    return PARTIAL, f"in a forked child is_available() is true; a move raises {class_of(evidence, 'after_move.move')}"


def judge(evidence, say):
    judge_each(say, evidence, {"X-fork": judge_fork, "000-03": judge_guard})


SCENARIO = Scenario(
    summary="use the GPU in children forked before and after the parent used it",
    observed=(
        "is_available() and a move in children forked before the parent queried the GPU, after it did, and after "
        "it moved a tensor"
    ),
    decisive="the later children must raise a RuntimeError that names the fork while the first one can move",
    claims={
        "X-fork": "forked after CUDA was used: no GPU",
        "000-03": "is_available() identifies what is wrong",
    },
    variants=(Variant("default", {"X-fork": REPRODUCED, "000-03": PARTIAL}),),
    needs=Needs(gpus=1),
)
