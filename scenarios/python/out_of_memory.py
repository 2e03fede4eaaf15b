# tocuda, Apache-2.0.
"""Running out of GPU memory raises a subclass of RuntimeError, and so does an index that no GPU has. A handler that
searches the message works for the GPU's memory, but not for errors of the host or of a CPU-only build."""

from worker_python.attempt import CAUGHT, ESCAPED, NO_ERROR, attempt, class_name, class_of, opening, say_attempt
from worker_python.evidence import Undecided
from worker_python.judging import judge_each
from worker_python.scenario import PARTIAL, REFUTED, REPRODUCED, Needs, Scenario, Variant

TAKEN = "_cuda_getDeviceCount"
CAP_BYTES = 256 << 20
NO_SUCH_GPU = 63
WORDS = "out of memory"
INVALID_DEVICE = 101
TOO_LARGE = f"381.5 MiB into {CAP_BYTES >> 20} MiB"


def observe_classes(see, torch):
    see("alias", torch.cuda.OutOfMemoryError is torch.OutOfMemoryError)
    see(
        "subclasses_of_RuntimeError",
        sorted(
            class_name(kind)
            for kind in (torch.OutOfMemoryError, torch.AcceleratorError)
            if issubclass(kind, RuntimeError)
        ),
    )


def observe_cpu_only(see, torch):
    kept = getattr(torch._C, TAKEN)
    delattr(torch._C, TAKEN)
    see("cpu_only.taken_away", f"torch._C.{TAKEN}")
    say_attempt(see, "cpu_only.large", attempt(lambda: torch.randn(10000, 10000, device="cuda:0")))
    setattr(torch._C, TAKEN, kept)


def observe_fallback(see, torch):
    """Makes the tensor that the document falls back to, without spending ten seconds to fill it."""
    made = []
    say_attempt(see, "fallback", attempt(lambda: made.append(torch.empty(1000, 1000, 1000))))
    see("fallback.device", str(made[0].device) if made else "")
    see("fallback.smaller_by", 10000**3 // made[0].numel() if made else 0)


def observe(see, variant):
    import torch

    observe_classes(see, torch)
    observe_cpu_only(see, torch)
    say_attempt(see, "idle.large", attempt(lambda: torch.randn(10000, 10000, device="cuda:0")))
    torch.cuda.empty_cache()
    say_attempt(see, "trillion", attempt(lambda: torch.randn(10000, 10000, 10000, device="cuda")))
    observe_fallback(see, torch)
    # Half a byte more, because the allocator multiplies the fraction back and truncates.
    torch.cuda.set_per_process_memory_fraction((CAP_BYTES + 0.5) / torch.cuda.get_device_properties(0).total_memory)
    say_attempt(see, "capped.large", attempt(lambda: torch.randn(10000, 10000, device="cuda:0")))
    say_attempt(see, "host", attempt(lambda: torch.empty(1 << 50)))
    say_attempt(see, "ordinal", attempt(lambda: torch.empty(2, device=f"cuda:{NO_SUCH_GPU}")))
    say_attempt(see, "after", attempt(lambda: torch.empty(2).cuda()))


def is_out_of_memory(evidence, name):
    return class_of(evidence, name) == "torch.OutOfMemoryError" and "RuntimeError" in evidence.list(f"{name}.classes")


def judge_meaning(evidence):
    if evidence.text("after.handled") != NO_ERROR:
        raise Undecided("CUDA is not available")
    others = is_out_of_memory(evidence, "capped.large"), evidence.integer("ordinal.code") == INVALID_DEVICE
    if (
        others != (True, True)
        or evidence.text("ordinal.handled") != CAUGHT
        or class_of(evidence, "ordinal") != "torch.AcceleratorError"
    ):
        raise Undecided("the errors of a working GPU have other classes")
    return PARTIAL, f"CUDA works; OutOfMemoryError and AcceleratorError {INVALID_DEVICE} are RuntimeErrors"


def require_words_of_memory(evidence, name):
    """An error that does not mention memory says nothing about handlers for running out of memory."""
    if "memory" not in evidence.text(f"{name}.message"):
        raise Undecided(f"the error is a different one: {class_of(evidence, name)}")


def judge_class(evidence):
    if evidence.text("capped.large.handled") == NO_ERROR:
        return REFUTED, f"{TOO_LARGE} did not raise"
    words = f"{TOO_LARGE} raises {class_of(evidence, 'capped.large')}"
    if is_out_of_memory(evidence, "capped.large"):
        return REPRODUCED, words
    require_words_of_memory(evidence, "capped.large")
    return REFUTED, words


def judge_words(evidence):
    if evidence.text("capped.large.handled") == NO_ERROR:
        return REFUTED, f"{TOO_LARGE} did not raise"
    require_words_of_memory(evidence, "capped.large")
    verdict = REPRODUCED if WORDS in evidence.text("capped.large.message") else REFUTED
    return verdict, f'{TOO_LARGE} raises "{opening(evidence.text("capped.large.message"))}"'


def judge_trillion(evidence):
    if evidence.text("trillion.handled") == NO_ERROR:
        return REFUTED, "a tensor of 3725 GiB was made"
    require_words_of_memory(evidence, "trillion")
    if not evidence.text("trillion.message").startswith("CUDA out of memory"):
        return REFUTED, f'3725 GiB raises "{opening(evidence.text("trillion.message"))}"'
    if evidence.text("fallback.device") != "cpu":
        raise Undecided("the fallback is not on the CPU")
    return (
        REPRODUCED,
        f"3725 GiB is refused; the CPU gets a tensor {evidence.integer('fallback.smaller_by')} times smaller",
    )


def judge_handler(evidence):
    if evidence.text("capped.large.handled") != NO_ERROR:
        require_words_of_memory(evidence, "capped.large")
    require_words_of_memory(evidence, "host")
    if class_of(evidence, "cpu_only.large") not in ("AssertionError", "RuntimeError"):
        raise Undecided(f"CPU-only build: another error, {class_of(evidence, 'cpu_only.large')}")
    if evidence.text("capped.large.handled") != CAUGHT or WORDS not in evidence.text("capped.large.message"):
        return REFUTED, f"{TOO_LARGE}: the handler does not find {WORDS!r}"
    missed = [
        what
        for name, what in (("cpu_only.large", "a CPU-only build"), ("host", "a full CPU"))
        if evidence.text(f"{name}.handled") == ESCAPED or WORDS not in evidence.text(f"{name}.message")
    ]
    if not missed:
        return REPRODUCED, "the handler recognises a full GPU, a full CPU and a CPU-only build"
    return PARTIAL, f"the handler recognises a full GPU, not {' or '.join(missed)}"


def judge(evidence, say):
    judge_each(
        say,
        evidence,
        {
            "000-10": judge_meaning,
            "001-10": judge_class,
            "001-E3": judge_trillion,
            "004-14": judge_words,
            "004-E3": judge_handler,
        },
    )


SCENARIO = Scenario(
    summary='request more memory than a GPU has, and look for "out of memory" in Python',
    observed=(
        "class, code and text of the errors of too large a tensor on the GPU, under a cap and on the host, and "
        "of an invalid index"
    ),
    decisive=(
        "first the class torch.OutOfMemoryError and code 101, then whether the text has the words that a handler "
        "looks for"
    ),
    claims={
        "000-10": "a RuntimeError means CUDA is missing",
        "001-10": "too large a move: OutOfMemoryError",
        "001-E3": "a huge tensor can fall back to the CPU",
        "004-14": 'the error says "out of memory"',
        "004-E3": "the handler recognises memory errors",
    },
    variants=(
        Variant(
            "capped_256MiB",
            {"000-10": PARTIAL, "001-10": REPRODUCED, "001-E3": REPRODUCED, "004-14": REPRODUCED, "004-E3": PARTIAL},
            simulate="1x1GiB",
        ),
    ),
    needs=Needs(gpus=1, free_gib=0.5),
    differs={"ordinal.message": {"2.11": "For debugging consider passing CUDA_LAUNCH_BLOCKING=1", "2.15": ""}},
)
