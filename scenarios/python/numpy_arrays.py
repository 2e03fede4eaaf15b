# tocuda, Apache-2.0.
"""NumPy's own arrays: an array that from_numpy accepts shares its memory and moves with its layout; others are refused
at once, on the CPU. Converting a GPU tensor back raises an error that says what to do, and DLPack exchanges without a
copy."""

import warnings

from worker_python.attempt import ESCAPED, NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

LAYOUTS = ("row_major", "column_major", "gapped", "zero_dim", "empty")
DTYPES = ("bool", "int8", "uint16", "uint32", "uint64", "float16", "complex64")
REFUSED = {
    "negative_strides": "ValueError",
    "odd_strides": "ValueError",
    "big_endian": "ValueError",
    "objects": "TypeError",
    "structured": "TypeError",
    "datetime": "TypeError",
    "text": "TypeError",
}
FAULTS = ("torch.AcceleratorError", "torch.OutOfMemoryError")  # GPU faults, whatever was moved
CANNOT_CONVERT = "can't convert cuda:0 device type tensor to numpy"


def arrays_to_take(numpy):
    rows = numpy.arange(100.0).reshape(10, 10)
    taken = dict(
        zip(LAYOUTS, (rows, numpy.asfortranarray(rows), rows[::2, ::3], numpy.array(0.5), numpy.zeros((0, 3))))
    )
    return taken | {dtype: numpy.arange(6).reshape(2, 3).astype(dtype) for dtype in DTYPES}


def arrays_to_refuse(numpy):
    rows = numpy.arange(6.0)
    records = numpy.zeros(4, dtype=[("flag", "i1"), ("figure", "f8")])
    return {
        "negative_strides": rows[::-1],
        "odd_strides": records["figure"],
        "big_endian": rows.astype(">f8"),
        "objects": numpy.array([None, "x"], dtype=object),
        "structured": records,
        "datetime": numpy.zeros(2, dtype="datetime64[s]"),
        "text": numpy.array(["a"]),
    }


def observe_taken(see, torch, numpy, name, array):
    tensors = []
    say_attempt(see, f"{name}.from_numpy", attempt(lambda: tensors.append(torch.from_numpy(array))))
    if not tensors:
        return
    tensor = tensors[0]
    see(f"{name}.shares_memory", tensor.data_ptr() == array.ctypes.data or array.size == 0)
    see(
        f"{name}.strides_kept",
        [each * array.itemsize for each in tensor.stride()] == list(array.strides) or array.size == 0,
    )
    see(f"{name}.equal", bool(numpy.array_equal(tensor.numpy(), array)))


def observe_on_cpu(see, torch, numpy):
    for name, array in arrays_to_take(numpy).items():
        observe_taken(see, torch, numpy, name, array)
    see("row_major.dtype", str(torch.from_numpy(numpy.ones(2)).dtype))
    see("default_dtype", str(torch.get_default_dtype()))
    for name, array in arrays_to_refuse(numpy).items():
        say_attempt(see, f"{name}.from_numpy", attempt(lambda: torch.from_numpy(array)))
    read_only = numpy.ones(2)
    read_only.flags.writeable = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        say_attempt(see, "read_only.from_numpy", attempt(lambda: torch.from_numpy(read_only)))
    see("read_only.warnings", [each.category.__name__ for each in caught])
    tensor = torch.arange(4.0)
    see("dlpack.to_numpy_without_copy", numpy.from_dlpack(tensor).ctypes.data == tensor.data_ptr())
    array = numpy.arange(4.0)
    see("dlpack.from_numpy_without_copy", torch.from_dlpack(array).data_ptr() == array.ctypes.data)


def observe_moved(see, torch, numpy):
    """Runs before LibTorch launches a kernel: a simulated GPU's results count as not computed after one."""
    for name, array in arrays_to_take(numpy).items():
        source = torch.from_numpy(array)
        moved = [source]
        say_attempt(see, f"{name}.move", attempt(lambda: moved.append(source.to("cuda"))))
        see(f"{name}.device", str(moved[-1].device))
        see(f"{name}.dtype_kept", moved[-1].dtype == source.dtype)
        see.computed_by_gpu(f"{name}.equal", bool(numpy.array_equal(moved[-1].cpu().numpy(), array)))
        if name == "column_major":
            see("column_major.strides_kept", moved[-1].stride() == source.stride())
    device = torch.from_numpy(numpy.arange(4.0)).to("cuda:0")
    say_attempt(see, "cuda.numpy()", attempt(device.numpy))
    say_attempt(see, "cuda.asarray", attempt(lambda: numpy.asarray(device)))
    see.computed_by_gpu("cuda.cpu().numpy().equal", device.cpu().numpy().tolist() == [0.0, 1.0, 2.0, 3.0])
    exchanged = []
    say_attempt(see, "cuda.dlpack", attempt(lambda: exchanged.append(torch.from_dlpack(device))))
    see("cuda.dlpack.without_copy", bool(exchanged) and exchanged[0].data_ptr() == device.data_ptr())


def observe(see, variant):
    import torch

    tried = attempt(lambda: __import__("numpy"))
    say_attempt(see, "numpy", tried)
    if tried.threw():
        return
    import numpy

    see("numpy.version", numpy.__version__)
    (observe_on_cpu if variant == "cpu" else observe_moved)(see, torch, numpy)


def in_plain(name):
    return name.replace("_", "-")


def refuses(evidence, name):
    tried = f"{name}.from_numpy"
    return evidence.text(f"{tried}.handled") == ESCAPED and class_of(evidence, tried) == REFUSED[name]


def refusals(evidence):
    """Describes what is refused. It decides nothing, because another version may accept it."""
    loud = [name for name in REFUSED if refuses(evidence, name)]
    return f"{len(loud)} of {len(REFUSED)} other kinds raise at once"


def judge_sharing(evidence):
    for name in LAYOUTS + DTYPES:
        if evidence.text(f"{name}.from_numpy.handled") != NO_ERROR:
            if class_of(evidence, f"{name}.from_numpy") not in REFUSED.values():
                raise Undecided(f"from_numpy failed for another reason: {class_of(evidence, f'{name}.from_numpy')}")
            refusal = class_of(evidence, f"{name}.from_numpy")
            return REPRODUCED, f"from_numpy refuses the {in_plain(name)} array: {refusal}"
    kept = [
        evidence.flag(f"{name}.{what}")
        for name in LAYOUTS + DTYPES
        for what in ("shares_memory", "strides_kept", "equal")
    ]
    if not all(kept):
        raise Undecided("an array is not shared with its layout")
    return REFUTED, f"{len(LAYOUTS + DTYPES)} arrays share memory and layout; {refusals(evidence)}"


def judge_move(evidence):
    for name in LAYOUTS + DTYPES:
        if evidence.text(f"{name}.move.handled") != NO_ERROR:
            if class_of(evidence, f"{name}.move") in FAULTS:
                raise Undecided(f"the GPU itself failed: {class_of(evidence, f'{name}.move')}")
            return REPRODUCED, f"moving the {in_plain(name)} array raises {class_of(evidence, f'{name}.move')}"
        device = evidence.text(f"{name}.device")
        if not device.startswith("cuda"):
            return REPRODUCED, f"the moved {in_plain(name)} array is on {device}"
        if not evidence.flag(f"{name}.equal"):
            return REPRODUCED, f"the values of the moved {in_plain(name)} array changed"
    kept = all(evidence.flag(f"{name}.dtype_kept") for name in LAYOUTS + DTYPES) and evidence.flag(
        "column_major.strides_kept"
    )
    if not kept:
        raise Undecided("an array arrives with another dtype or other strides")
    return REFUTED, f"{len(LAYOUTS + DTYPES)} arrays arrive equal, with their dtypes and strides"


def judge_robustness(evidence):
    if evidence.text("numpy.handled") != NO_ERROR:
        raise Undecided("NumPy is not installed")
    return judge_move(evidence) if evidence.has("row_major.move.handled") else judge_sharing(evidence)


def judge_exchange(evidence):
    if evidence.text("numpy.handled") != NO_ERROR:
        raise Undecided("NumPy is not installed")
    if not evidence.has("cuda.numpy().handled"):
        if not (evidence.flag("dlpack.to_numpy_without_copy") and evidence.flag("dlpack.from_numpy_without_copy")):
            return REPRODUCED, "DLPack copies"
        strides = [name for name in ("negative_strides", "odd_strides") if refuses(evidence, name)]
        if not strides:
            return REFUTED, "DLPack shares the memory in both directions; any strides are taken"
        refused = " and ".join(name.removesuffix("_strides") for name in strides)
        return PARTIAL, f"DLPack shares the memory both ways; {refused} strides are refused"
    if evidence.text("cuda.numpy().handled") == NO_ERROR or evidence.text("cuda.asarray.handled") == NO_ERROR:
        return REPRODUCED, "a CUDA tensor silently became a NumPy array"
    told = class_of(evidence, "cuda.numpy()") == "TypeError" and evidence.text("cuda.numpy().message").startswith(
        CANNOT_CONVERT
    )
    if not told or evidence.text("cuda.dlpack.handled") != NO_ERROR or not evidence.flag("cuda.dlpack.without_copy"):
        raise Undecided("the error is a different one, or the DLPack exchange failed")
    if not evidence.flag("cuda.cpu().numpy().equal"):
        raise Undecided("the values that come back are not equal")
    return REFUTED, "numpy() of a CUDA tensor raises TypeError; DLPack exchanges without a copy"


def judge(evidence, say):
    judge_each(say, evidence, {"002-11": judge_exchange, "002-E3": judge_robustness})


SCENARIO = Scenario(
    summary="share, move, and convert back NumPy's own arrays of every layout and dtype",
    observed="which NumPy arrays from_numpy accepts, their memory and strides, their moves, and the way back",
    decisive="shared memory and equal values make it false; exceptions count by their class and text",
    claims={
        "002-11": "another framework's layout is at fault",
        "002-E3": "a tensor from NumPy is risky to move",
    },
    variants=(
        Variant("cpu", {"002-11": PARTIAL, "002-E3": REFUTED}, fakes=("driver absent",)),
        Variant("moved", {"002-11": REFUTED, "002-E3": REFUTED}, needs=Needs(gpus=1)),
    ),
)
