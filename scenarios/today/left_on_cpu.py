# tocuda, Apache-2.0.
"""Three ways in which something stays on the CPU although the model was moved: layers in a plain list, tensors that are
attributes or made in forward(), batches that are dicts. Each is loud as soon as it is used, and each has a remedy
beside it."""

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant
from worker_python.shortage import require_kernels

LAYERS = 3
MIXED = "Expected all tensors to be on the same device"


def stacks(torch):
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, batch):
            return batch * self.weight

    class Stack(torch.nn.Module):
        def __init__(self, kept_in):
            super().__init__()
            self.layers = kept_in(Layer() for _ in range(LAYERS))

        def forward(self, batch):
            for layer in self.layers:
                batch = layer(batch)
            return batch

    return {"list": Stack(list), "module_list": Stack(torch.nn.ModuleList)}


def observe_layers(see, torch, batch):
    for name, model in stacks(torch).items():
        model.cuda()
        see(f"{name}.devices", sorted(str(layer.weight.device) for layer in model.layers))
        see(f"{name}.parameters", len(list(model.parameters())))
        say_attempt(see, f"{name}.forward", attempt(lambda model=model: model(batch)))


def observe_other_tensors(see, torch, batch):
    class Adding(torch.nn.Module):
        def __init__(self, make):
            super().__init__()
            self.make = make
            self.plain = torch.arange(4.0)
            self.register_buffer("buffered", torch.arange(4.0))

        def forward(self, batch):
            return batch + self.make(self)

    makers = {
        "plain": lambda model: model.plain,
        "made": lambda model: torch.arange(4.0),
        "buffer": lambda model: model.buffered,
    }
    for name, make in makers.items():
        model = Adding(make).cuda()
        say_attempt(see, f"{name}.forward", attempt(lambda model=model: model(batch)))


def observe_batches(see, torch):
    batches = {"dict": {"x": torch.ones(2)}, "tuple": (torch.ones(2),), "tensor": torch.ones(2)}
    for name, batch in batches.items():
        say_attempt(see, f"batch.{name}", attempt(lambda batch=batch: batch.to("cuda")))
    moved = {key: value.to("cuda") for key, value in batches["dict"].items()}
    see("batch.by_hand", [str(value.device) for value in moved.values()])


def observe(see, variant):
    import torch

    require_kernels(torch)
    batch = torch.ones(2, 4).to("cuda")
    observe_layers(see, torch, batch)
    observe_other_tensors(see, torch, batch)
    observe_batches(see, torch)


def refused_as_mixed(evidence, name):
    if evidence.text(f"{name}.forward.handled") == NO_ERROR:
        return False
    if class_of(evidence, f"{name}.forward") != "RuntimeError" or not evidence.text(
        f"{name}.forward.message"
    ).startswith(MIXED):
        raise Undecided(f"forward() raises another error: {class_of(evidence, f'{name}.forward')}")
    return True


def judge_list(evidence):
    if any(device == "cpu" for device in evidence.list("module_list.devices")):
        raise Undecided("the layers of a ModuleList did not move either")
    if refused_as_mixed(evidence, "module_list"):
        raise Undecided("the layers of a ModuleList cannot be used either")
    behind = evidence.list("list.devices").count("cpu")
    if behind == 0:
        return REFUTED, "the layers of a plain list moved with the model"
    if not refused_as_mixed(evidence, "list"):
        raise Undecided("the layers stay on the CPU, and yet forward() works")
    return REPRODUCED, f"{behind} of {LAYERS} layers in a list stay on cpu, in a ModuleList none; forward() raises"


def judge_attribute(evidence):
    if refused_as_mixed(evidence, "buffer"):
        raise Undecided("a buffer did not move either")
    if not refused_as_mixed(evidence, "plain"):
        return REFUTED, "a tensor that is an attribute works in forward() after .cuda()"
    made = ", one made there too" if refused_as_mixed(evidence, "made") else ""
    return REPRODUCED, f"a tensor attribute raises in forward(){made}; a buffer moves"


def judge_batch(evidence):
    if evidence.text("batch.tensor.handled") != NO_ERROR or "cpu" in evidence.list("batch.by_hand"):
        raise Undecided("tensors do not move either")
    moved = [kind for kind in ("dict", "tuple") if evidence.text(f"batch.{kind}.handled") == NO_ERROR]
    if moved:
        return REFUTED, f"to() of a {moved[0]} of tensors works"
    if any(class_of(evidence, f"batch.{kind}") != "AttributeError" for kind in ("dict", "tuple")):
        raise Undecided("to() of a dict or a tuple raises another error")
    return REPRODUCED, "to() of a dict or a tuple raises AttributeError; each of its tensors moves"


def judge(evidence, say):
    judge_each(say, evidence, {"T-22": judge_list, "T-23": judge_attribute, "T-24": judge_batch})


SCENARIO = Scenario(
    summary="what stays on cpu when the model moves: a list of layers, tensor attributes, a dict batch",
    observed="devices of layers in a list and a ModuleList, and what forward() and .to() of each kind raise",
    decisive="layers left on the CPU, or an error, beside a remedy that works, show what is left behind",
    claims={
        "T-22": ".cuda() leaves layers in a list behind",
        "T-23": "a tensor attribute must be a buffer",
        "T-24": "a dict or tuple of tensors has no .to()",
    },
    variants=(Variant("default", {"T-22": REPRODUCED, "T-23": REPRODUCED, "T-24": REPRODUCED}),),
    needs=Needs(gpus=1),
)
