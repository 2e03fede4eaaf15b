# tocuda, Apache-2.0.
"""Formats sizes in powers of 1024, rates in powers of 1000, and times, with their units."""

SIZES = ("B", "KiB", "MiB", "GiB", "TiB")
RATES = (("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0))
TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def digits(number):
    """Three significant digits, never an exponent."""
    if number == 0:
        return "0"
    size = abs(number)
    decimals = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.9995 else 3
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def size_text(count):
    for power, unit in enumerate(SIZES):
        if abs(count) < 1024 ** (power + 1) or unit == SIZES[-1]:
            return f"{digits(count / 1024**power)} {unit}"
    return ""


def rate_text(bytes_per_second):
    for unit, scale in RATES:
        if abs(bytes_per_second) >= scale or scale == 1:
            return f"{digits(bytes_per_second / scale)} {unit}"
    return ""


def time_text(seconds):
    for unit, scale in TIMES:
        if abs(seconds) >= scale or unit == "ns":
            return f"{digits(seconds / scale)} {unit}"
    return ""


def size_of(text):
    """Parses '64MiB', '4 KiB' or '4096'; returns None if it is not a size above zero."""
    word = text.strip()
    for power, unit in reversed(list(enumerate(SIZES))):
        if word.endswith(unit):
            word, factor = word[: -len(unit)].strip(), 1024**power
            break
    else:
        factor = 1
    return int(word) * factor if word.isascii() and word.isdigit() and int(word) > 0 else None
