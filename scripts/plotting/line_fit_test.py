# tocuda, Apache-2.0.
"""Fits of t0 + bytes / bandwidth."""
import unittest

from line_fit import fit_line

SIZES = [4 ** power for power in range(1, 16)]


class LineFits(unittest.TestCase):
    def test_an_exact_line_is_found_again(self):
        fit, because = fit_line([(size, 2e-6 + size / 5e10) for size in SIZES])
        self.assertEqual(because, "")
        self.assertAlmostEqual(fit.t0_seconds / 2e-6, 1, 9)
        self.assertAlmostEqual(fit.bytes_per_second / 5e10, 1, 9)
        self.assertAlmostEqual(fit.half_bandwidth_bytes / 1e5, 1, 9)
        self.assertLess(fit.residual, 1e-9)

    def test_small_sizes_count_as_much_as_large_ones(self):
        times = [(size, (2e-6 + size / 5e10) * (1.02 if size > 2 ** 20 else 1)) for size in SIZES]
        self.assertAlmostEqual(fit_line(times)[0].t0_seconds / 2e-6, 1, 2)

    def test_two_sizes_are_too_few(self):
        self.assertEqual(fit_line([(4, 1e-6), (4, 1.1e-6), (64, 2e-6)]), (None, "2 sizes: a fit needs 3"))

    def test_times_that_do_not_grow_have_no_bandwidth(self):
        self.assertIsNone(fit_line([(4, 3e-6), (64, 2e-6), (1024, 1e-6)])[0])


if __name__ == "__main__":
    unittest.main()
