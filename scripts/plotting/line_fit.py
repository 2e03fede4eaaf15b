# tocuda, Apache-2.0.
"""seconds = t0 + bytes / bandwidth, the squares of the relative misses made least: as `tocuda bench` fits it, and refused where it does."""
import dataclasses
import math

FEWEST_SIZES = 3
WORST_RESIDUAL = 0.5


@dataclasses.dataclass(frozen=True)
class LineFit:
    t0_seconds: float
    bytes_per_second: float
    residual: float  # root mean square of the relative misses

    @property
    def half_bandwidth_bytes(self):
        return self.t0_seconds * self.bytes_per_second


def solved(points):
    """(t0, seconds per byte, determinant, lengths of the columns) of rows (1 / seconds, bytes / seconds), columns scaled to length 1."""
    starts, slopes = [1 / seconds for _, seconds in points], [size / seconds for size, seconds in points]
    start, slope = math.hypot(*starts), math.hypot(*slopes)
    crossed = math.fsum(a * b for a, b in zip(starts, slopes)) / start / slope
    right_start, right_slope = math.fsum(starts) / start, math.fsum(slopes) / slope
    determinant = (1 - crossed) * (1 + crossed)
    if determinant <= 1e-12:
        return 0, 0, 0, (start, slope)
    return ((right_start - crossed * right_slope) / determinant / start, (right_slope - crossed * right_start) / determinant / slope,
            determinant, (start, slope))


def why_not(t0, per_byte, determinant, residual):
    if not determinant:
        return "the times grow in step with the sizes: they show no start-up time"
    if t0 <= 0:
        return "the start-up time is negative: these sizes do not show it"
    if per_byte <= 0:
        return "the times do not grow with the sizes: they show no bandwidth"
    if residual > WORST_RESIDUAL:
        return f"the times are not a straight line: off by {100 * residual:.0f} % (root mean square)"
    return ""


def fit_line(points):
    """(fit, "") or (None, why not); points are (bytes, seconds)."""
    sizes = len({size for size, _ in points})
    if sizes < FEWEST_SIZES:
        return None, f"{sizes} size{'s' * (sizes != 1)}: a fit needs {FEWEST_SIZES}"
    t0, per_byte, determinant, (start, slope) = solved(points)
    squares = math.fsum(((t0 + per_byte * size) / seconds - 1) ** 2 for size, seconds in points)
    residual = math.sqrt(squares / len(points))
    because = why_not(t0, per_byte, determinant, residual)
    if because:
        return None, because
    # What the scatter alone could make of nothing is not told as a result.
    scatter = math.sqrt(squares / (len(points) - 2) / determinant)
    if scatter / start > t0:
        return None, "the start-up time is smaller than its uncertainty: these sizes do not show it"
    if scatter / slope > per_byte:
        return None, "the bandwidth is smaller than its uncertainty: these sizes do not show it"
    return LineFit(t0, 1 / per_byte, residual), ""
