# tocuda, Apache-2.0.
"""The pictures of one panel of lines: a value against a parameter, of several settings the fastest at each place."""

import collections.abc
import dataclasses

from labels import by_value, labels_of, rank
from lines import Line, line_sheet, sizes_of
from notes import facts, left, of_run
from source import pictured
from style import MOST
from units import operations_text, rate_text, size_text, time_text

TEXTS = {"seconds": time_text, "items": operations_text, "one_way": rate_text, "touched": rate_text}


@dataclasses.dataclass
class Against:
    """A question that such a picture answers."""

    name: str
    question: str
    known: tuple  # mechanisms, in the order of the legend
    quantity: str
    axes: tuple  # the label of each
    read: str
    place: collections.abc.Callable = lambda given: given.get("bytes")  # where a row's parameters lie on the axis
    without: tuple = ()  # parameters that make no line of their own
    place_text: collections.abc.Callable = size_text
    own_clock: bool = False  # `read` says how it is timed

    def __call__(self, source, wanted):
        every = [one for one in source.curves if pictured(one, self.name)]
        curves = sorted((one for one in every if one.sound), key=lambda one: (rank(one, self.known), by_value(one)))
        found = fastest(curves, self.labels(curves), self.quantity, self.place)
        lines = self.lines(found)
        if len(sizes_of(lines)) < 2:
            return None
        source.show(one for line in lines[:MOST] for one in found[line.label][1].values())
        convention = self.quantity if self.quantity == "one_way" else None
        text = of_run(source, curves, every, convention)
        if self.own_clock:
            text = [line for line in text if not line.startswith(("Device clock", "Filled: device clock"))]
        text += [self.read, left([line.label for line in lines], MOST)]
        words = self.question, facts(source, curves), text, source.simulated
        sheet, axes = line_sheet(self.name, words, lines, TEXTS[self.quantity], self.place_text)
        axes.set_xlabel(self.axes[0])
        axes.set_ylabel(self.axes[1])
        return sheet

    def labels(self, curves):
        labels = labels_of(curves, settings=False, without=self.without)
        if len({one.benchmark for one in curves}) == 1:
            labels = {key: label.split(", ", 1)[-1] for key, label in labels.items()}
        mixed = len({one.clock for one in curves}) > 1
        return {one.key: labels[one.key] + (" (host clock)" if one.hosted and mixed else "") for one in curves}

    def lines(self, found):
        """The first of each benchmark, then the second ones: what has no room is like what has."""
        alike = [one.benchmark for one, _ in found.values()]
        order = sorted(range(len(alike)), key=lambda number: alike[:number].count(alike[number]))
        lines = [line_of(label, *one, self.quantity) for label, one in found.items()]
        return [lines[number] for number in order]


def fastest(curves, labels, quantity, place_of):
    """The lines of a picture: {its label: (its first curve, {place: the fastest curve there and its point})}."""
    found = {}
    for one in curves:
        for point in one.sound:
            place, value = place_of(point.row["parameters"]), point.value(quantity)
            if place and value:
                _, at = found.setdefault(labels[one.key], (one, {}))
                better = min if quantity == "seconds" else max
                at[place] = better(at.get(place, (one, point)), (one, point), key=lambda each: each[1].value(quantity))
    return found


def line_of(label, first, at, quantity):
    points = [(place, at[place][1].value(quantity), at[place][1].ends(quantity)) for place in sorted(at)]
    return Line(label, points, first.hosted)


QUESTIONS = (
    Against(
        "latency-by-working-set",
        "How long does one load take, by the memory in use?",
        ("device", "managed", "peer", "host"),
        "seconds",
        ("working set", "time of one load"),
        "Device clock: read by the kernel itself; hollow: the host's. Each load waits for the one before, on at most "
        "8,191 lines of 128 bytes at random places of the working set. Sets up to the reported size of the L2 cache "
        "are visited before, above it that cache is emptied: the step there is made so and is no evidence of its size. "
        "Steps up to 1 MiB are levels that no longer hold the set; what rises with the largest sets is the address "
        "translation. Pages of managed memory that move are shared by the loads of their lines.",
        own_clock=True,
    ),
    Against(
        "memory-by-threads",
        "How many threads keep the GPU's memory busy?",
        ("occupancy_read", "occupancy"),
        "touched",
        ("threads on each multiprocessor", "bandwidth in bytes read and written"),
        "Each thread has the loads of one number in flight. A stencil counts each number as read once.",
        place=lambda given: given["threads"] * given["blocks_each"],
        place_text=str,
    ),
    Against(
        "bandwidth-by-stride",
        "How fast is the L1 cache, by the stride of the loads?",
        ("strided",),
        "touched",
        ("stride of the threads of a warp, in loads", "bandwidth in bytes that threads got"),
        "All loads are served by the L1 cache of one multiprocessor. `width`: the bytes of a load.",
        place=lambda given: given["stride"],
        without=("stride",),
        place_text=str,
    ),
    Against(
        "collectives-by-size",
        "How fast are collectives, at each size?",
        ("all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all", "send_receive"),
        "touched",
        ("larger of what a GPU sends and what it receives", "bus rate"),
        "Bus rate, as nccl-tests counts it: what each GPU sends over its link, by the time. The algorithm rate is the "
        "size by the time.",
    ),
    Against(
        "products-by-size",
        "How fast are matrices multiplied, by their size?",
        ("matmul",),
        "items",
        ("rows and columns of each matrix", "operations a second"),
        "2 n³ operations, by LibTorch and cuBLAS. `float` forbids TF32, `tf32` allows it.",
        place=lambda given: given["n"],
        without=("n",),
        place_text=str,
    ),
    Against(
        "graphs-by-nodes",
        "What does a graph cost, by the number of its nodes?",
        ("graph_launch", "graph_update", "graph_instantiate"),
        "seconds",
        ("nodes, one after the other", "time of the call"),
        "Submit: the call alone. Completion: until the host has seen the end of the graph's work.",
        place=lambda given: given["nodes"],
        without=("nodes",),
        place_text=str,
    ),
    Against(
        "files-by-block",
        "How fast is a file read in blocks, by their size?",
        ("blocks",),
        "one_way",
        ("block", "bandwidth in payload bytes"),
        "Of the numbers of threads, the fastest at each size. Cold: from the disk; warm: from the page cache.",
        place=lambda given: given["block"],
        without=("block",),
    ),
)
HOST = (
    Against(
        "host-latency-by-working-set",
        "How long does one load of the host's memory take, by how much is in use?",
        ("latency",),
        "seconds",
        ("working set", "time of one load"),
        "By one processor, on a random cycle through all lines of the working set.",
    ),
)  # fmt: skip
