# tocuda, Apache-2.0.
"""One picture: a question, its panels, a legend and one line of caption. All other words go into the text beside it and
into the metadata."""

import csv
import textwrap

import matplotlib.patches
from matplotlib.figure import Figure

import style

WIDTH = 9.0
LETTER = style.SMALL * 0.6 / 72  # the width in inches of a small letter, bold ones included
EDGE, BAND, KEY = 0.12, 0.26, 0.21
SIMULATED = "SIMULATED: computed by a model, not measured on a GPU"
TEXTS = {"svg": ("Title", "Description"), "png": ("Title", "Description"), "pdf": ("Title", "Subject")}
COLUMNS = "panel", "row", "x", "value", "low", "high"
UNDATED = {"svg": {"Date": None}, "png": {}, "pdf": {"CreationDate": None}}


def shortened(text, width):
    """A line that fits into this many inches."""
    letters = int(width / LETTER * 1.09)  # in a longer text wide and narrow letters even out
    return text if len(text) <= letters else text[: letters - 2].rstrip(" ·,") + " …"


class Sheet:
    """`height` is that of the panels in inches, `keys` the labels of the legend, `notes` the text beside it."""

    def __init__(self, name, question, facts, notes, simulated, height, keys=(), width=WIDTH):
        self.name, self.question, self.simulated = name, question, simulated
        self.facts, self.notes = facts, [note for note in notes if note]
        self.table = []  # what is drawn, in rows of COLUMNS
        self.columns = max(1, int((width - 2 * EDGE) / (max(map(len, keys), default=0) * LETTER + 0.6)))
        titles = textwrap.wrap(question, int(width * 8.6))
        self.foot = 0.32 + KEY * -(-len(keys) // self.columns) + (0.1 if keys else 0)
        head = BAND * simulated + 0.24 * len(titles) + 0.14
        self.width, self.height = width, self.foot + height + head
        self.figure = Figure(figsize=(width, self.height))
        top = self.height - BAND * simulated - 0.1
        how = {"size": 13, "weight": "bold", "va": "top", "linespacing": 1.15}
        self.text(EDGE, top, "\n".join(titles), **how)
        self.text(EDGE, 0.09, shortened(facts, width - 2 * EDGE), size=style.SMALL, color="#333333", va="bottom")
        if simulated:
            band = (0, 1 - BAND / self.height), 1, BAND / self.height
            self.figure.add_artist(matplotlib.patches.Rectangle(*band, color=style.VERMILLION))
            how = {"color": "white", "weight": "bold", "size": style.SMALL, "va": "center", "ha": "center"}
            self.text(width / 2, self.height - BAND / 2 - 0.01, SIMULATED, **how)

    def text(self, x, y, text, **how):
        self.figure.text(x / self.width, y / self.height, text, **how)

    def panel(self, left, bottom, width, height, title="", **more):
        """Axes with their place in inches above the legend."""
        place = (left, self.foot + bottom, width, height)
        axes = self.figure.add_axes([part / whole for part, whole in zip(place, (self.width, self.height) * 2)], **more)
        axes.set_title(title)
        return axes

    def legend(self, handles):
        place = {"loc": "lower left", "bbox_to_anchor": (EDGE / self.width, 0.28 / self.height)}
        spaces = {"columnspacing": 1.2, "borderpad": 0, "borderaxespad": 0, "labelspacing": 0.35}
        self.figure.legend(handles=handles, ncols=self.columns, **place, **spaces)

    @property
    def words(self):
        simulated = [SIMULATED + "."] if self.simulated else []
        return "\n".join([self.question, "", *simulated, self.facts, *self.notes]) + "\n"

    def save(self, folder, formats, with_table):
        """Writes the picture and its text. Returns the names of the files."""
        written = []
        for form in formats:
            path = folder / f"{self.name}.{form}"
            facts = dict(zip(TEXTS[form], (self.question, self.words)))
            self.figure.savefig(path, dpi=150, metadata={**facts, **UNDATED[form]})
            written.append(path)
        path = folder / f"{self.name}.txt"
        path.write_text(self.words, encoding="utf-8")
        return [*written, path, *([self.save_table(folder / f"{self.name}.csv")] if with_table else [])]

    def save_table(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *self.table])
        return path
