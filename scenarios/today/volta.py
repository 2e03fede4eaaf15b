# tocuda, Apache-2.0.
"""A GPU for which this PyTorch has no kernels: copies arrive, operators raise error 209, and nothing falls back to the
CPU."""

import warnings

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

NO_KERNEL = 209


def observe(see, variant):
    import torch

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        see("is_available", torch.cuda.is_available())
        moved = [torch.arange(4.0)]
        say_attempt(see, "move", attempt(lambda: moved.append(moved[0].to("cuda"))))
    see("device", str(moved[-1].device))
    see("warned", any("capability" in str(each.message) for each in caught))
    see("back", moved[-1].cpu().tolist() == [0.0, 1.0, 2.0, 3.0])
    see("capability", list(torch.cuda.get_device_capability()))
    see("built_for", torch.cuda.get_arch_list())
    added = []
    say_attempt(see, "add", attempt(lambda: (added.append(moved[-1] + moved[-1]), torch.cuda.synchronize())))
    see("added_on", [str(each.device) for each in added])


def judge_operators(evidence):
    if not evidence.flag("is_available"):
        raise Undecided("is_available() is false")
    if evidence.text("move.handled") != NO_ERROR or not evidence.text("device").startswith("cuda"):
        return REPRODUCED, f"even a copy fails: {class_of(evidence, 'move')}"
    if evidence.text("add.handled") == NO_ERROR:
        return REFUTED, f"a sum works, on {evidence.list('added_on')[0]}"
    if evidence.integer("add.code") != NO_KERNEL or not evidence.flag("back"):
        raise Undecided(f"another error: {class_of(evidence, 'add')} {evidence.integer('add.code')}")
    said = "with a warning" if evidence.flag("warned") else "without a warning"
    raised = class_of(evidence, "add").rpartition(".")[2]
    return PARTIAL, f"a copy arrives on {evidence.text('device')}, {said}; a sum raises {raised} 209"


def judge(evidence, say):
    judge_each(say, evidence, {"T-16": judge_operators})


SCENARIO = Scenario(
    summary="copy and add on a V100 (Volta, sm_70), for which wheels with CUDA 13 have no kernels",
    observed="a copy to a GPU without kernels in this PyTorch, its values back, a warning, and a sum",
    decisive="a copy that arrives while a sum raises error 209 shows what fails there, and what does not",
    claims={"T-16": "no Volta kernels: every CUDA op fails"},
    variants=(Variant("default", {"T-16": PARTIAL}, simulate="1xV100"),),
    needs=Needs(gpus=1, compute_capability="below 7.5"),
)
