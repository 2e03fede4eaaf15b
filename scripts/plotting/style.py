# tocuda, Apache-2.0.
"""The look of figures. Each curve has its own colour, marker and line style, so that curves can be told apart in grey
prints and by colour-blind readers."""

import logging

import matplotlib

OLDEST = (3, 7)

# Okabe and Ito, https://jfly.uni-koeln.de/color/, without the yellow, which is hard to see on white.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
YELLOW, GREY = "#F0E442", "#777777"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
MOST = 7  # curves in one panel: each has a colour of its own

TEXT, SMALL = 10.5, 9
RAW = {"s": 7, "alpha": 0.4, "linewidths": 0, "zorder": 1.5}  # single processes, behind their median

SETTINGS = {
    "font.size": TEXT,
    "axes.titlesize": TEXT,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": TEXT,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "tocuda",
    "pdf.fonttype": 42,
    "errorbar.capsize": 3,
    "axes.formatter.useoffset": False,
    "path.simplify": False,
}


def look(number, hollow=False):
    """The look of a picture's n-th curve. Hollow markers mean the host's clock."""
    colour = COLOURS[number % len(COLOURS)]
    return {
        "color": colour,
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": LINES[number % len(LINES)],
        "markeredgecolor": colour,
        "markerfacecolor": "white" if hollow else colour,
        "markeredgewidth": 1.4,
    }


def apply():
    if matplotlib.__version_info__ < OLDEST:
        raise ImportError(f"matplotlib {matplotlib.__version__} is older than {'.'.join(map(str, OLDEST))}")
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it reports on its cache
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(SETTINGS)
