# tocuda, Apache-2.0.
"""The pictures of mechanisms at one size: over the link, in the GPU's memory against its peak, and of conversion."""

from labels import described, labels_of, place_of, rank, role_of, where
import notes
from dots import Dot, Rows, dot_sheet, draw_dots, from_zero, logarithmic, look_of
from notes import facts
from sheet import WIDTH, Sheet
from source import common_size, pictured
from style import BLACK, GREY, SMALL
from units import digits, rate_text, size_text, time_text

MOST = 12  # rows of a group
WIDE = logarithmic(rate_text, most=7)
ROUGH = 0.1  # a fit with a larger residual is marked
FITTED = (("t0_seconds", time_text, 10, "start-up"), ("half_bandwidth_bytes", size_text, 4, "half-bandwidth size"))
AXES = {"one_way": "bandwidth in payload bytes", "touched": "bandwidth in bytes read + written"}
READ = "Per cent: share of the peak. L2: the data fitted partly in the cache, so that no peak applies."
FITS = (
    "Start-up and half-bandwidth size: the fit time = t0 + bytes / bandwidth over all sizes; half that bandwidth is "
    f"reached at t0 x bandwidth bytes. ≈: the fit is off by more than {100 * ROUGH:g} % (root mean square)."
)


def chosen(timed):
    """The curve and point of the fastest setting; among GPUs, of the slowest, because that is the one to look into."""
    of_gpus = {}
    for one in sorted(timed, reverse=True):
        of_gpus[one[2].parameters.get("from"), one[2].parameters.get("to")] = one
    return max(of_gpus.values())[2:]


def name_gpus(label, curve, alike):
    """With the GPUs that are drawn, the slowest of `alike`."""
    ends = [f"{end} {curve.parameters[end]}" for end in ("from", "to") if end in curve.parameters]
    if not role_of(curve.benchmark).get("slowest") or not ends:
        return label
    several = len({(one.parameters.get("from"), one.parameters.get("to")) for one in alike}) > 1
    return f"{label}, {'slowest: ' if several else ''}{' '.join(ends)}"


def at_one_size(source, curves, wanted, convention, most=MOST):
    """The size; by group, the chosen setting of each mechanism that has it, and its dot; what to say of the others."""
    size = wanted or common_size(curves)
    best = {}
    for curve in curves:
        point = curve.at(size)
        if point and point.rate("one_way"):
            best.setdefault(curve.mechanism, []).append((point.seconds, curve.key, curve, point))
    found, labels, skipped = [], {}, []
    for group in dict.fromkeys(where(one.benchmark) for one in curves):
        here = [chosen(some) for some in best.values() if where(some[0][2].benchmark) == group]
        here.sort(key=lambda one: (rank(one[0])[0], -one[1].rate(convention)))
        plain = labels_of([curve for curve, _ in here], settings=False)
        alike = {curve.key: [one[2] for one in best[curve.mechanism]] for curve, _ in here}
        labels |= {curve.key: name_gpus(plain[curve.key], curve, alike[curve.key]) for curve, _ in here}
        skipped += [f"{group}: {labels[curve.key]}" for curve, _ in here[most:]]
        found += sorted(here[:most], key=lambda one: -one[1].rate(convention))
    source.show(found)
    drawn = [curve for curve, _ in found]
    every = labels_of(curves, settings=False)
    rest = sorted({f"{where(one.benchmark)}: {every[one.key]}" for one in curves if one.mechanism not in best})
    missing = f"No valid value at {size_text(size)}: {'; '.join(rest)}." if rest and found else ""
    shares = READ if any(point.share for _, point in found) else ""
    said = [shares, notes.settings(drawn, labels), missing, notes.left(skipped, 0)]
    return size, drawn, [dot_of(*one, labels[one[0].key], convention) for one in found], said


def dot_of(curve, point, label, convention):
    share = f"  {digits(point.share)} %" if point.share else ""
    said = rate_text(point.rate(convention)) + share + (" (L2)" if "partly_in_l2" in point.row["flags"] else "")
    group, raw = where(curve.benchmark), point.raw(convention)
    return Dot(label, point.rate(convention), point.rate_ends(convention), said, look_of(curve), group, raw)


def head_shares(axes, dots):
    """Says above the values at the right, beside the first heading, what their per cent are."""
    if any("%" in dot.text for dot in dots):
        how = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "size": SMALL}
        axes.annotate("rate, % of peak", (1, 0.15), (7, 0), annotation_clip=False, color=GREY, **how)


def peak_of(curves, size):
    return max(curve.at(size).peak for curve in curves)


def mechanisms(source, wanted):
    """Which mechanism is fastest at one size, and from which size on?"""
    name = "mechanisms-at-one-size"
    every = [one for one in source.curves if pictured(one, name)]
    every.sort(key=lambda one: place_of(where(one.benchmark)))
    size, curves, dots, said = at_one_size(source, every, wanted, "one_way")
    if not dots:
        return None
    fits = any(curve.fit for curve in curves)
    text = notes.of_run(source, curves, every, "one_way", raw=True) + said + [FITS if fits else ""]
    question = f"Which mechanism is fastest at {size_text(size)}" + (", and how soon does it pay?" if fits else "?")
    rows = Rows(dots)
    left, right = rows.label_width, 4.95 if fits else 1.5
    width = max(2.0, WIDTH - left - right)
    words = question, facts(source, curves), text, source.simulated, rows.height + 0.65
    sheet = Sheet(name, *words, width=left + width + right)
    axes = sheet.panel(left, 0.55, width, rows.height)
    # Links between GPUs are so fast that the others would all lie at the left end.
    between = any(described(curve.benchmark, "needs").get("gpus", 1) > 1 for curve in curves)
    axis = logarithmic(rate_text, most=3) if between else from_zero(rate_text, peak_of(curves, size))
    draw_dots(sheet, axes, rows, dots, axis, AXES["one_way"])
    head_shares(axes, dots)
    for number, (figure, said, base, label) in enumerate(FITTED if fits else ()):
        axes = sheet.panel(left + width + 1.35 + 1.7 * number, 0.55, 0.95, rows.height)
        fitted = [fit_dot(curve, dot, figure, said) for curve, dot in zip(curves, dots)]
        draw_dots(sheet, axes, rows, fitted, logarithmic(said, base, 2), label, labelled=False)
    return sheet


def fit_dot(curve, dot, name, text):
    if curve.fit is None:
        return None
    value = curve.fit[name]
    said = text(value) + (" ≈" if curve.fit["residual"] > ROUGH else "")
    return Dot(dot.label, value, None, said, look_of(curve), dot.group)


def rates(source, wanted, name, question, convention, axis=None, most=MOST):
    every = [one for one in source.curves if pictured(one, name)]
    size, curves, dots, said = at_one_size(source, every, wanted, convention, most)
    if not dots:
        return None
    text = notes.of_run(source, curves, every, convention, raw=True) + said
    words = question.format(size_text(size)), facts(source, curves), text, source.simulated
    peak = peak_of(curves, size)
    sheet, axes = dot_sheet(name, words, dots, axis or from_zero(rate_text, peak), AXES[convention], 1.75)
    head_shares(axes, dots)
    if peak and not axis:
        axes.axvline(peak, color=BLACK, linewidth=1.1)
        how = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "ha": "right", "size": SMALL}
        axes.annotate(f"peak {rate_text(peak)}", (peak, 1), (-3, -10), **how)
    return sheet


def memory(source, wanted):
    """How close do kernels come to the peak of the GPU's memory?"""
    question = "How close do kernels come to the peak of the GPU's memory, at {}?"
    return rates(source, wanted, "memory-against-peak", question, "touched")


def conversion(source, wanted):
    """Where is a conversion cheapest?"""
    question = "How is {} of numbers converted fastest on the way to the GPU?"
    return rates(source, wanted, "conversion", question, "one_way")


def files(source, wanted):
    """How fast are files and tensors loaded, and saved?"""
    return rates(source, wanted, "files", "How fast are {} loaded and saved?", "one_way", WIDE, 20)


def between(source, wanted):
    """How fast are copies between GPUs that no heat map shows?"""
    question = "How fast are other copies between GPUs, {} at a time?"
    return rates(source, wanted, "copies-between-gpus", question, "one_way", WIDE, 20)


def host(source, wanted):
    """How fast is the host's memory?"""
    return rates(source, wanted, "host-memory", "How fast is the host's memory, with {}?", "touched")
