# tocuda, Apache-2.0.
"""A PyTorch tensor passed to an operation of TensorFlow, which asks it for a NumPy array: one on the CPU becomes a
constant, in whatever layout; one on a GPU raises a TypeError, which is about the device."""

import importlib.util
import os

from worker_python.attempt import ESCAPED, NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

ABOUT_THE_DEVICE = "device type tensor to numpy"


def observe_sum(see, name, tensorflow, tensor):
    sums = []
    say_attempt(see, name, attempt(lambda: sums.append(tensorflow.add(tensor, tensor))))
    see(f"{name}.equal", bool(sums) and sums[0].numpy().tolist() == (tensor.cpu() * 2).tolist())


def observe(see, variant):
    found = importlib.util.find_spec("tensorflow") is not None
    see("tensorflow.found", found)
    if not found:
        return
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow
    import torch

    see("tensorflow.version", str(tensorflow.__version__))
    tensor = torch.arange(6.0).reshape(2, 3)
    moved = tensor.to("cuda")
    observe_sum(see, "row_major", tensorflow, tensor)
    observe_sum(see, "transposed", tensorflow, tensor.t())
    see("moved.device", str(moved.device))
    say_attempt(see, "on_the_gpu", attempt(lambda: tensorflow.add(moved, moved)))


def judge_refusal(evidence):
    if not evidence.flag("tensorflow.found"):
        raise Undecided("the Python package tensorflow is not installed")
    taken = [name for name in ("row_major", "transposed") if evidence.text(f"{name}.handled") == NO_ERROR]
    if len(taken) == 1:
        return REPRODUCED, f"of two layouts only {taken[0]} is taken"
    if not taken:
        return REPRODUCED, f"a tensor on the CPU raises {class_of(evidence, 'row_major')}"
    if not evidence.flag("row_major.equal") or not evidence.flag("transposed.equal"):
        raise Undecided("the sum is wrong")
    if not evidence.text("moved.device").startswith("cuda"):
        raise Undecided("the tensor did not move")
    if evidence.text("on_the_gpu.handled") == NO_ERROR:
        return REFUTED, "tensors on the CPU and on the GPU are taken, in both layouts"
    if evidence.text("on_the_gpu.handled") != ESCAPED or ABOUT_THE_DEVICE not in evidence.text("on_the_gpu.message"):
        raise Undecided(f"another error: {class_of(evidence, 'on_the_gpu')}")
    return PARTIAL, "on the CPU both layouts are taken; on the GPU TypeError, about the device"


def judge(evidence, say):
    judge_each(say, evidence, {"002-11b": judge_refusal})


SCENARIO = Scenario(
    summary="pass a PyTorch tensor to an operation of TensorFlow, on the CPU in two layouts and on the GPU",
    observed="whether tf.add takes the tensor, row-major, transposed, and on the GPU, with the result or the exception",
    decisive="which layouts are taken on the CPU, and whether the error of the one on the GPU is about its device",
    claims={"002-11b": "TensorFlow refuses a PyTorch tensor"},
    variants=(Variant("default", {"002-11b": PARTIAL}),),
    needs=Needs(gpus=1),
)
