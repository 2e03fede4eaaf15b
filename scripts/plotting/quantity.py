# tocuda, Apache-2.0.
"""The figure that a picture draws of each point, a rate in the convention of its family or a time, its curves and its
axes."""

from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

import style
from units import rate_text, size_text, time_text

CONVENTIONS = {"one way": "one way (payload bytes)", "touched": "touched (bytes read + written)"}


class Quantity:
    """The figure that is drawn of a point, and its unit."""

    def __init__(self, curves):
        self.is_rate = any(curve.has_bytes for curve in curves)
        self.convention = curves[0].convention
        self.other = "touched" if self.convention == "one way" else "one way"
        self.text = rate_text if self.is_rate else time_text
        self.label = f"bandwidth, {CONVENTIONS[self.convention]}" if self.is_rate else "time of one operation"

    def of(self, point, seconds):
        return point.rate(seconds, self.convention) if self.is_rate else seconds

    def value(self, point):
        return self.of(point, point.median)

    def ends(self, point):
        """The ends of the interval, or None."""
        return sorted(self.of(point, seconds) for seconds in point.interval) if point.interval else None

    def share(self, point):
        """The share of the peak; None if no peak is known or the cache held too much of the data."""
        percent = point.row.get("percent_of_peak") if self.is_rate and point.sound else None
        return percent / 100 if percent is not None else None


def reach(value, ends):
    """How far an interval reaches (below, above) a value."""
    return max(value - ends[0], 0), max(ends[1] - value, 0)


def draw_curve(axes, values, look, label):
    """Draws (size, value, ends of its interval or None) as a curve with error bars. Returns its legend handle."""
    sure = [(size, value, reach(value, ends)) for size, value, ends in values if ends]
    if sure:
        sizes, middles, reaches = zip(*sure)
        axes.errorbar(sizes, middles, yerr=list(zip(*reaches)), fmt="none", ecolor=look["color"])
    return axes.plot([size for size, *_ in values], [value for _, value, _ in values], label=label, **look)[0]


def write_beside(axes, text, place, shift, **how):
    """Writes a text `shift` points to the right of a place."""
    axes.annotate(text, place, (shift, 0), textcoords="offset points", va="center", size=style.SMALL, **how)


def size_axis(axes, sizes, most=10):
    """An axis of sizes with as many powers of two as fit."""
    axes.set_xscale("log", base=2)
    low, high = min(sizes), max(sizes)
    first, last = low.bit_length() - 1, high.bit_length()
    step = 2 * max(1, -(-(last - first) // (2 * most)))
    axes.set_xticks([2**power for power in range(first, last + 1, step)])
    axes.set_xlim(low / 2, high * 2)
    axes.xaxis.set_major_formatter(lambda value, _: size_text(value))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("size")


def log_ticks(axis, low, high, text):
    """Ticks at powers of ten, and between them if these are too few."""
    axis.set_major_locator(LogLocator(base=10, subs=(1,) if high / low > 100 else (1, 2, 5)))
    axis.set_major_formatter(lambda value, _: text(value))
    axis.set_minor_formatter(NullFormatter())


def value_axis(axes, quantity):
    """A logarithmic axis over at least one decade, so that small differences do not look large."""
    axes.set_yscale("log")
    low, high = axes.dataLim.intervaly
    if 0 < low <= high:
        more = max(1.8, (10 * low / high) ** 0.5)
        axes.set_ylim(low / more, high * more)
    log_ticks(axes.yaxis, *axes.get_ylim(), quantity.text)
    axes.set_ylabel(quantity.label)
