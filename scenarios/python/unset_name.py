# tocuda, Apache-2.0.
"""The example ends with `del` of its fallback and raises a NameError wherever the fallback was not needed: on a large
GPU, and without one."""

from worker_python.attempt import ESCAPED, NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

CAP_BYTES = 20 << 30


def run_example(see, name, torch):
    """Runs the example with a module's names: there an unset name is a NameError, not its subclass for locals."""
    names = {}
    see(f"{name}.is_available", torch.cuda.is_available())
    if torch.cuda.is_available():
        large = attempt(lambda: names.update(large=torch.rand(10000, 10000, 100, device="cuda")))
        say_attempt(see, f"{name}.large", large)
        if large.threw():
            names["fallback"] = torch.rand(100, 100, device="cuda")
    see(f"{name}.fallback_was_made", "fallback" in names)
    say_attempt(see, f"{name}.del", attempt(lambda: exec("del fallback", names)))
    names.clear()
    torch.cuda.empty_cache()


def observe(see, variant):
    import torch

    run_example(see, "as_written", torch)
    if torch.cuda.is_available():
        torch.cuda.set_per_process_memory_fraction((CAP_BYTES + 0.5) / torch.cuda.mem_get_info()[1])
        run_example(see, "capped", torch)


def judge_example(evidence):
    if evidence.flag("as_written.fallback_was_made"):
        raise Undecided("37.25 GiB was refused, so the fallback was made")
    if evidence.text("as_written.del.handled") == NO_ERROR:
        return REPRODUCED, "del of a name that was never set did not raise"
    if evidence.text("as_written.del.handled") != ESCAPED or class_of(evidence, "as_written.del") != "NameError":
        raise Undecided(f"the last line raises another error: {class_of(evidence, 'as_written.del')}")
    why = "37.25 GiB fits" if evidence.flag("as_written.is_available") else "there is no CUDA"
    capped = ""
    if evidence.has("capped.del.handled"):
        worked = evidence.flag("capped.fallback_was_made") and evidence.text("capped.del.handled") == NO_ERROR
        capped = f"; under a cap it {'works' if worked else 'fails, too'}"
    return REFUTED, f"{why}, so `del` of the fallback raises NameError{capped}"


def judge(evidence, say):
    judge_each(say, evidence, {"000-E3": judge_example})


SCENARIO = Scenario(
    summary="make a large tensor with a small one as the fallback, and `del` the small one at the end",
    observed="whether the large tensor is made, whether there is a fallback, and what `del` of the fallback raises",
    decisive="a NameError wherever the fallback was not made shows that the example does not run as written",
    claims={
        "000-E3": "the 37 GiB example runs to its end",
    },
    variants=(
        Variant("no_driver", {"000-E3": REFUTED}, fakes=("driver absent",)),
        Variant(
            "fits",
            {"000-E3": REFUTED},
            environment={"TOCUDA_COMPUTE": "0"},  # the host may have less memory than the GPU
            simulate="1x48GiB",
            needs=Needs(gpus=1, free_gib=40),
        ),
    ),
)
