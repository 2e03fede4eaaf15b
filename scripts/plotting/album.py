# tocuda, Apache-2.0.
"""Chooses the pictures of a set of documents: at most one for each question, however many files there are."""

import functools

import against
import by_size
import costs
import course
import curve
import fleet
import one_size
import operations
import pairs
import rest
import several_runs
import under_load
import verdicts
from source import pictured

# Each question with the name of its picture: benchmarks say which pictures they are in.
QUESTIONS = (
    (by_size.bandwidth, by_size.NAME),
    (one_size.mechanisms, "mechanisms-at-one-size"),
    (one_size.memory, "memory-against-peak"),
    (curve.curve, curve.NAME),
    (one_size.conversion, "conversion"),
    (costs.before, costs.BEFORE),
    (costs.tax, costs.TAXED),
    (pairs.pairs, pairs.pairs.name),
    (one_size.between, "copies-between-gpus"),
    (operations.operations, operations.NAME),
    (costs.calls, costs.CALLS),
    (one_size.files, "files"),
    (course.course, course.NAME),
    (under_load.under_load, under_load.NAME),
    *((one, one.name) for one in against.QUESTIONS),
)
# Of the machine without a GPU, so that neither real nor simulated ones share their pictures.
OF_THE_HOST = (
    (one_size.host, "host-memory"),
    (pairs.nodes, pairs.nodes.name),
    *((one, one.name) for one in against.HOST),
)


def of_one_run(sources, question, is_about, size):
    """The picture of the run with the most mechanisms for it, then with the most sizes; of equals, of the last."""

    def numbers(source):
        found = [len(curve.sound) for curve in source.curves if curve.sound and is_about(curve)]
        return len(found), sum(found)

    able = [source for source in sorted(reversed(sources), key=numbers, reverse=True) if numbers(source) > (0, 0)]
    sheet = next((made for source in able if (made := question(source, size))), None)
    if sheet and len(able) > 1:
        sheet.notes.append(f"{len(able) - 1} more of these runs or GPUs could answer this: draw their files alone.")
    return sheet


def album(sources, documents, size):
    alike = several_runs.alike(sources)
    hosts = [source for source in several_runs.measuring(sources) if source.device == "none"]
    for runs, questions in ((alike, QUESTIONS), (hosts, OF_THE_HOST)):
        for question, name in questions:
            yield of_one_run(runs, question, functools.partial(pictured, picture=name), size)
        for question, is_about in rest.rest(runs):
            yield of_one_run(runs, question, is_about, size)
    if len(alike) > 1:
        yield several_runs.drivers(alike, documents.compared)
        yield fleet.fleet(alike, documents.fleets)
    if alike:
        yield several_runs.changes(alike[0].device, documents.compared)
    else:
        yield from (several_runs.changes(device, documents.compared) for device in ("real", "simulated"))
    yield verdicts.verdicts(sources)
    yield verdicts.fragmentation(sources)
