// tocuda, Apache-2.0.
// Copies rows that are strided on the host and contiguous on the GPU, like part of a matrix or an image. The pitch is
// twice the width.
#include <algorithm>
#include <cstring>

#include "measurement/check.hpp"
#include "measurement/payload.hpp"
#include "measurement/peaks.hpp"
#include "runtime_calls/one_way.hpp"

namespace tocuda::runtime_calls::rows {
namespace {

struct Shape {
    std::size_t width = 1;
    std::size_t rows = 0;
    std::size_t pitch() const { return 2 * width; }
    std::size_t bytes() const { return width * rows; }
};

Shape shape_of(const Parameters& set) {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, whole(set, "width")));
    return {.width = width, .rows = bytes_of(set) / width};
}

Room needed(const Parameters& set) {
    return {.host_bytes = 2 * bytes_of(set), .device_bytes = Guarded::allocated(bytes_of(set))};
}

// The gaps between the rows hold the guard and are checked too.
class Rows final : public Bench {
public:
    Rows(const std::vector<Parameters>& sets, Direction way)
        : direction(way), fit(needed), most(fit.most_bytes(sets)),
          host(pinned_memory(2 * most + 1, cudaHostAllocDefault)), device(most) {
        if (direction == Direction::device_to_host) write_payload(stream, std::span(device.at(), most), 0);
    }

    std::string why_skipped(const Parameters& set) const override {
        const auto shape = shape_of(set);
        if (shape.bytes() != bytes_of(set))
            return "whole rows of " + std::to_string(shape.width) + " bytes are needed; " +
                   std::to_string(bytes_of(set)) + " bytes are not a multiple of that";
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto shape = shape_of(set);
        const auto bytes = static_cast<std::int64_t>(shape.bytes());
        return {.bytes_one_way = bytes,
                .bytes_touched = 2 * bytes,
                .peak = link_peak(),
                .compared = "every byte, and the gaps between the rows",
                .differs = [this, shape] { return differs(shape); },
                .queue = [this, shape](const Stream& queue) { copy(shape, queue); }};
    }

private:
    void copy(const Shape& shape, const Stream& queue) const {
        const bool up = direction == Direction::host_to_device;
        require("cudaMemcpy2DAsync", cudaMemcpy2DAsync(up ? device.at() : host.get(), up ? shape.width : shape.pitch(),
                                                       up ? host.get() : device.at(), up ? shape.pitch() : shape.width,
                                                       shape.width, shape.rows, kind(direction), queue.get()));
    }

    void copy_once(const Shape& shape) const {
        copy(shape, stream);
        stream.synchronize();
    }

    std::string differs(const Shape& shape) const {
        std::memset(host.get(), std::to_integer<int>(Guarded::guard), shape.rows * shape.pitch());
        if (direction == Direction::host_to_device) {
            for (std::size_t row = 0; row < shape.rows; ++row)
                write_payload(std::span(host.get() + row * shape.pitch(), shape.width), row * shape.width);
            return device.what_differs(stream, shape.bytes(), [&] { copy_once(shape); });
        }
        copy_once(shape);
        for (std::size_t row = 0; row < shape.rows; ++row) {
            const std::span<const std::byte> whole_row(host.get() + row * shape.pitch(), shape.pitch());
            const auto gap = whole_row.subspan(shape.width);
            if (first_unlike_payload(whole_row.first(shape.width), row * shape.width))
                return "row " + std::to_string(row) + " differs from the reference";
            if (std::any_of(gap.begin(), gap.end(), [](std::byte each) { return each != Guarded::guard; }))
                return "the gap after row " + std::to_string(row) + " was written to";
        }
        return "";
    }

    const Direction direction;
    const Fit fit;
    const std::size_t most;
    Stream stream{};
    HostMemory host;
    Guarded device;
};

const RegisteredEachWay registered{
    {.name = "rows",
     .summary = "copy rows that are strided on the host",
     .clock = Clock::device,
     .parameters = {{"bytes", {}}, {"width", {64, 4 * kib}}},
     .quick = {{"bytes", {}}},
     .full = {{"bytes", {4 * kib, mib, 64 * mib, gib}}, {"width", {16, 64, 512, 4 * kib}}}},
    set_up<Rows>};

}  // namespace
}  // namespace tocuda::runtime_calls::rows
