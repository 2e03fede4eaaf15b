# tocuda, Apache-2.0.
"""Chooses the pictures of a set of documents: at most one for each question, however many files there are."""

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
import verdicts
from source import begins

# Each question with the benchmarks that answer it.
QUESTIONS = (
    (by_size.bandwidth, by_size.WAYS),
    (one_size.mechanisms, one_size.WAYS),
    (one_size.memory, one_size.MEMORY),
    (curve.curve, curve.CURVES),
    (one_size.conversion, one_size.CONVERTING),
    (costs.before, costs.BEFORE),
    (costs.tax, costs.TAXED),
    (pairs.pairs, pairs.PAIRS),
    (one_size.between, one_size.BETWEEN),
    (operations.operations, operations.COUNTED),
    (costs.calls, costs.CALLS),
    (one_size.files, one_size.FILES),
    (course.course, course.LASTING),
    *((one, one.benchmarks) for one in against.QUESTIONS),
)
# Of the machine without a GPU, so that neither real nor simulated ones share their pictures.
OF_THE_HOST = (
    (one_size.host, one_size.HOST),
    (pairs.nodes, pairs.NODES),
    *((one, one.benchmarks) for one in against.HOST),
)


def of_one_run(sources, question, benchmarks, size):
    """The picture of the run with the most mechanisms for it, then with the most sizes; of equals, of the last."""

    def numbers(source):
        found = [len(curve.sound) for curve in source.curves if curve.sound and begins(curve, *benchmarks)]
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
        for question, benchmarks in questions:
            yield of_one_run(runs, question, benchmarks, size)
        for question, benchmarks in rest.rest(runs):
            yield of_one_run(runs, question, benchmarks, size)
    if len(alike) > 1:
        yield several_runs.drivers(alike, documents.compared)
        yield fleet.fleet(alike, documents.fleets)
    if alike:
        yield several_runs.changes(alike[0].device, documents.compared)
    else:
        yield from (several_runs.changes(device, documents.compared) for device in ("real", "simulated"))
    yield verdicts.verdicts(sources)
    yield verdicts.fragmentation(sources)
