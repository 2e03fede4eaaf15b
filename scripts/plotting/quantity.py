# tocuda, Apache-2.0.
"""Which figure of a point a picture draws: a rate, in the convention of its family, or a time; and the axes for it."""

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from units import rate_text, size_text, time_text

CONVENTIONS = {"one way": "one way (payload bytes)", "touched": "touched (bytes read + written)"}


class Quantity:
    """Which figure of a point is drawn, and its unit."""

    def __init__(self, curves):
        self.is_rate = any(curve.has_bytes for curve in curves)
        self.convention = curves[0].convention
        self.other = "touched" if self.convention == "one way" else "one way"
        self.text = rate_text if self.is_rate else time_text
        self.label = f"bandwidth, {CONVENTIONS[self.convention]}" if self.is_rate else "time of one operation"

    def of(self, point, seconds):
        return point.rate(seconds, self.convention) if self.is_rate else seconds

    def interval(self, point):
        """(below, above) the median, or None."""
        if not point.interval:
            return None
        middle = self.of(point, point.median)
        ends = sorted(self.of(point, seconds) for seconds in point.interval)
        return max(middle - ends[0], 0), max(ends[1] - middle, 0)

    def share(self, point):
        """Of the peak; None where none is known, or where the cache held too much of what was touched."""
        percent = point.row.get("percent_of_peak") if self.is_rate and point.sound else None
        return percent / 100 if percent is not None else None


def size_axis(axes, sizes, most=10):
    """Powers of two, as many of them as fit."""
    axes.set_xscale("log", base=2)
    low, high = min(sizes), max(sizes)
    axes.set_xlim(low / 2, high * 2)
    first, last = low.bit_length() - 1, high.bit_length()
    step = 2 * max(1, -(-(last - first) // (2 * most)))
    axes.xaxis.set_major_locator(FixedLocator([2**power for power in range(first, last + 1, step)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size_text(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("size")


def log_ticks(axis, low, high):
    """Powers of ten; where these are too few, what lies between them."""
    axis.set_major_locator(LogLocator(base=10, subs=(1,) if high / low > 100 else (1, 2, 5)))


def value_axis(axes, quantity):
    """Over a decade at least: what differs by little must not look as if it differed by much."""
    axes.set_yscale("log")
    low, high = axes.dataLim.intervaly
    if 0 < low <= high:
        more = max(1.8, (10 * low / high) ** 0.5)
        axes.set_ylim(low / more, high * more)
        log_ticks(axes.yaxis, *axes.get_ylim())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: quantity.text(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel(quantity.label)
