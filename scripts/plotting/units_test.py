# tocuda, Apache-2.0.
"""Formatting of sizes, rates and times, and parsing of sizes."""

import unittest

from units import digits, rate_text, size_of, size_text, time_text


class Units(unittest.TestCase):
    def test_numbers_have_three_digits(self):
        self.assertEqual(
            [digits(number) for number in (55.551, 5.5551, 555.4, 0.55555, 100, 0, 99.96, 9.999)],
            ["55.6", "5.56", "555", "0.556", "100", "0", "100", "10"],
        )

    def test_sizes_are_powers_of_1024(self):
        self.assertEqual(
            [size_text(size) for size in (0, 4, 1024, 2**20 * 3 // 2, 2**32)],
            ["0 B", "4 B", "1 KiB", "1.5 MiB", "4 GiB"],
        )

    def test_rates_are_powers_of_1000(self):
        self.assertEqual(
            [rate_text(rate) for rate in (4.36e12, 63015384615, 12e6, 5)], ["4.36 TB/s", "63 GB/s", "12 MB/s", "5 B/s"]
        )

    def test_times_use_the_fitting_unit(self):
        self.assertEqual(
            [time_text(seconds) for seconds in (0.211, 1.5e-6, 3e-9, 2, 9.999e-7, 9.994e-7)],
            ["211 ms", "1.5 µs", "3 ns", "2 s", "1 µs", "999 ns"],
        )

    def test_sizes_are_parsed(self):
        self.assertEqual(
            [size_of(text) for text in ("64MiB", "4 KiB", "4096", "12Q", "-1", "0", "", "1.5GiB", "GiB", "²")],
            [2**26, 4096, 4096, None, None, None, None, None, None, None],
        )


if __name__ == "__main__":
    unittest.main()
