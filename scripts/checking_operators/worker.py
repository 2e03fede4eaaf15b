# tocuda, Apache-2.0.
"""Runs operators of PyTorch's own database on a GPU and compares their results, or their gradients, with the CPU's.
Started on simulated GPUs. Reads names from standard input, one per line, and writes a JSON line for each on descriptor
3. A name like out:add is a way to call the operator. Numbers that were drawn are compared in type and size, and must
not be NaN, which is what is not computed. What the CPU cannot do in half precision is compared with float32."""

import itertools
import json
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import foreach_op_db, op_db
from torch.utils import _pytree as pytree
from ways import CHANGES_TYPE, TOLERANCE, WAYS, is_dense

SAMPLES = 4
LOOKED_AT = 12  # samples in which a way that not all of them can be called in is looked for


def on_cpu(value):
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_conj() or value.is_neg():
            return value.detach().cpu().requires_grad_(value.requires_grad)
        # The whole storage, because operators like as_strided look beyond the tensor.
        storage = value.untyped_storage().cpu()
        copy = torch.empty(0, dtype=value.dtype).set_(storage, value.storage_offset(), value.shape, value.stride())
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, torch.device) or (isinstance(value, str) and value.startswith("cuda")):
        return "cpu"
    return torch.Generator().manual_seed(0) if isinstance(value, torch.Generator) else value


def detached(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


def leaf(value):
    return value.detach().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value


def plain(value):
    """A tensor's values as a dense tensor on the CPU."""
    value = value.detach()
    if value.layout is not torch.strided:
        value = value.to_dense()
    return value.cpu().resolve_conj().resolve_neg()


def is_random(op):
    """What is drawn is compared in type and size; so is what is not written, which may hold anything."""
    name = op.name.removeprefix("nn.functional.").removeprefix("new_").removesuffix("_like")
    if name.startswith("empty"):
        return "empty"
    return name in RANDOM or "dropout" in name or "multi_head" in name


RANDOM = {"bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal", "rand", "randint",
          "randn", "randperm", "rrelu", "uniform", "fractional_max_pool2d", "fractional_max_pool3d", "poisson",
          "svd_lowrank", "pca_lowrank", "torch.ops.aten._safe_softmax.default_random"}  # fmt: skip


HALF = (torch.float16, torch.bfloat16)


def compare(ours, cpus, random, widened, tolerance):
    ours, form = pytree.tree_flatten(ours)
    cpus, form_on_cpu = pytree.tree_flatten(cpus)
    assert form == form_on_cpu, f"{form} instead of {form_on_cpu}"
    loosely = {"rtol": tolerance, "atol": tolerance, "check_dtype": not widened} if tolerance else {}
    for one, other in zip(ours, cpus, strict=True):
        if not isinstance(one, torch.Tensor):
            assert one == other or (one != one and other != other) or random, f"{one} instead of {other}"
            continue
        assert widened or one.dtype == other.dtype, f"{one.dtype} instead of {other.dtype}"
        assert one.shape == other.shape, f"size {tuple(one.shape)} instead of {tuple(other.shape)}"
        if not random:
            torch.testing.assert_close(plain(one), plain(other), equal_nan=True, **loosely)
        elif random != "empty" and not plain(other).isnan().any():
            assert not plain(one).isnan().any(), "NaN among the numbers drawn"


def gradients(op, given, sample):
    """Of a sum that weighs each number of the results differently, by each input that has them."""
    inputs = [one for one in pytree.tree_leaves(given) if isinstance(one, torch.Tensor) and one.requires_grad]
    results = pytree.tree_leaves(sample.output_process_fn_grad(op(given[0], *given[1], **given[2])))
    total = 0
    for one in results:
        if isinstance(one, torch.Tensor) and one.requires_grad:
            one = one.abs() if one.is_complex() else one
            one = one.to_dense() if one.layout is not torch.strided else one
            weights = torch.linspace(-1, 2, one.numel(), device="cpu").view(one.shape).to(one)
            total = total + (one * weights).sum()
    return torch.autograd.grad(total, inputs, allow_unused=True) if isinstance(total, torch.Tensor) else ()


def on_the_cpu(call, inputs, dtype):
    """What the CPU gives, and whether it gives it only in float32. None if it cannot do it at all."""

    def widened(value):
        if isinstance(value, torch.dtype) and value in HALF:
            return torch.float32
        if isinstance(value, torch.Tensor) and value.dtype in HALF:
            return value.detach().float().requires_grad_(value.requires_grad)
        return value

    for wide in (False, True) if dtype in HALF else (False,):
        try:
            return call(pytree.tree_map(widened, inputs) if wide else inputs), wide
        except Exception:  # what the CPU cannot do is not compared
            continue
    return None


def tolerance(dtype, backward, widened):
    """PyTorch's own (None), unless sums were added in another order or precision."""
    if widened or dtype in HALF:
        return 0.05 if widened or backward else 0.01
    return 1e-4 if backward and dtype in (torch.float32, torch.complex64) else None


def check(op, dtype, backward):
    """Returns None if all is right, otherwise what is wrong."""
    torch.manual_seed(0)
    compared = False
    for sample in itertools.islice(op.sample_inputs("cuda", dtype, requires_grad=backward), SAMPLES):
        keep = leaf if backward else detached
        inputs = pytree.tree_map(keep, (sample.input, sample.args, sample.kwargs))

        def call(given):
            return gradients(op, given, sample) if backward else op(given[0], *given[1], **given[2])  # noqa: B023

        cpus = on_the_cpu(call, pytree.tree_map(on_cpu, inputs), dtype)
        if cpus is None or (backward and not cpus[0]):
            continue
        ours = call(inputs)
        torch.cuda.synchronize()
        try:
            random = is_random(op) or sample.kwargs.get("dropout_p", 0) > 0
            compare(ours, cpus[0], random, cpus[1], tolerance(dtype, backward, cpus[1]))
            compared = True
        except AssertionError as error:
            return {"what": "wrong", "why": " ".join(str(error).split())[:150]}
    return None if compared else {"what": "not compared", "why": "the CPU can do none of its samples"}


def contiguous_on_cpu(value):
    if not is_dense(value):
        return on_cpu(value)
    return value.detach().cpu().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)


def plain_call(op):
    return lambda given: op(given[0], *given[1], **given[2])


def works(call, inputs):
    try:
        call(inputs)
    except Exception:
        return False
    return True


def compare_way(way, op, dtype, sample, inputs):
    """Returns how many results were compared; throws AssertionError if one is wrong, what the way throws otherwise."""
    compared = 0
    for ours, given in WAYS[way](op, plain_call(op), inputs) or []:
        torch.cuda.synchronize()
        cpus = on_the_cpu(plain_call(op), pytree.tree_map(contiguous_on_cpu, given), dtype)
        if cpus is None:
            continue
        random = is_random(op) or sample.kwargs.get("dropout_p", 0) > 0
        near = TOLERANCE.get(way) or tolerance(dtype, False, cpus[1])
        both = map(pytree.tree_leaves, (ours, cpus[0]))
        compare(*both, random, cpus[1] or way in CHANGES_TYPE, near)
        compared += 1
    return compared


def check_way(way, op, dtype):
    """Refused: it throws where the plain call does not, as on a GPU most would. What a process is after a failed
    assertion or capture, the next operator must not find."""
    torch.manual_seed(0)
    compared, refused = 0, None
    for sample in itertools.islice(op.sample_inputs("cuda", dtype, requires_grad=False), LOOKED_AT):
        inputs = pytree.tree_map(detached, (sample.input, sample.args, sample.kwargs))
        if compared == SAMPLES or not works(plain_call(op), inputs):
            continue
        try:
            compared += compare_way(way, op, dtype, sample, inputs) > 0
        except AssertionError as error:
            return {"what": "wrong", "why": " ".join(str(error).split())[:150]}
        except torch.AcceleratorError as error:
            what = "failed" if "device-side" in str(error) else "refused"
            return {"what": what, "why": str(error).split("\n")[0][:150], "last": True}
        except Exception as error:
            refused = {"what": "refused", "why": f"{type(error).__name__}: {' '.join(str(error).split())}"[:150]}
            if way == "graph":
                return {**refused, "last": True}
    return {"what": "right"} if compared else refused or {"what": "skipped", "why": "it cannot be called so"}


def has(op, dtype, backward):
    if backward:
        return op.supports_autograd and dtype in op.supported_backward_dtypes("cuda")
    return dtype in op.supported_dtypes("cuda") and (dtype in op.supported_dtypes("cpu") or dtype in HALF)


def main():
    dtype = getattr(torch, sys.argv[1])
    known = {op.formatted_name: op for op in op_db}
    lists_of_tensors = {op.formatted_name: op for op in foreach_op_db}
    backward = "--gradients" in sys.argv
    if "--list" in sys.argv:
        ways = [one.removeprefix("--ways=") for one in sys.argv if one.startswith("--ways=")]
        wanted = known | lists_of_tensors if ways else known
        names = [name for name, op in wanted.items() if has(op, dtype, backward)]
        if ways:  # these look beyond the tensor
            names = [name for name in names if not name.startswith(("as_strided", "resize"))]
        print(*(f"{way}:{name}" for name in names for way in ways[0].split(",")) if ways else names, sep="\n")
        return
    warnings.simplefilter("ignore")
    out = open(3, "w", buffering=1)
    for line in sys.stdin:
        name = line.strip()
        try:
            way, _, operator = name.rpartition(":")
            op = known.get(operator) or lists_of_tensors[operator]
            wrong = check_way(way, op, dtype) if way else check(op, dtype, backward)
        except Exception as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            wrong = {"what": "threw", "why": f"{type(error).__name__}: {first}"[:150]}
        print(json.dumps(wrong or {"what": "right"}), file=out)


if __name__ == "__main__":
    main()
