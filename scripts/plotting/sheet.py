# tocuda, Apache-2.0.
"""One picture: its panels, title and caption, and the files it is saved to."""

import csv
import textwrap

from matplotlib.figure import Figure

import style

WIDTH = 9.0
LINE = style.SMALL * 1.35 / 72  # height in inches of a line of the caption
KEY = 0.235  # height in inches of a line of the legend


class Sheet:
    """Panels between a title and a caption of as many lines as needed. Only the word SIMULATED is drawn over them."""

    def __init__(self, name, title, caption, simulated, height=4.6, panels=(1, 1), width=WIDTH):
        self.name, self.simulated, self.table, self.height = name, simulated, [], height
        self.caption = [
            line
            for paragraph in caption
            if paragraph
            for line in textwrap.wrap(paragraph, int(width * 13.8), break_on_hyphens=False)
        ]
        self.titles = textwrap.wrap(title, int(width * 8.4))
        self.figure = Figure(figsize=(width, height), layout="constrained")
        self.panels = list(self.figure.subplots(*panels, squeeze=False).flat)
        self.keys = []  # numbers of lines of the legends below the panels
        self.arrange()

    def arrange(self):
        """Makes room for the text. The panels keep their height, whatever is above and below them."""
        legend = sum(KEY * lines for lines in self.keys)
        below, above = LINE * len(self.caption) + 0.15, 0.24 * len(self.titles) + 0.14
        total = self.height + legend + below + above
        self.figure.set_size_inches(self.figure.get_figwidth(), total)
        self.figure.get_layout_engine().set(
            rect=(0, below / total, 1, (self.height + legend) / total), w_pad=0.08, h_pad=0.08
        )
        for text in list(self.figure.texts):
            text.remove()
        head = {"size": 14, "weight": "bold", "va": "top", "linespacing": 1.15}
        self.figure.text(0.012, 1 - 0.08 / total, "\n".join(self.titles), **head)
        foot = {"size": style.SMALL, "va": "bottom", "color": "#333333", "linespacing": 1.3}
        self.figure.text(0.012, 0.06 / total, "\n".join(self.caption), **foot)

    def legend(self, axes, handles):
        """Puts a legend below a panel, in two columns if the labels are short enough."""
        for handle in handles:
            handle.set_label(
                "\n".join(line for part in handle.get_label().split("\n") for line in textwrap.wrap(part, 90))
            )
        labels = [handle.get_label() for handle in handles]
        columns = 2 if max(len(line) for label in labels for line in label.split("\n")) <= 46 and len(labels) > 1 else 1
        lines = sum(label.count("\n") + 1 for label in labels)
        self.keys.append(-(-lines // columns) + (1 if columns == 2 and lines > len(labels) else 0))
        self.arrange()
        axes.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(-0.08, -0.5 / self.height * (2 if len(self.panels) > 1 else 1.2)),
            ncols=columns,
            columnspacing=1.5,
        )

    def stamp(self):
        """Prints SIMULATED across the whole picture."""
        if self.simulated:
            width, height = self.figure.get_size_inches()
            how = {"weight": "bold", "color": style.VERMILLION, "alpha": 0.17, "rotation": 20, "zorder": 100}
            size = min(width * 8.6, height * 13)
            self.figure.text(0.5, 0.5, "SIMULATED", size=size, ha="center", va="center", **how)

    def save(self, folder, formats, with_table):
        """Saves the picture. Returns the names of the files written."""
        self.stamp()
        written = []
        for form in formats:
            path = folder / f"{self.name}.{form}"
            facts = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
            self.figure.savefig(path, dpi=150, metadata=facts)
            written.append(path)
        if with_table:
            written.append(self.save_table(folder / f"{self.name}.csv"))
        return written

    def save_table(self, path):
        columns = list(dict.fromkeys(name for row in self.table for name in row))
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.table)
        return path
