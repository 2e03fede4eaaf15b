# tocuda, Apache-2.0.
"""Module.cuda() keeps the parameters' identity, so that an optimizer made before it trains them all the same. Only
state that it made while they were on the CPU stays there."""

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant
from worker_python.shortage import require_kernels

ORDERS = ("before", "after_steps_on_cpu", "after_cuda")
MIXED = "Expected all tensors to be on the same device"


def make_model(torch):
    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, batch):
            return batch * self.weight

    return Scale()


def step(torch, model, optimizer):
    optimizer.zero_grad()
    model(torch.ones(2, 4, device=model.weight.device)).sum().backward()
    optimizer.step()


def observe_order(see, torch, name):
    model = make_model(torch)
    if name == "after_cuda":
        model.cuda()
    same = model.weight
    optimizer = torch.optim.Adam(model.parameters())
    if name == "after_steps_on_cpu":
        step(torch, model, optimizer)
    model.cuda()
    see(f"{name}.device", str(model.weight.device))
    see(f"{name}.same_object", model.weight is same)
    before = model.weight.detach().cpu().clone()
    say_attempt(see, f"{name}.step", attempt(lambda: step(torch, model, optimizer)))
    see.computed_by_gpu(f"{name}.trained", not torch.equal(model.weight.detach().cpu(), before))


def observe(see, variant):
    import torch

    require_kernels(torch)
    for name in ORDERS:
        observe_order(see, torch, name)


def trains(evidence, name):
    if not evidence.text(f"{name}.device").startswith("cuda"):
        raise Undecided("the model did not move")
    return evidence.text(f"{name}.step.handled") == NO_ERROR and evidence.flag(f"{name}.trained")


def judge_order(evidence):
    if not trains(evidence, "after_cuda"):
        raise Undecided("an optimizer made after .cuda() does not train either")
    if not trains(evidence, "before"):
        if evidence.text("before.step.handled") != NO_ERROR:
            return REPRODUCED, f"made before .cuda(), its step raises {class_of(evidence, 'before.step')}"
        return REPRODUCED, "made before .cuda(), it changes no weight"
    if trains(evidence, "after_steps_on_cpu"):
        return REFUTED, "made before .cuda() it trains, even if it had already made steps on the CPU"
    if evidence.text("after_steps_on_cpu.step.handled") == NO_ERROR:
        return PARTIAL, "made before .cuda() it trains; after a step on the CPU it changes no weight"
    if not evidence.text("after_steps_on_cpu.step.message").startswith(MIXED):
        raise Undecided(f"another error: {class_of(evidence, 'after_steps_on_cpu.step')}")
    return PARTIAL, "made before .cuda() it trains; after a step on the CPU, the next one raises"


def judge_objects(evidence):
    device = evidence.text("before.device")
    if not device.startswith("cuda"):
        raise Undecided("the model did not move")
    if evidence.flag("before.same_object"):
        return REFUTED, f"after .cuda() the parameters are the same objects, on {device}"
    return REPRODUCED, "after .cuda() the parameters are other objects"


def judge(evidence, say):
    judge_each(say, evidence, {"T-17": judge_order, "T-31": judge_objects})


SCENARIO = Scenario(
    summary="make an optimizer before model.cuda(), and train",
    observed="whether steps on the GPU change weights, by an Adam made before .cuda(), after steps, and after it",
    decisive="weights that change, while those of an optimizer made after .cuda() do, show that it trains",
    claims={
        "T-17": "the optimizer must come after .cuda()",
        "T-31": ".cuda() makes other parameter objects",
    },
    variants=(Variant("default", {"T-17": PARTIAL, "T-31": REFUTED}),),
    needs=Needs(gpus=1),
)
