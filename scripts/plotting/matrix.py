# tocuda, Apache-2.0.
"""Draws verdicts as a matrix. Each colour also has a sign."""

import matplotlib.patches

import style
from sheet import LETTER

LOOKS = {
    "reproduced": (style.SKY, "✓", "true"),
    "refuted": (style.ORANGE, "✗", "false"),
    "partial": (style.YELLOW, "~", "partly"),
    "inconclusive": ("#dddddd", "?", "open"),
    "skipped": ("#ffffff", "–", "skipped"),
    "broken": (style.BLACK, "B", "broken"),
}
CELL = 0.23  # the height of a row in inches
KEY = "   ".join(f"{sign} {word}" for _, sign, word in LOOKS.values()) + "   red frame: unexpected (expected verdict)"


def label_width(labels):
    return max(map(len, labels)) * LETTER + 0.15


def draw_matrix(axes, labels, columns, cells):
    """`cells` maps (row, column) to (verdict, expected verdict, whether it was unexpected)."""
    for (row, column), (verdict, expected, unexpected) in cells.items():
        colour, sign, _ = LOOKS[verdict]
        frame = {"edgecolor": style.GREY, "linewidth": 0.6}
        if unexpected:
            frame = {"edgecolor": "#c00000", "linewidth": 2.4, "zorder": 3}
            sign += f" ({LOOKS[expected][1] if expected in LOOKS else '?'})"
        place = (column - 0.46, row - 0.43)
        axes.add_patch(matplotlib.patches.Rectangle(place, 0.92, 0.86, facecolor=colour, **frame))
        ink = "white" if verdict == "broken" else "black"
        weight = "bold" if unexpected else "normal"
        axes.text(column, row, sign, ha="center", va="center", size=style.SMALL, color=ink, weight=weight, zorder=4)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(labels)), labels)
