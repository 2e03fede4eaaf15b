# tocuda, Apache-2.0.
"""The example ends with `del` of its fallback. Where the large tensor is refused that works; wherever the fallback was
not needed, on a large GPU and without one, it raises a NameError."""

from worker_python.attempt import ESCAPED, NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

CAP_BYTES = 1 << 30


def run_example(see, torch):
    """Runs the example with a module's names: there an unset name is a NameError, not its subclass for locals."""
    names = {}
    see("is_available", torch.cuda.is_available())
    if torch.cuda.is_available():
        large = attempt(lambda: names.update(large=torch.rand(10000, 10000, 100, device="cuda")))
        say_attempt(see, "large", large)
        if large.threw():
            names["fallback"] = torch.rand(100, 100, device="cuda")
            see("fallback.device", str(names["fallback"].device))
    see("fallback_was_made", "fallback" in names)
    say_attempt(see, "del", attempt(lambda: exec("del fallback", names)))


def observe(see, variant):
    import torch

    if variant == "refused":
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction((CAP_BYTES + 0.5) / total)
    run_example(see, torch)


def judge_fallback(evidence):
    if evidence.text("large.handled") == NO_ERROR:
        raise Undecided("37.25 GiB fits")
    if class_of(evidence, "large") != "torch.OutOfMemoryError":
        raise Undecided(f"37.25 GiB is refused with another error: {class_of(evidence, 'large')}")
    if not evidence.flag("fallback_was_made"):
        return REFUTED, "37.25 GiB is refused, and there is no small tensor"
    device = evidence.text("fallback.device")
    return (
        REPRODUCED if device.startswith("cuda") else REFUTED,
        f"37.25 GiB is refused, and the handler makes a small tensor on {device}",
    )


def judge_example(evidence):
    if evidence.text("del.handled") == NO_ERROR:
        made = evidence.flag("fallback_was_made")
        return REPRODUCED, "the fallback was made, so `del` works" if made else "`del` of an unset name did not raise"
    if evidence.text("del.handled") != ESCAPED or class_of(evidence, "del") != "NameError":
        raise Undecided(f"the last line raises another error: {class_of(evidence, 'del')}")
    why = "37.25 GiB fits" if evidence.flag("is_available") else "there is no CUDA"
    return REFUTED, f"{why}, so `del` of the fallback raises NameError"


def judge(evidence, say):
    judge_each(say, evidence, {"000-E3": judge_fallback, "000-13": judge_example})


SCENARIO = Scenario(
    summary="make a large tensor with a small one as the fallback, and `del` the small one at the end",
    observed="whether the large tensor is made, whether there is a fallback, and what `del` of the fallback raises",
    decisive="a NameError wherever the fallback was not made shows that the example does not run as written",
    claims={
        "000-E3": "a small tensor replaces one too large",
        "000-13": "the 37 GiB example runs to its end",
    },
    variants=(
        Variant("no_driver", {"000-13": REFUTED}, fakes=("driver absent",)),
        Variant(
            "fits",
            {"000-13": REFUTED},
            environment={"TOCUDA_COMPUTE": "0"},  # the host may have less memory than the GPU
            simulate="1x48GiB",
            needs=Needs(gpus=1, free_gib=38),
        ),
        Variant("refused", {"000-E3": REPRODUCED, "000-13": REPRODUCED}, needs=Needs(gpus=1)),
    ),
)
