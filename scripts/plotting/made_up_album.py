# tocuda, Apache-2.0.
"""For tests of the album: draws invented files, and reads texts and lines from the pictures."""

import itertools
import pathlib
import tempfile

import matplotlib.axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection

import made_up
from album import album
from document import documents_of
from source import sources_of

PINNED = "copy/host_to_device/pinned"
ONE_RUN = {"bandwidth-by-size", "mechanisms-at-one-size", "memory-against-peak", "conversion", "before-the-first-byte",
           "latency-by-working-set", "bandwidth-by-working-set", "course-of-a-minute"}  # fmt: skip
# What others show at one size only, or as a ratio, or not at all.
REST = {"rest-of-allocate-times-by-size", "rest-of-convert-host_to_device-by-size",
        "rest-of-copy-device_to_device-by-size", "rest-of-curve", "rest-of-framework-by-size",
        "rest-of-memory-by-size"}  # fmt: skip
OTHER = {"run": "ffffffff-0000-4000-8000-000000000000", "driver": "998.01"}


def drawn(*contents, size=None):
    """The pictures of files with these contents, by name, and the documents that they were drawn from."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"made_up_{number}.jsonl" for number in range(len(contents))]
        for path, content in zip(paths, contents):
            path.write_bytes(content)
        documents = documents_of(paths)
    sheets = [sheet for sheet in album(sources_of(documents.judged), documents, size) if sheet]
    names = [sheet.name for sheet in sheets]
    assert len(set(names)) == len(names), f"two pictures of one name: {sorted(names)}"
    return {sheet.name: sheet for sheet in sheets}, documents


def bench(rows, **run):
    return made_up.section(made_up.run_line(**run), rows)


def judged(rows=None, **run):
    return made_up.section(made_up.run_line(verb="run", **run), rows or made_up.verdict_rows())


def texts_of(sheet):
    """All texts but the ticks of axes of numbers, which matplotlib places."""
    yield from sheet.figure.texts
    for legend in sheet.figure.legends:
        yield from legend.get_texts()
    for axes in sheet.figure.findobj(matplotlib.axes.Axes):
        yield from [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        if axes.get_yscale() == "linear":
            low, high = sorted(axes.get_ylim())
            yield from (text for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high)


def words(sheet):
    return "\n".join(text.get_text() for text in texts_of(sheet))


def badly_placed(sheet):
    """Texts that cross the edge or cover another."""
    canvas = FigureCanvasAgg(sheet.figure)
    canvas.draw()
    frame = sheet.figure.bbox
    boxes = [
        (text.get_text(), text.get_window_extent(canvas.get_renderer()))
        for text in texts_of(sheet)
        if text.get_visible() and text.get_text().strip()
    ]
    for word, box in boxes:
        if box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1:
            yield word, "the edge"
    for (word, box), (other, place) in itertools.combinations(boxes, 2):
        if min(box.x1, place.x1) - max(box.x0, place.x0) > 1 and min(box.y1, place.y1) - max(box.y0, place.y0) > 1:
            yield word, other


def lines_of(sheet):
    """What matplotlib was given to draw: the places of all markers."""
    return {
        (float(x), float(y))
        for axes in sheet.figure.axes
        for line in axes.lines
        if line.get_marker() not in ("", "None", None)
        for x, y in zip(line.get_xdata(), line.get_ydata())
    }


def raw_of(sheet):
    """The places of single processes."""
    return {
        (float(x), float(y))
        for axes in sheet.figure.axes
        for points in axes.collections
        if isinstance(points, PathCollection)
        for x, y in points.get_offsets()
    }


EVERYTHING = bench(
    made_up.links()
    + made_up.memory()
    + made_up.framework()
    + made_up.start()
    + made_up.conversion()
    + made_up.waiting()
    + made_up.minute()
    + made_up.levels()
)
