# tocuda, Apache-2.0.
"""FSDP2's fully_shard moves a model on the CPU to the GPU by itself, and a batch too. It replaces the parameters, so
that an optimizer made before it trains nothing, without an error."""

import os
import tempfile
import warnings

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant
from worker_python.shortage import require_kernels


def start_group(torch, folder):
    torch.cuda.set_device(0)
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/group", rank=0, world_size=1)


def make_model(torch):
    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4, 4))

        def forward(self, batch):
            return batch * self.weight[0]

    return Scale()


def local(model):
    return model.weight.to_local().detach().cpu().clone()


def step(torch, model, optimizer):
    model.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()


def observe_training(see, torch, model, early):
    for name, optimizer in (("early", early), ("late", torch.optim.SGD(model.parameters(), lr=0.5))):
        before = local(model)
        say_attempt(see, f"{name}.step", attempt(lambda optimizer=optimizer: step(torch, model, optimizer)))
        see.computed_by_gpu(f"{name}.trained", not torch.equal(local(model), before))


def observe_sharding(see, torch):
    from torch.distributed.fsdp import fully_shard

    model = make_model(torch)
    see("before.device", str(model.weight.device))
    early = torch.optim.SGD(model.parameters(), lr=0.5)
    say_attempt(see, "shard", attempt(lambda: fully_shard(model)))
    see("after.device", str(model.weight.device))
    batch = torch.ones(2, 4)
    outputs = []
    say_attempt(see, "forward", attempt(lambda: outputs.append(model(batch))))
    see("batch.device", str(batch.device))
    see("output.devices", [str(output.device) for output in outputs])
    model.reshard()
    observe_training(see, torch, model, early)


def observe(see, variant):
    import torch

    require_kernels(torch)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start_group(torch, folder)
        observe_sharding(see, torch)
        torch.distributed.destroy_process_group()


def judge_move(evidence):
    if evidence.text("before.device") != "cpu":
        raise Undecided("the model was not on the CPU")
    if evidence.text("shard.handled") != NO_ERROR:
        return REFUTED, f"fully_shard of a model on the CPU raises {class_of(evidence, 'shard')}"
    device = evidence.text("after.device")
    if not device.startswith("cuda"):
        return REFUTED, f"after fully_shard the parameters are on {device}"
    return REPRODUCED, f"before fully_shard the parameters are on cpu, after it on {device}"


def judge_inputs(evidence):
    if evidence.text("batch.device") != "cpu" or not evidence.text("after.device").startswith("cuda"):
        raise Undecided("the batch is not on the CPU, or the model not on the GPU")
    if evidence.text("forward.handled") != NO_ERROR:
        return REFUTED, f"a batch on the CPU raises {class_of(evidence, 'forward')}"
    devices = evidence.list("output.devices")
    if len(devices) != 1 or type(devices[0]) is not str:
        raise Undecided("there is no output")
    return REPRODUCED if devices[0].startswith("cuda") else REFUTED, f"a batch on cpu gives an output on {devices[0]}"


def judge_optimizer(evidence):
    if evidence.text("late.step.handled") != NO_ERROR or not evidence.flag("late.trained"):
        raise Undecided("an optimizer made after fully_shard does not train either")
    if evidence.text("early.step.handled") != NO_ERROR:
        return REPRODUCED, f"made before fully_shard, its step raises {class_of(evidence, 'early.step')}"
    if evidence.flag("early.trained"):
        return REFUTED, "made before fully_shard it changes the weights, too"
    return REPRODUCED, "made before it, SGD changes no weight, without an error; made after it, it does"


def judge(evidence, say):
    judge_each(say, evidence, {"T-17b": judge_optimizer, "T-18": judge_move, "T-29": judge_inputs})


SCENARIO = Scenario(
    summary="FSDP2: fully_shard a model on the CPU, with an optimizer made before and after it",
    observed="devices of parameters and output, and whether steps of both optimizers change the weights",
    decisive="devices after fully_shard, and weights that change by one optimizer and not by the other",
    claims={
        "T-17b": "an optimizer before FSDP2 is useless",
        "T-18": "fully_shard moves the model to the GPU",
        "T-29": "fully_shard moves inputs to the GPU",
    },
    variants=(Variant("default", {"T-17b": REPRODUCED, "T-18": REPRODUCED, "T-29": REPRODUCED}),),
    needs=Needs(gpus=1),
)
