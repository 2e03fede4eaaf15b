# tocuda, Apache-2.0.
"""Chart of start-up time and half-bandwidth size of every path, from the fit time = t0 + bytes / bandwidth."""

import math

from matplotlib.ticker import NullLocator

import caption
import style
from curve import labels_of, wrapped
from quantity import write_beside
from sheet import Sheet
from units import digits, rate_text, size_text, time_text

ROOM = 0.42  # share of a panel's width for a tick label
FIGURES = ("t0_seconds", "bytes_per_second", "half_bandwidth_bytes", "residual")
ROUGH = 0.1  # a fit with a larger residual is marked
# The panels: (figure of the fit, its text, base of the axis, label).
PANELS = (
    ("t0_seconds", time_text, 10, "start-up time t0"),
    ("half_bandwidth_bytes", size_text, 4, "half-bandwidth size"),
    ("bytes_per_second", rate_text, 10, "bandwidth, one way"),
)


def has_fit(curve):
    return curve.fit["t0_seconds"] is not None


def few_powers(base, low, high, end):
    """Powers of the base between two values, as many as fit on an axis that ends at `end`."""
    first, last = math.ceil(math.log(low, base)), math.floor(math.log(high, base))
    step = max(1, math.ceil(ROOM * math.log(end / low, base)))
    return [base**power for power in range(first, last + 1, step)]


def log_axis(axes, values, text, base, label):
    """A logarithmic axis with room on the right for the text beside the last point."""
    low, high = min(values), max(values)
    end = high * 2 * (4 * high / low) ** 0.9
    axes.set_xscale("log", base=base)
    axes.set_xticks(few_powers(base, low / 1.5, high * 4, end))
    axes.set_xlim(low / 2, end)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: text(value))
    axes.set_xlabel(label)


def draw_column(axes, curves, figure, text):
    for place, curve in enumerate(curves):
        if has_fit(curve):
            value = curve.fit[figure]
            marker, filling = ("o", style.BLUE) if curve.clock == "device" else ("s", "white")
            how = {"markersize": 8, "color": style.BLUE, "linestyle": "", "markeredgewidth": 1.6}
            axes.plot([value], [-place], marker=marker, markerfacecolor=filling, **how)
            rough = " ≈" if curve.fit["residual"] > ROUGH else ""
            write_beside(axes, text(value) + rough, (value, -place), 9)
    axes.set_ylim(0.6 - len(curves), 0.6)
    axes.tick_params(axis="y", length=0)


def said_below(source, curves, labels, fits):
    residuals = sorted(100 * fit["residual"] for fit in fits)
    misses = " to ".join(dict.fromkeys(digits(end) for end in (residuals[0], residuals[-1])))
    return [
        source.facts(),
        "Least-squares fit of relative errors to the medians of all sizes: time = t0 + bytes / bandwidth, bytes one "
        "way. Half that bandwidth is reached at t0 x bandwidth bytes. "
        f"The fits are off by {misses} % (root mean square).",
        caption.of_clocks(curves, "filled", "hollow"),
        *(f"No fit for {labels[curve.key]}: {curve.fit['because']}." for curve in curves if not has_fit(curve)),
        *(
            f"≈ {labels[curve.key]}: the fit is off by {digits(100 * curve.fit['residual'])} % on average; "
            "t0 and bandwidth are approximate."
            for curve in curves
            if has_fit(curve) and curve.fit["residual"] > ROUGH
        ),
        caption.UNITS,
    ]


def table_row(source, curve):
    figures = {name: curve.fit[name] if has_fit(curve) else "" for name in FIGURES}
    return {**source.columns(curve), **figures, "because": curve.fit.get("because") or ""}


def sheet(source, curves, name, title):
    """By clock, shortest start-up first, curves without a fit last. Returns None if no path can be fitted."""
    curves = sorted(curves, key=lambda one: (one.clock, not has_fit(one), one.fit["t0_seconds"] or 0))
    fits = [curve.fit for curve in curves if has_fit(curve)]
    if not fits:
        return None
    labels = labels_of(curves)
    text = said_below(source, curves, labels, fits)
    page = Sheet(name, title, text, source.simulated, 1.1 + 0.36 * len(curves), panels=(1, 3))
    for axes, (figure, said, base, label) in zip(page.panels, PANELS):
        draw_column(axes, curves, figure, said)
        log_axis(axes, [fit[figure] for fit in fits], said, base, label)
        axes.set_yticks([-place for place in range(len(curves))], [""] * len(curves))
    page.panels[0].set_yticklabels([wrapped(labels[curve.key], 30) for curve in curves])
    page.table = [table_row(source, curve) for curve in curves]
    return page
