# tocuda, Apache-2.0.
"""A checkpoint that is loaded onto the GPU is there beside the model, until it has been copied into it."""

import io

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


def judge_loading(evidence):
    model = evidence.integer("model")
    peaks = {place: evidence.integer(f"{place}.peak") for place in PLACES}
    if not model <= peaks["cpu"] < 1.1 * model:
        raise Undecided("loading by way of the CPU does not take the model's size")
    times = {place: f"{peak / model:.1f}" for place, peak in peaks.items()}
    said = f'map_location="cuda" takes {times["cuda"]} times the model\'s size, "cpu" {times["cpu"]} times'
    return (REPRODUCED if peaks["cuda"] > 1.9 * model else REFUTED), said


def judge(evidence, say):
    judge_each(say, evidence, {"T-32": judge_loading})


SCENARIO = Scenario(
    summary="torch.load a checkpoint onto the GPU for a model that is there: the peak of memory",
    observed="the most that LibTorch allocates on the GPU while a checkpoint is loaded there, and by way of the CPU",
    decisive="a peak of twice the model's size, while by way of the CPU it is once",
    claims={"T-32": "loading onto the GPU: twice the memory"},
    variants=(Variant("default", {"T-32": REPRODUCED}),),
    needs=Needs(gpus=1, free_gib=0.5),
)
