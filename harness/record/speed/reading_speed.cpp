// tocuda, Apache-2.0.
// Measures, by hand, the time to read result files and the peak memory.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "record/record_reader.hpp"

namespace {

struct Counter : tocuda::RecordVisitor {
    void measurement(const tocuda::MeasurementRow& row, const tocuda::LinePlace& place) override {
        ++rows;
        samples += static_cast<long>(row.samples.seconds.size());
        bytes += static_cast<long>(place.text.size());
    }
    long rows = 0, samples = 0, bytes = 0;
};

}  // namespace

int main(int count, char** words) {
    Counter counter;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 1; i < count; ++i)
        if (const auto read = tocuda::read_record(words[i], tocuda::Reading::strict, counter); !read) {
            std::fprintf(stderr, "%s\n", read.error().what.c_str());
            return 2;
        }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::printf("%ld rows, %ld samples, %.1f MB in %.3f s (%.2f s CPU), %.1f us per row; peak memory %.1f MB\n",
                counter.rows, counter.samples, static_cast<double>(counter.bytes) / 1e6, took.count(),
                static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) / 1e6,
                counter.rows > 0 ? took.count() * 1e6 / static_cast<double>(counter.rows) : 0,
                static_cast<double>(usage.ru_maxrss) / 1e3);
    return 0;
}
