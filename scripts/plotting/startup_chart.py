# tocuda, Apache-2.0.
"""Chart of start-up time and half-bandwidth size of every path, from the fit time = t0 + bytes / bandwidth."""

import math

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import caption
import style
from curve import labels_of, wrapped
from sheet import Sheet
from units import digits, rate_text, size_text, time_text

ROOM = 0.42  # share of a panel's width for a tick label
FIGURES = ("t0_seconds", "bytes_per_second", "half_bandwidth_bytes", "residual")
ROUGH = 0.1  # a fit with a larger residual is marked


def fitted(curves):
    """(curve, fit or None, why there is no fit) by clock, shortest start-up first; curves without a fit last."""
    pairs = [
        (curve, None if curve.fit["t0_seconds"] is None else curve.fit, curve.fit.get("because")) for curve in curves
    ]
    return sorted(pairs, key=lambda one: (one[0].clock, one[1] is None, one[1]["t0_seconds"] if one[1] else 0))


def few_powers(base, low, high, end):
    """Powers of the base between two values, as many as fit on an axis that ends at `end`."""
    first, last = math.ceil(math.log(low, base)), math.floor(math.log(high, base))
    step = max(1, math.ceil(ROOM * math.log(end / low, base)))
    return [base**power for power in range(first, last + 1, step)]


def log_axis(axes, values, text, base, label):
    """A logarithmic axis with room on the right for the text beside the last point."""
    low, high = min(values), max(values)
    axes.set_xscale("log", base=base)
    axes.set_xlim(low / 2, high * 2 * (4 * high / low) ** 0.9)
    axes.xaxis.set_major_locator(FixedLocator(few_powers(base, low / 1.5, high * 4, axes.get_xlim()[1])))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))
    axes.set_xlabel(label)


def draw_column(axes, rows, value_of, said):
    for place, (curve, fit, _) in enumerate(rows):
        if fit:
            value = value_of(fit)
            axes.plot(
                [value],
                [-place],
                marker="o" if curve.clock == "device" else "s",
                markersize=8,
                color=style.BLUE,
                linestyle="",
                markerfacecolor=style.BLUE if curve.clock == "device" else "white",
                markeredgewidth=1.6,
            )
            axes.annotate(
                said(value) + (" ≈" if fit["residual"] > ROUGH else ""),
                (value, -place),
                (9, 0),
                textcoords="offset points",
                va="center",
                size=style.SMALL,
            )
    axes.set_ylim(0.6 - len(rows), 0.6)
    axes.tick_params(axis="y", length=0)


def table_row(source, curve, fit, because):
    return {
        "run": source.run,
        "gpu": source.gpu,
        "driver": source.driver,
        "device": source.device,
        "benchmark": curve.benchmark,
        "parameters": " ".join(f"{name}={value}" for name, value in curve.parameters),
        "clock": curve.clock,
        **{name: fit[name] if fit else "" for name in FIGURES},
        "because": because or "",
    }


def sheet(source, curves, name, title):
    """Returns None if no path can be fitted."""
    rows = fitted(curves)
    fits = [fit for _, fit, _ in rows if fit]
    if not fits:
        return None
    labels = labels_of(curves)
    failed = [f"No fit for {labels[curve.key]}: {because}." for curve, fit, because in rows if not fit]
    rough = [
        f"≈ {labels[curve.key]}: the fit is off by {digits(100 * fit['residual'])} % on average; "
        "t0 and bandwidth are approximate."
        for curve, fit, _ in rows
        if fit and fit["residual"] > ROUGH
    ]
    ends = sorted(100 * fit["residual"] for fit in fits)
    misses = " to ".join(dict.fromkeys(digits(end) for end in (ends[0], ends[-1])))
    text = [
        source.facts(),
        "Least-squares fit of relative errors to the medians of all sizes: time = t0 + bytes / bandwidth, bytes one "
        "way. Half that bandwidth is reached at t0 x bandwidth bytes. "
        f"The fits are off by {misses} % (root mean square).",
        caption.of_clocks(curves, "filled", "hollow"),
        *failed,
        *rough,
        caption.UNITS,
    ]
    page = Sheet(name, title, text, source.simulated, height=1.1 + 0.36 * len(rows), panels=(1, 3))
    columns = (
        (lambda fit: fit["t0_seconds"], time_text, 10, "start-up time t0"),
        (lambda fit: fit["half_bandwidth_bytes"], size_text, 4, "half-bandwidth size"),
        (lambda fit: fit["bytes_per_second"], rate_text, 10, "bandwidth, one way"),
    )
    for axes, (value_of, said, base, label) in zip(page.panels, columns):
        draw_column(axes, rows, value_of, said)
        log_axis(axes, [value_of(fit) for fit in fits], said, base, label)
        axes.set_yticks([-place for place in range(len(rows))], [""] * len(rows))
    page.panels[0].set_yticklabels([wrapped(labels[curve.key], 30) for curve, _, _ in rows])
    page.table = [table_row(source, *row) for row in rows]
    return page
