# tocuda, Apache-2.0.
"""The look of figures. Each curve has its own colour, marker and line style, so that curves can be told apart in grey
prints and by colour-blind readers."""

import dataclasses
import logging

import matplotlib

OLDEST = (3, 7)

# Okabe and Ito, https://jfly.uni-koeln.de/color/, without the yellow, which is hard to see on white.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILLION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
YELLOW, GREY = "#F0E442", "#777777"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
MOST = 8  # curves in one picture

TEXT, SMALL = 11.5, 9.5

SETTINGS = {
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "axes.labelsize": TEXT,
    "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5,
    "legend.fontsize": 10.5,
    "legend.frameon": False,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "lines.linewidth": 1.8,
    "lines.markersize": 6.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "tocuda",
    "pdf.fonttype": 42,
    "axes.titlelocation": "left",
    "errorbar.capsize": 3,
    "axes.formatter.useoffset": False,
    "path.simplify": False,
}


@dataclasses.dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    line: object
    hollow: bool = False

    @property
    def drawing(self):
        return {
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.line,
            "markeredgecolor": self.colour,
            "markerfacecolor": "white" if self.hollow else self.colour,
            "markeredgewidth": 1.5,
        }


def look(number, hollow=False):
    """The look of a picture's n-th curve. Hollow markers mean the host's clock."""
    return Look(COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)], LINES[number % len(LINES)], hollow)


def apply():
    if matplotlib.__version_info__ < OLDEST:
        raise ImportError(f"matplotlib {matplotlib.__version__} is older than {'.'.join(map(str, OLDEST))}")
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it reports on its cache
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)
