# tocuda, Apache-2.0.
"""CUDA numbers the fastest GPU 0, nvidia-smi the first on the bus; with CUDA_DEVICE_ORDER=PCI_BUS_ID they agree. Only a
machine with unequal GPUs can show it: simulated ones have one order."""

import ctypes
import os

from worker_python.evidence import Undecided
from worker_python.forked import in_forked_child
from worker_python.judging import judge_each
from worker_python.scenario import REPRODUCED, Needs, Scenario, Variant

ORDERS = {"default": None, "by_bus": "PCI_BUS_ID"}


def of_nvidia_smi():
    """The GPUs' names for life, in the order of nvidia-smi, which asks the same library."""
    library = ctypes.CDLL("libnvidia-ml.so.1")
    count, listed = ctypes.c_uint(), []
    if library.nvmlInit_v2() != 0 or library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
        return listed
    for index in range(count.value):
        handle, name = ctypes.c_void_p(), ctypes.create_string_buffer(96)
        if library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
            library.nvmlDeviceGetUUID(handle, name, len(name))
        listed.append(name.value.decode().removeprefix("GPU-"))
    return listed


def of_cuda(see, torch, name, order):
    os.environ.pop("CUDA_DEVICE_ORDER", None)
    if order:
        os.environ["CUDA_DEVICE_ORDER"] = order
    gpus = [torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())]
    see(f"{name}.uuids", [str(gpu.uuid) for gpu in gpus])
    see(f"{name}.names", [gpu.name for gpu in gpus])


def observe(see, variant):
    import torch

    for name, order in ORDERS.items():
        in_forked_child(see, name, lambda see, name=name, order=order: of_cuda(see, torch, name, order))
    see("nvidia_smi.uuids", of_nvidia_smi())


def judge_order(evidence):
    if evidence.device == "simulated":
        raise Undecided("simulated GPUs have one order; two unequal real ones are needed")
    if any(evidence.integer(f"{name}.ended_by") != 0 for name in ORDERS):
        raise Undecided("a child did not exit normally")
    names, listed = evidence.list("default.names"), evidence.list("nvidia_smi.uuids")
    by_default, by_bus = evidence.list("default.uuids"), evidence.list("by_bus.uuids")
    if len(set(names)) < 2 or by_bus != listed or sorted(by_default) != sorted(listed):
        raise Undecided("the GPUs are equal, or not all of them are visible")
    if by_default == listed:
        raise Undecided("here the fastest GPU is also the first on the bus")
    return REPRODUCED, f"cuda:0 is nvidia-smi's GPU {listed.index(by_default[0])}; with PCI_BUS_ID all agree"


def judge(evidence, say):
    judge_each(say, evidence, {"T-20": judge_order})


SCENARIO = Scenario(
    summary="compare the order of GPUs of CUDA and of nvidia-smi, by default and by CUDA_DEVICE_ORDER",
    observed="the UUIDs of all GPUs in CUDA's default order, by PCI_BUS_ID, and in the order of nvidia-smi",
    decisive="orders that differ by default, and agree by PCI_BUS_ID, on a machine with unequal GPUs",
    claims={"T-20": "cuda:0 may not be nvidia-smi's GPU 0"},
    variants=(Variant("default", {"T-20": REPRODUCED}),),
    needs=Needs(gpus=2),
)
