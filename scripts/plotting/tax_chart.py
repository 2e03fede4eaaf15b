# tocuda, Apache-2.0.
"""Chart of the framework's tax: the same copy through LibTorch and through the CUDA runtime alone, measured by the
host's clock in turns within one process."""

import dataclasses

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import caption
import style
from curve import labels_of
from quantity import size_axis
from sheet import Sheet
from units import digits, size_text, time_text

TICKS = (0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)


@dataclasses.dataclass(frozen=True)
class Tax:
    """One size: ratio and difference of the times, paired by process if both were measured in the same processes."""

    bytes: int
    ratio: float
    extra: float
    ratio_interval: tuple | None
    extra_interval: tuple | None
    processes: int


@dataclasses.dataclass(frozen=True)
class TaxCurve:
    curve: object
    taxes: tuple


def tax_of(point, said):
    def ends(name):
        return tuple(said[name]) if said[name] else None

    return Tax(
        point.bytes,
        said["ratio"],
        said["extra_seconds"],
        ends("ratio_interval"),
        ends("extra_interval_seconds"),
        said["processes"],
    )


def taxes_of(source):
    """The document's taxes of each curve through LibTorch."""
    said = {(tax["id"], tax.get("peer", "")): tax for tax in source.taxes}
    found = []
    for curve in source.curves:
        keyed = [(point, (point.row["id"], curve.peer)) for point in curve.sound if point.bytes]
        taxes = [tax_of(point, said[key]) for point, key in keyed if key in said]
        if taxes:
            found.append(TaxCurve(curve, tuple(taxes)))
    return found


def draw(axes, one, label, look, value_of, interval_of, drawn):
    taxes = [tax for tax in one.taxes if drawn(tax)]
    sizes, values = [tax.bytes for tax in taxes], [value_of(tax) for tax in taxes]
    sure = [(tax.bytes, value_of(tax), *interval_of(tax)) for tax in taxes if interval_of(tax)]
    if sure:
        axes.errorbar(
            [size for size, *_ in sure],
            [value for _, value, *_ in sure],
            fmt="none",
            ecolor=look.colour,
            yerr=[
                [max(value - low, 0) for _, value, low, _ in sure],
                [max(high - value, 0) for _, value, _, high in sure],
            ],
        )
    axes.plot(sizes, values, label=label, **look.drawing)


def told_from_zero(tax):
    return not tax.extra_interval or tax.extra_interval[0] > 0 or tax.extra_interval[1] < 0


def ratio_axis(axes, taxes):
    ends = [end for tax in taxes for end in (tax.ratio, *(tax.ratio_interval or ()))]
    low, high = min([0.95, *ends]), max([1.1, *ends])
    axes.set_yscale("log")
    axes.set_ylim(low / 1.06, high * 1.15)
    ticks = [tick for tick in TICKS if low / 1.06 <= tick <= high * 1.15]
    if high / low > 6:
        ticks = [tick for tick in ticks if tick not in (0.8, 0.9, 1.1, 1.25, 1.5)]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{digits(value)} ×"))
    axes.axhline(1, color=style.BLACK, linewidth=1.2)
    axes.set_ylabel("time, relative to the runtime")


def has_losses(taxes):
    """True if LibTorch was faster at any size."""
    return any(
        tax.extra <= 0 or tax.extra_interval and tax.extra_interval[0] <= 0 for tax in taxes if told_from_zero(tax)
    )


def extra_axis(axes, taxes):
    if has_losses(taxes):
        axes.set_yscale("symlog", linthresh=1e-6)
        axes.axhline(0, color=style.BLACK, linewidth=1.2)
    else:
        axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: time_text(value) if value else "0"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel("extra time per operation")


def said_below(source, taxed, labels):
    counts = sorted({tax.processes for one in taxed for tax in one.taxes})
    clocks = {one.curve.clock for one in taxed}
    paired = (
        f"Medians of {counts[0] if len(counts) == 1 else f'{counts[0]} to {counts[-1]}'} processes, each of which "
        "measured both in turns"
        if counts[0]
        else "Medians; some sizes were not measured by the same processes and have no intervals"
    )
    enough = (
        "; bars: 95 % confidence intervals of the median."
        if counts[-1] >= 6
        else "; no intervals, which need 6 processes."
    )
    clock = (
        "Both by the host's clock."
        if clocks == {"host"}
        else ("NOT BY THE HOST'S CLOCK: device times do not include what the framework does on the host.")
    )
    axis = (
        " The axis of the extra time is linear within ±1 µs and logarithmic beyond."
        if has_losses([t for one in taxed for t in one.taxes])
        else ""
    )
    lost = {}
    for one in taxed:
        for tax in one.taxes:
            if not told_from_zero(tax):
                lost.setdefault(labels[one.curve.key], []).append(size_text(tax.bytes))
    nothing = "; ".join(f"{label} {', '.join(sizes)}" for label, sizes in lost.items())
    return [
        source.facts(),
        paired + enough,
        clock + axis,
        f"Not shown in the lower panel, because the extra time is not distinguishable from zero: {nothing}."
        if lost
        else "",
        caption.SIZE_UNITS,
    ]


def table_row(source, one, tax):
    low, high = tax.ratio_interval or ("", "")
    extra_low, extra_high = tax.extra_interval or ("", "")
    return {
        "run": source.run,
        "gpu": source.gpu,
        "driver": source.driver,
        "device": source.device,
        "benchmark": one.curve.benchmark,
        "parameters": " ".join(f"{name}={value}" for name, value in one.curve.parameters),
        "clock": one.curve.clock,
        "bytes": tax.bytes,
        "processes": tax.processes,
        "ratio": tax.ratio,
        "ratio_low": low,
        "ratio_high": high,
        "extra_seconds": tax.extra,
        "extra_low_seconds": extra_low,
        "extra_high_seconds": extra_high,
    }


def sheet(source, taxed, name, title):
    labels = labels_of([one.curve for one in taxed])
    page = Sheet(name, title, said_below(source, taxed, labels), source.simulated, height=6.8, panels=(2, 1))
    upper, lower = page.panels
    for number, one in enumerate(taxed):
        look = style.look(number, one.curve.clock == "host")
        label = labels[one.curve.key] + ("" if one.curve.clock == "host" else " (device clock)")
        draw(upper, one, label, look, lambda tax: tax.ratio, lambda tax: tax.ratio_interval, lambda tax: True)
        draw(lower, one, label, look, lambda tax: tax.extra, lambda tax: tax.extra_interval, told_from_zero)
    taxes = [tax for one in taxed for tax in one.taxes]
    for axes in page.panels:
        size_axis(axes, [tax.bytes for tax in taxes])
    upper.set_xlabel("")
    ratio_axis(upper, taxes)
    extra_axis(lower, taxes)
    page.legend(lower, lower.get_legend_handles_labels()[0])
    page.table = [table_row(source, one, tax) for one in taxed for tax in one.taxes]
    return page
