# tocuda, Apache-2.0.
"""device_map="auto" of accelerate (and of transformers, which uses it) puts what does not fit on the CPU, without an
error. The output is on the GPU all the same, because accelerate's hooks bring an offloaded layer's weights there for
its forward()."""

import importlib.util
import logging
import tempfile
import warnings

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant
from worker_python.shortage import require_kernels

LAYERS, WIDTH = 5, 1664  # 53 MiB, in weights that take memory of their own


def make_model(torch, used):
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(WIDTH, WIDTH))

        def forward(self, batch):
            used.append(str(self.weight.device))
            return batch + self.weight[0]

    return torch.nn.Sequential(*(Layer() for _ in range(LAYERS)))


def dispatch(torch, model):
    from accelerate import load_checkpoint_and_dispatch

    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        torch.save(model.state_dict(), file.name)
        return load_checkpoint_and_dispatch(model, file.name, device_map="auto")


def weights(model):
    return [str(layer.weight.device) for layer in model]


def observe_model(see, torch):
    used = []
    model = make_model(torch, used)
    see("model_bytes", sum(weight.nbytes for weight in model.parameters()))
    see("gpu_bytes", torch.cuda.get_device_properties(0).total_memory)
    tried = attempt(lambda: dispatch(torch, model))
    say_attempt(see, "dispatch", tried)
    if tried.threw():
        return
    see("resting", weights(model))
    outputs = []
    say_attempt(see, "forward", attempt(lambda: outputs.append(model(torch.ones(1, WIDTH).to("cuda")))))
    see("used", used)
    see("output.devices", [str(output.device) for output in outputs])
    see("resting.again", weights(model))


class Log(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


def observe(see, variant):
    see("accelerate.found", importlib.util.find_spec("accelerate") is not None)
    if not importlib.util.find_spec("accelerate"):
        return
    import accelerate
    import torch

    require_kernels(torch)
    see("accelerate.version", str(accelerate.__version__))
    log = Log()
    logging.getLogger().addHandler(log)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        observe_model(see, torch)
    see("logged", log.said)


def require_forward(evidence):
    if not evidence.flag("accelerate.found"):
        raise Undecided("the Python package accelerate is not installed")
    if evidence.text("dispatch.handled") == NO_ERROR and evidence.text("forward.handled") != NO_ERROR:
        raise Undecided(f"forward() raises {class_of(evidence, 'forward')}")


def places(evidence, key):
    found = evidence.list(key)
    if len(found) != LAYERS or any(type(each) is not str for each in found):
        raise Undecided(f"'{key}' does not name {LAYERS} devices")
    return found


def judge_offloading(evidence):
    require_forward(evidence)
    if evidence.integer("model_bytes") < evidence.integer("gpu_bytes"):
        raise Undecided("the model is smaller than the GPU's memory")
    if evidence.text("dispatch.handled") != NO_ERROR:
        if class_of(evidence, "dispatch") != "torch.OutOfMemoryError":
            raise Undecided(f"another error: {class_of(evidence, 'dispatch')}")
        return REFUTED, "a model that does not fit raises OutOfMemoryError"
    away = [device for device in places(evidence, "resting") if not device.startswith("cuda")]
    output = "".join(evidence.list("output.devices"))
    if not away:
        return REFUTED, f"all {LAYERS} layers are on the GPU"
    said = "a warning" if evidence.list("logged") else "no warning"
    return REPRODUCED, f"{said}, no error: {len(away)} of {LAYERS} layers are on {away[0]}, the output on {output}"


def judge_visits(evidence):
    require_forward(evidence)
    resting, used = places(evidence, "resting"), places(evidence, "used")
    away = [number for number, device in enumerate(resting) if not device.startswith("cuda")]
    if not away or places(evidence, "resting.again") != resting:
        raise Undecided("nothing is offloaded, or it does not stay so")
    visiting = {used[number] for number in away}
    said = f"offloaded weights rest on {resting[away[0]]}, and are on {min(visiting)} in forward()"
    return (REPRODUCED if all(device.startswith("cuda") for device in visiting) else REFUTED), said


def judge(evidence, say):
    judge_each(say, evidence, {"T-01": judge_offloading, "T-25": judge_visits})


SCENARIO = Scenario(
    summary='device_map="auto": a model larger than the GPU is offloaded; part of it stays on cpu',
    observed="devices of 5 layers' weights before, in and after forward(), and of the output; 53 MiB on a GPU of 48",
    decisive="weights that are not on the GPU although nothing was raised, and where they are in forward()",
    claims={
        "T-01": 'device_map="auto" may offload to the CPU',
        "T-25": "an offloaded layer visits the GPU",
    },
    variants=(Variant("accelerate", {"T-01": REPRODUCED, "T-25": REPRODUCED}, simulate="1x48MiB"),),
    needs=Needs(gpus=1),
)
