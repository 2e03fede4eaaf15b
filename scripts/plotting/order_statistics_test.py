# tocuda, Apache-2.0.
"""Medians and intervals, on values whose answers are known."""
import unittest

from order_statistics import median, median_interval


class OrderStatistics(unittest.TestCase):
    def test_an_even_number_has_its_median_between_the_two_in_the_middle(self):
        self.assertEqual(median([4, 1, 3, 2]), 2.5)

    def test_five_values_give_no_interval(self):
        self.assertIsNone(median_interval([1, 2, 3, 4, 5]))

    def test_six_values_give_their_range(self):
        self.assertEqual(median_interval([6, 1, 5, 2, 4, 3]), (1, 6))

    def test_more_values_leave_the_ends_out(self):
        # Of nine coins at most one shows heads with 10 / 512: both tails are 3.9 %; with two it would be 18 %.
        self.assertEqual(median_interval(range(1, 10)), (2, 8))
        self.assertEqual(median_interval(range(1, 21)), (6, 15))


if __name__ == "__main__":
    unittest.main()
