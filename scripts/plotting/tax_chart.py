# tocuda, Apache-2.0.
"""Chart of the framework's tax: the same copy through LibTorch and through the CUDA runtime alone, measured by the
host's clock in turns within one process."""

from matplotlib.ticker import NullLocator

import caption
import style
from curve import ENOUGH_PROCESSES, labels_of
from quantity import draw_curve, size_axis
from sheet import Sheet
from units import digits, size_text, time_text

TICKS = (0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000)


def taxes_of(source):
    """(curve, taxes) of each curve through LibTorch. A tax is as in the document, with its size: ratio and difference
    of the times, paired by process if both were measured in the same processes."""
    said = {(tax["id"], tax.get("peer", "")): tax for tax in source.taxes}
    found = []
    for curve in source.curves:
        keyed = [(point, (point.row["id"], curve.peer)) for point in curve.sound if point.bytes]
        taxes = [{**said[key], "bytes": point.bytes} for point, key in keyed if key in said]
        if taxes:
            found.append((curve, taxes))
    return found


def told_from_zero(tax):
    ends = tax["extra_interval_seconds"]
    return not ends or ends[0] > 0 or ends[1] < 0


def has_losses(taxes):
    """True if LibTorch was faster at any size."""
    ends = [[tax["extra_seconds"], *(tax["extra_interval_seconds"] or ())] for tax in taxes if told_from_zero(tax)]
    return any(min(one) <= 0 for one in ends)


def ratio_axis(axes, taxes):
    ends = [end for tax in taxes for end in (tax["ratio"], *(tax["ratio_interval"] or ()))]
    low, high = min([0.95, *ends]), max([1.1, *ends])
    ticks = [tick for tick in TICKS if low / 1.06 <= tick <= high * 1.15]
    if high / low > 6:
        ticks = [tick for tick in ticks if tick not in (0.8, 0.9, 1.1, 1.25, 1.5)]
    axes.set_yscale("log")
    axes.set_yticks(ticks)
    axes.set_ylim(low / 1.06, high * 1.15)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: f"{digits(value)} ×")
    axes.axhline(1, color=style.BLACK, linewidth=1.2)
    axes.set_ylabel("time, relative to the runtime")


def extra_axis(axes, taxes):
    if has_losses(taxes):
        axes.set_yscale("symlog", linthresh=1e-6)
        axes.axhline(0, color=style.BLACK, linewidth=1.2)
    else:
        axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: time_text(value) if value else "0")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel("extra time per operation")


def said_below(source, taxed, labels):
    taxes = [tax for _, of_curve in taxed for tax in of_curve]
    counts = sorted({tax["processes"] for tax in taxes})
    paired = (
        f"Medians of {counts[0] if len(counts) == 1 else f'{counts[0]} to {counts[-1]}'} processes, each of which "
        "measured both in turns"
        if counts[0]
        else "Medians; some sizes were not measured by the same processes and have no intervals"
    )
    enough = (
        "bars: 95 % confidence intervals of the median."
        if counts[-1] >= ENOUGH_PROCESSES
        else f"no intervals, which need {ENOUGH_PROCESSES} processes."
    )
    clock = (
        "Both by the host's clock."
        if {curve.clock for curve, _ in taxed} == {"host"}
        else "NOT BY THE HOST'S CLOCK: device times do not include what the framework does on the host."
    )
    if has_losses(taxes):
        clock += " The axis of the extra time is linear within ±1 µs and logarithmic beyond."
    lost = [
        (labels[curve.key], [size_text(tax["bytes"]) for tax in of_curve if not told_from_zero(tax)])
        for curve, of_curve in taxed
    ]
    nothing = "; ".join(f"{label} {', '.join(sizes)}" for label, sizes in lost if sizes)
    hidden = "Not shown in the lower panel, because the extra time is not distinguishable from zero:"
    return [source.facts(), f"{paired}; {enough}", clock, f"{hidden} {nothing}." if nothing else "", caption.SIZE_UNITS]


def table_row(source, curve, tax):
    low, high = tax["ratio_interval"] or ("", "")
    extra_low, extra_high = tax["extra_interval_seconds"] or ("", "")
    return {
        **source.columns(curve),
        "bytes": tax["bytes"],
        "processes": tax["processes"],
        "ratio": tax["ratio"],
        "ratio_low": low,
        "ratio_high": high,
        "extra_seconds": tax["extra_seconds"],
        "extra_low_seconds": extra_low,
        "extra_high_seconds": extra_high,
    }


def sheet(source, taxed, name, title):
    labels = labels_of([curve for curve, _ in taxed])
    page = Sheet(name, title, said_below(source, taxed, labels), source.simulated, 6.8, (2, 1))
    upper, lower = page.panels
    for number, (curve, taxes) in enumerate(taxed):
        look = style.look(number, curve.clock == "host")
        label = labels[curve.key] + ("" if curve.clock == "host" else " (device clock)")
        ratios = [(tax["bytes"], tax["ratio"], tax["ratio_interval"]) for tax in taxes]
        told = [tax for tax in taxes if told_from_zero(tax)]
        extras = [(tax["bytes"], tax["extra_seconds"], tax["extra_interval_seconds"]) for tax in told]
        draw_curve(upper, ratios, look, label)
        draw_curve(lower, extras, look, label)
    all_taxes = [tax for _, taxes in taxed for tax in taxes]
    for axes in page.panels:
        size_axis(axes, [tax["bytes"] for tax in all_taxes])
    upper.set_xlabel("")
    ratio_axis(upper, all_taxes)
    extra_axis(lower, all_taxes)
    page.legend(lower, lower.get_legend_handles_labels()[0])
    page.table = [table_row(source, curve, tax) for curve, taxes in taxed for tax in taxes]
    return page
