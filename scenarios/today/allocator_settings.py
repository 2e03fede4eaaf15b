# tocuda, Apache-2.0.
"""The variable that sets the GPU's allocator has two names. Both count, without a warning, and the old one wins; an
option that does not exist raises; expandable segments are off unless asked for."""

import os
import warnings

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.forked import in_forked_child
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

NEW, OLD = "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"
HIGH, LOW = 0.75, 0.25
SETTINGS = {
    "none": {},
    "new": {NEW: f"garbage_collection_threshold:{HIGH}"},
    "old": {OLD: f"garbage_collection_threshold:{HIGH}"},
    "both": {NEW: f"garbage_collection_threshold:{HIGH}", OLD: f"garbage_collection_threshold:{LOW}"},
    "expandable": {NEW: "expandable_segments:True"},
    "misspelt": {NEW: "expandeable_segments:True"},
}


def look(see, name, torch):
    for variable in (NEW, OLD):
        os.environ.pop(variable, None)
    os.environ.update(SETTINGS[name])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tried = attempt(lambda: torch.zeros(2).to("cuda"))
        say_attempt(see, f"{name}.use", tried)
        if not tried.threw():
            settings = torch.cuda.memory._snapshot()["allocator_settings"]
            see(f"{name}.threshold", float(settings["garbage_collection_threshold"]))
            see(f"{name}.expandable", settings["expandable_segments"])
    see(f"{name}.warnings", [str(each.message) for each in caught])


def observe(see, variant):
    import torch

    for name in SETTINGS:
        in_forked_child(see, name, lambda see, name=name: look(see, name, torch))


def require_use(evidence, *names):
    for name in names:
        message = f"{name}.use.message"
        if evidence.has(message) and "operation not supported" in evidence.text(message):
            raise Undecided("this GPU or its driver does not support expandable segments")
        if evidence.integer(f"{name}.ended_by") != 0 or evidence.text(f"{name}.use.handled") != NO_ERROR:
            raise Undecided(f"no tensor could be made with the setting '{name}'")


def judge_names(evidence):
    require_use(evidence, "none", "new", "old", "both")
    if evidence.number("none.threshold") == HIGH or evidence.number("old.threshold") != HIGH:
        raise Undecided("not even the old name sets the threshold")
    if evidence.number("new.threshold") != HIGH:
        return REFUTED, f"{NEW} is ignored, {OLD} is not"
    winner = {HIGH: NEW, LOW: OLD}.get(evidence.number("both.threshold"), "neither")
    if any("deprecated" in said for said in evidence.list("old.warnings") if type(said) is str):
        return REPRODUCED, f"the old name counts, with a warning; of both, {winner} wins"
    return REFUTED, f"either name counts, without a warning; of both, {winner} wins"


def judge_default(evidence):
    require_use(evidence, "none", "expandable")
    if not evidence.flag("expandable.expandable"):
        raise Undecided("expandable segments cannot be switched on here")
    if evidence.flag("none.expandable"):
        return REFUTED, "expandable_segments is True without a setting"
    return REPRODUCED, "expandable_segments is False without a setting, True when asked for"


def judge_spelling(evidence):
    require_use(evidence, "none", "expandable")
    if evidence.integer("misspelt.ended_by") != 0:
        raise Undecided("the child with the misspelt option crashed")
    if evidence.text("misspelt.use.handled") == NO_ERROR:
        raise Undecided("an option that does not exist is accepted: nothing tells what is known")
    if "expandeable_segments" not in evidence.text("misspelt.use.message"):
        raise Undecided(f"another error: {class_of(evidence, 'misspelt.use')}")
    raised = class_of(evidence, "misspelt.use")
    if raised == "RuntimeError" and not evidence.flag("expandable.expandable"):
        return REPRODUCED, f"expandable_segments cannot be set; an unknown option raises {raised}"
    return REFUTED, f"expandable_segments is known; misspelt, the first tensor raises {raised}"


def judge(evidence, say):
    judge_each(say, evidence, {"T-08": judge_default, "T-09": judge_names, "T-27": judge_spelling})


SCENARIO = Scenario(
    summary="set PYTORCH_ALLOC_CONF or PYTORCH_CUDA_ALLOC_CONF, both, misspelt: expandable_segments",
    observed="the allocator's settings after the first tensor, by each name of the variable, by both, and misspelt",
    decisive="the threshold that is in force, whether segments are expandable, and what a misspelt option raises",
    claims={
        "T-08": "expandable_segments is off by default",
        "T-09": "PYTORCH_CUDA_ALLOC_CONF is deprecated",
        "T-27": "expandable_segments is rejected today",
    },
    variants=(Variant("default", {"T-08": REPRODUCED, "T-09": REFUTED, "T-27": REFUTED}),),
    needs=Needs(gpus=1),
)
