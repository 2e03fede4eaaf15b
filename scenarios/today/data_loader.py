# tocuda, Apache-2.0.
"""What goes wrong between the CPU and the GPU where data is loaded: a default device of "cuda" makes shuffling raise
and does not reach from_numpy, and pin_memory=True refuses tensors that are on the GPU already."""

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant
from worker_python.shortage import require_kernels

ROWS, BATCH = 8, 4
GENERATOR = "device type for generator"
NOT_PINNED = "only dense CPU tensors can be pinned"


def devices_of(torch, rows, **words):
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(rows), batch_size=BATCH, **words)
    return [str(batch[0].device) for batch in loader]


def say_loading(see, name, load):
    loaded = []
    say_attempt(see, name, attempt(lambda: loaded.extend(load())))
    see(f"{name}.devices", loaded)


def observe_default(see, torch, rows):
    say_loading(see, "before", lambda: devices_of(torch, rows, shuffle=True))
    torch.set_default_device("cuda")
    say_loading(see, "shuffled", lambda: devices_of(torch, rows, shuffle=True))
    say_loading(see, "in_order", lambda: devices_of(torch, rows, shuffle=False))
    generator = torch.Generator("cuda")
    say_loading(see, "by_generator", lambda: devices_of(torch, rows, shuffle=True, generator=generator))
    see("zeros.device", str(torch.zeros(2).device))
    made = attempt(lambda: see("from_numpy.device", str(torch.from_numpy(rows.numpy()).device)))
    say_attempt(see, "from_numpy", made)
    torch.set_default_device(None)


def observe(see, variant):
    import torch

    require_kernels(torch)
    rows = torch.arange(float(ROWS))
    observe_default(see, torch, rows)
    say_loading(see, "pinned_cpu", lambda: devices_of(torch, rows, pin_memory=True))
    on_gpu = rows.to("cuda")
    say_loading(see, "pinned_gpu", lambda: devices_of(torch, on_gpu, pin_memory=True))
    say_loading(see, "unpinned_gpu", lambda: devices_of(torch, on_gpu, pin_memory=False))


def works(evidence, name):
    return evidence.text(f"{name}.handled") == NO_ERROR and len(evidence.list(f"{name}.devices")) == ROWS // BATCH


def require_words(evidence, name, words):
    if words not in evidence.text(f"{name}.message"):
        raise Undecided(f"another error: {class_of(evidence, name)}")


def judge_shuffling(evidence):
    if not works(evidence, "before"):
        raise Undecided("shuffling does not work with the CPU as the default device either")
    if works(evidence, "shuffled"):
        raise Undecided("shuffling works with a default device of cuda, so that there is nothing to mend")
    require_words(evidence, "shuffled", GENERATOR)
    if not works(evidence, "in_order"):
        return REFUTED, f"with shuffle=False it raises {class_of(evidence, 'in_order')}"
    also = ", a generator on cuda too" if works(evidence, "by_generator") else ""
    return REPRODUCED, f"default cuda: shuffle=True raises; False works{also}"


def judge_from_numpy(evidence):
    zeros = evidence.text("zeros.device")
    if not zeros.startswith("cuda") or evidence.text("from_numpy.handled") != NO_ERROR:
        raise Undecided("the default device is not cuda, or from_numpy raises")
    device = evidence.text("from_numpy.device")
    said = f"default device cuda: zeros() is on {zeros}, from_numpy() on {device}"
    return (REPRODUCED if device == "cpu" else REFUTED), said


def judge_pinning(evidence):
    if not works(evidence, "pinned_cpu") or not works(evidence, "unpinned_gpu"):
        raise Undecided("rows on the CPU cannot be pinned, or rows on the GPU not loaded")
    if works(evidence, "pinned_gpu"):
        return REFUTED, "pin_memory=True takes rows that are on the GPU"
    require_words(evidence, "pinned_gpu", NOT_PINNED)
    return REPRODUCED, f"pin_memory=True with rows on the GPU raises {class_of(evidence, 'pinned_gpu')}; False does not"


def judge(evidence, say):
    judge_each(say, evidence, {"T-34": judge_from_numpy, "T-35": judge_shuffling, "T-36": judge_pinning})


SCENARIO = Scenario(
    summary="DataLoader and from_numpy with set_default_device('cuda'); pin_memory of rows on the GPU",
    observed="what a DataLoader raises, shuffled or not, with a default device of cuda, and pinning rows of the GPU",
    decisive="the error, beside the same loader with one argument changed that works",
    claims={
        "T-34": "from_numpy ignores the default device",
        "T-35": "shuffle=False mends the generator error",
        "T-36": "pin_memory=True fails for GPU tensors",
    },
    variants=(Variant("default", {"T-34": REPRODUCED, "T-35": REPRODUCED, "T-36": REPRODUCED}),),
    needs=Needs(gpus=1),
)
