# tocuda, Apache-2.0.
"""Runs operators of PyTorch's own database on a GPU and compares their results with the CPU's. Started on
simulated GPUs. Reads names from standard input, one per line, and writes a JSON line for each on descriptor 3.
Numbers that were drawn are compared in type and size, and must not be NaN, which is what is not computed."""

import itertools
import json
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

SAMPLES = 4


def on_cpu(value):
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_conj() or value.is_neg():
            return value.detach().cpu()
        # The whole storage, because operators like as_strided look beyond the tensor.
        storage = value.untyped_storage().cpu()
        return torch.empty(0, dtype=value.dtype).set_(storage, value.storage_offset(), value.shape, value.stride())
    if isinstance(value, torch.device) or (isinstance(value, str) and value.startswith("cuda")):
        return "cpu"
    return torch.Generator().manual_seed(0) if isinstance(value, torch.Generator) else value


def detached(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


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


def compare(ours, cpus, random):
    ours, form = pytree.tree_flatten(ours)
    cpus, form_on_cpu = pytree.tree_flatten(cpus)
    assert form == form_on_cpu, f"{form} instead of {form_on_cpu}"
    for one, other in zip(ours, cpus, strict=True):
        if not isinstance(one, torch.Tensor):
            assert one == other or (one != one and other != other) or random, f"{one} instead of {other}"
            continue
        assert one.dtype == other.dtype, f"{one.dtype} instead of {other.dtype}"
        assert one.shape == other.shape, f"size {tuple(one.shape)} instead of {tuple(other.shape)}"
        if not random:
            torch.testing.assert_close(plain(one), plain(other), equal_nan=True)
        elif random != "empty" and not plain(other).isnan().any():
            assert not plain(one).isnan().any(), "NaN among the numbers drawn"


def check(op, dtype):
    """Returns None if all is right, otherwise what is wrong."""
    torch.manual_seed(0)
    compared = False
    for sample in itertools.islice(op.sample_inputs("cuda", dtype), SAMPLES):
        inputs = pytree.tree_map(detached, (sample.input, sample.args, sample.kwargs))
        input, args, kwargs = pytree.tree_map(on_cpu, inputs)
        try:
            cpus = op(input, *args, **kwargs)
        except Exception:  # what the CPU cannot do is not compared
            continue
        ours = op(inputs[0], *inputs[1], **inputs[2])
        torch.cuda.synchronize()
        try:
            compare(ours, cpus, is_random(op) or kwargs.get("dropout_p", 0) > 0)
            compared = True
        except AssertionError as error:
            return {"what": "wrong", "why": " ".join(str(error).split())[:150]}
    return None if compared else {"what": "not compared", "why": "the CPU can do none of its samples"}


def main():
    dtype = getattr(torch, sys.argv[1])
    known = {op.formatted_name: op for op in op_db}
    if sys.argv[2:] == ["--list"]:
        for name, op in known.items():
            if dtype in op.supported_dtypes("cuda") and dtype in op.supported_dtypes("cpu"):
                print(name)
        return
    warnings.simplefilter("ignore")
    out = open(3, "w", buffering=1)
    for line in sys.stdin:
        name = line.strip()
        try:
            wrong = check(known[name], dtype)
        except Exception as error:
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            wrong = {"what": "threw", "why": f"{type(error).__name__}: {first}"[:150]}
        print(json.dumps(wrong or {"what": "right"}), file=out)


if __name__ == "__main__":
    main()
