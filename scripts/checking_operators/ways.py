# tocuda, Apache-2.0.
"""Ways to call an operator on a GPU that must all give what the plain call gives on the CPU. Each is a function of the
operator, a call of it and its inputs (a sample's input, arguments and keywords), and returns what to compare: pairs of
a result and the inputs that the CPU's call gets. None if the operator cannot be called so."""

import contextlib

import torch
from torch.testing._internal import jit_metaprogramming_utils
from torch.utils import _pytree as pytree

UNTOUCHED = 77


def is_dense(value):
    return isinstance(value, torch.Tensor) and value.layout is torch.strided and not value.is_nested


def tensors_of(inputs):
    return [value for value in pytree.tree_leaves(inputs) if is_dense(value)]


def with_each(change, inputs):
    """The inputs with each dense tensor changed, or None if that makes no difference."""
    made = pytree.tree_map(lambda value: change(value) if is_dense(value) else value, inputs)
    same = all(one is other for one, other in zip(pytree.tree_leaves(made), pytree.tree_leaves(inputs), strict=True))
    return None if same else made


def changing(change, values=False):
    """The plain call with inputs in another form, or with other `values`."""

    def way(op, call, inputs):
        changed = with_each(change, inputs)
        return None if changed is None else [(call(changed), changed if values else inputs)]

    return way


def transposed(tensor):
    if tensor.dim() in (4, 5):
        last = torch.channels_last if tensor.dim() == 4 else torch.channels_last_3d
        return tensor.contiguous(memory_format=last)
    return tensor.mT.contiguous().mT if tensor.dim() > 1 else tensor


def strided(tensor):
    """Every other element of a larger tensor, and not from its beginning."""
    sizes = [*tensor.shape[:-1], 2 * tensor.shape[-1] + 1] if tensor.dim() else [3]
    around = torch.full(sizes, 1, dtype=tensor.dtype, device=tensor.device)
    within = around[..., 1::2] if tensor.dim() else around[1]
    return within.copy_(tensor)


def of_32_bits(tensor):
    """An index, which the CPU's kernels may read as if it were contiguous."""
    return strided(tensor.int()) if tensor.dtype == torch.int64 else tensor


def expanded(tensor):
    return tensor[:1].expand_as(tensor) if tensor.dim() and tensor.shape[0] > 1 else tensor


def empty(tensor):
    return tensor[:0] if tensor.dim() else tensor


def lazily_negated(tensor):
    if tensor.is_complex():
        return tensor.conj().resolve_conj().conj()
    return torch._neg_view(-tensor) if tensor.is_floating_point() else tensor


def with_number_of_cpu(op, call, inputs):
    """An operator of two tensors, the second of which is a number in the CPU's memory."""
    both = [inputs[0], *inputs[1]]
    if len(both) < 2 or not all(is_dense(one) and one.numel() for one in both[:2]):
        return None
    changed = (both[0], (both[1].flatten()[0].cpu(), *both[2:]), inputs[2])
    return [(call(changed), changed)]


def within(tensor, form):
    """A tensor of this size within a larger one that is full of a number, and that one."""
    if form == "strided":
        around = torch.full([*tensor.shape, 3], UNTOUCHED, device="cuda").to(tensor.dtype)
        return around[..., 1], around
    around = torch.full([tensor.numel() + 64], UNTOUCHED, device="cuda").to(tensor.dtype)
    inside = around[32 : 32 + tensor.numel()]
    if form == "transposed" and tensor.dim() > 1:
        return inside.view([*tensor.shape[:-2], tensor.shape[-1], tensor.shape[-2]]).mT, around
    return inside.view(tensor.shape), around


def check_untouched(inside, around):
    if inside.numel() == 0:
        return
    copy = around.clone()
    copy.as_strided(inside.shape, inside.stride(), inside.storage_offset()).fill_(UNTOUCHED)
    assert (copy.cpu() == torch.tensor(UNTOUCHED).to(copy.dtype)).all(), "it writes beside what it is given"


def given_results(op, call, inputs):
    if not op.supports_out:
        return None
    plain = call(inputs)
    leaves, form = pytree.tree_flatten(plain)
    if not leaves or not all(is_dense(one) for one in leaves):
        return None
    results = []
    for kind in "empty", "contiguous", "transposed", "strided":
        places = [(one.new_empty(0), None) if kind == "empty" else within(one, kind) for one in leaves]
        out = [inside for inside, _ in places]
        out = out[0] if isinstance(plain, torch.Tensor) else list(out) if isinstance(plain, list) else tuple(out)
        call((inputs[0], inputs[1], {**inputs[2], "out": out}))
        for inside, around in places:
            if around is not None:
                check_untouched(inside, around)
        results.append((pytree.tree_unflatten([inside for inside, _ in places], form), inputs))
    return results


def in_place(op, call, inputs):
    call_in_place = op.get_inplace()
    if call_in_place is None or not is_dense(inputs[0]):
        return None
    plain = call(inputs)
    if not isinstance(plain, torch.Tensor) or (plain.shape, plain.dtype) != (inputs[0].shape, inputs[0].dtype):
        return None
    results = []
    for kind in "contiguous", "transposed", "strided":
        inside, around = within(inputs[0], kind)
        inside.copy_(inputs[0])
        call_in_place(inside, *inputs[1], **inputs[2])
        check_untouched(inside, around)
        results.append((inside, inputs))
    return results


def by_tensors(call, inputs):
    """A function of the inputs' tensors alone, and these."""
    leaves, form = pytree.tree_flatten(inputs)
    places = [i for i, value in enumerate(leaves) if is_dense(value)]

    def function(*tensors):
        filled = list(leaves)
        for i, tensor in zip(places, tensors, strict=True):
            filled[i] = tensor
        return call(pytree.tree_unflatten(filled, form))

    return function, [leaves[i] for i in places]


def traced(op, call, inputs):
    function, tensors = by_tensors(call, inputs)
    if not tensors:
        return None
    results = call(inputs)
    if not all(isinstance(one, torch.Tensor) for one in pytree.tree_leaves(results)):
        return None
    trace = torch.jit.trace(function, tensors, check_trace=False)
    return [(trace(*tensors), inputs) for _ in range(3)]


def scripted(op, call, inputs):
    # The script names the operator, which some entries of the database wrap, and rounds tensors among the keywords.
    is_wrapped = op.variant_test_name in ("grad_oriented", "singular")
    if not op.supports_scripting or is_wrapped or not is_dense(inputs[0]) or tensors_of(inputs[2]):
        return None
    kind = "nn_functional" if op.name.startswith("nn.functional.") else "functional"
    name = op.name.removeprefix("nn.functional.")
    try:
        function, tensors = jit_metaprogramming_utils.gen_script_fn_and_args(name, kind, inputs[0], *inputs[1],
                                                                             **inputs[2])  # fmt: skip
    except Exception:  # what TorchScript does not know
        return None
    return [(function(*tensors), inputs) for _ in range(3)]


def captured(op, call, inputs):
    """A graph that is captured with other values than it is launched with, and launched twice."""
    function, tensors = by_tensors(call, inputs)
    given = [tensor.clone() for tensor in tensors]
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        function(*given)
    side.synchronize()
    for tensor in given:
        if tensor.is_floating_point() or tensor.is_complex():
            tensor.mul_(0.5)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = function(*given)
    found = []
    for _ in range(2):
        for one in tensors_of(results):
            if one.numel() and not any(one._is_view() and one._base is tensor for tensor in given):
                one.zero_()
        for tensor, value in zip(given, tensors, strict=True):
            tensor.copy_(value)
        graph.replay()
        found.append((pytree.tree_map(lambda one: one.clone() if is_dense(one) else one, results), inputs))
    return found


def within_context(context):
    def way(op, call, inputs):
        with context():
            return [(call(inputs), inputs)]

    return way


@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@contextlib.contextmanager
def without_waiting():
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def on_the_second(op, call, inputs):
    """Of two GPUs, while the first is the current one."""

    def moved(value):
        if isinstance(value, torch.Tensor):
            return value.to("cuda:1") if value.is_cuda else value
        is_device = isinstance(value, (str, torch.device)) and str(value).startswith("cuda")
        return "cuda:1" if is_device else value

    return [(call(pytree.tree_map(moved, inputs)), inputs)]


def compiled(op, call, inputs):
    function, tensors = by_tensors(call, inputs)
    torch._dynamo.reset()
    return [(torch.compile(function, backend="eager")(*tensors), inputs)]


def mapped(op, call, inputs):
    function, tensors = by_tensors(call, inputs)
    if not tensors:
        return None
    results = torch.vmap(function, randomness="different")(*(torch.stack([one, one]) for one in tensors))
    return [(pytree.tree_map(lambda one: one[i], results), inputs) for i in range(2)]


WAYS = {
    "index": changing(of_32_bits),
    "strided": changing(strided),
    "transposed": changing(transposed),
    "expanded": changing(expanded, values=True),
    "empty": changing(empty, values=True),
    "lazy": changing(lazily_negated),
    "number": with_number_of_cpu,
    "out": given_results,
    "in_place": in_place,
    "trace": traced,
    "script": scripted,
    "compile": compiled,
    "graph": captured,
    "vmap": mapped,
    "autocast": within_context(lambda: torch.autocast("cuda", dtype=torch.float16)),
    "deterministic": within_context(deterministic),
    "without_waiting": within_context(without_waiting),
    "second_gpu": on_the_second,
}
CHANGES_TYPE = ("autocast", "index")
# In half precision; sums in another order.
TOLERANCE = {"autocast": 0.05, "vmap": 1e-4}
