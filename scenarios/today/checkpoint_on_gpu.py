# tocuda, Apache-2.0.
"""A checkpoint that is loaded onto the GPU is there beside the model, until it has been copied into it. An optimizer
brings the state of a checkpoint on the CPU to where its parameters are."""

import io

from worker_python.attempt import NO_ERROR, attempt, class_of, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import REFUTED, REPRODUCED, Needs, Scenario, Variant

LAYERS, WIDTH = 4, 1024  # 16 MiB
PLACES = ("cuda", "cpu")


def make_model(torch):
    return torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(LAYERS)))


def load(torch, saved, place):
    saved.seek(0)
    model = make_model(torch).cuda()
    model.load_state_dict(torch.load(saved, map_location=place))


def make_trained(torch, device):
    """A model with an Adam that has made a step, so that it has a state."""
    model = torch.nn.PReLU(4).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 4).to(device)).sum().backward()
    optimizer.step()
    return model, optimizer


def observe_optimizer(see, torch):
    saved = make_trained(torch, "cpu")[1].state_dict()
    see("saved.devices", sorted({str(each.device) for each in saved["state"][0].values()}))
    model, optimizer = make_trained(torch, "cuda")
    say_attempt(see, "load_optimizer", attempt(lambda: optimizer.load_state_dict(saved)))
    state = optimizer.state[model.weight]
    see("loaded.devices", [str(state[name].device) for name in ("exp_avg", "exp_avg_sq")])
    say_attempt(see, "step", attempt(optimizer.step))


def observe(see, variant):
    import torch

    saved = io.BytesIO()
    torch.save(make_model(torch).state_dict(), saved)
    see("model", sum(weight.nbytes for weight in make_model(torch).parameters()))
    torch.zeros(2).to("cuda")
    for place in PLACES:
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        load(torch, saved, place)
        see(f"{place}.peak", torch.cuda.max_memory_allocated() - before)
    observe_optimizer(see, torch)


def judge_loading(evidence):
    model = evidence.integer("model")
    peaks = {place: evidence.integer(f"{place}.peak") for place in PLACES}
    if not model <= peaks["cpu"] < 1.1 * model:
        raise Undecided("loading by way of the CPU does not take the model's size")
    times = {place: f"{peak / model:.1f}" for place, peak in peaks.items()}
    said = f'map_location="cuda" takes {times["cuda"]} times the model\'s size, "cpu" {times["cpu"]} times'
    return (REPRODUCED if peaks["cuda"] > 1.9 * model else REFUTED), said


def judge_optimizer(evidence):
    if evidence.list("saved.devices") != ["cpu"] or evidence.text("load_optimizer.handled") != NO_ERROR:
        raise Undecided("the saved state is not on the CPU, or cannot be loaded")
    places = sorted(set(evidence.list("loaded.devices")))
    if places == ["cpu"]:
        return REPRODUCED, "the averages of a state loaded from the CPU are on cpu"
    if evidence.text("step.handled") != NO_ERROR:
        return REPRODUCED, f"a step with a state loaded from the CPU raises {class_of(evidence, 'step')}"
    return REFUTED, f"loaded from the CPU, the state's averages are on {places[0]}, and a step works"


def judge(evidence, say):
    judge_each(say, evidence, {"T-32": judge_loading, "T-37": judge_optimizer})


SCENARIO = Scenario(
    summary="torch.load a checkpoint onto the GPU: the peak of memory; resume an optimizer saved on the CPU",
    observed="peak memory of loading a checkpoint onto the GPU and through the CPU; where Adam's state is",
    decisive="a peak of twice the model's size, while by way of the CPU it is once; devices of the state, and a step",
    claims={
        "T-32": "loading onto the GPU: twice the memory",
        "T-37": "optimizer state must be moved by hand",
    },
    variants=(Variant("default", {"T-32": REPRODUCED, "T-37": REFUTED}),),
    needs=Needs(gpus=1, free_gib=0.5),
)
