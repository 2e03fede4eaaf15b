# tocuda, Apache-2.0.
"""Medians and their intervals from the values' order alone: as `tocuda bench` prints them."""
import math

LEVEL = 0.95


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def median_interval(values, level=LEVEL):
    """The k-th smallest to the k-th largest, k as large as the level allows; None where even the whole range covers the median too seldom."""
    ordered, count = sorted(values), len(values)
    outside, k = 0.0, 0
    while k < count // 2:
        outside += math.comb(count, k) / 2 ** count
        if 1 - 2 * outside < level:
            break
        k += 1
    return (ordered[k - 1], ordered[count - k]) if k else None
