// tocuda, Apache-2.0.
// Copies rows that are strided on the host and contiguous on the GPU, like part of a matrix, an image or a volume. The
// pitch is twice the width; with several slices the copy is three-dimensional.
#include <algorithm>
#include <cstring>

#include "benchmarks/copy/boxes.hpp"
#include "benchmarks/copy/one_way.hpp"
#include "measurement/check.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/payload.hpp"
#include "measurement/peaks.hpp"

namespace tocuda::benchmarks::rows {
namespace {

constexpr std::size_t stride = 2;

Room needed(const Parameters& set) {
    return {.host_bytes = bytes_with_gaps(box_of(set), stride), .device_bytes = Guarded::allocated(bytes_of(set))};
}

// The gaps between the rows hold the guard and are checked too.
class Rows final : public Bench {
public:
    Rows(const std::vector<Parameters>& sets, Direction way)
        : direction(way), fit(needed), most(fit.most_bytes(sets)),
          host(pinned_memory(most_on_host(sets), cudaHostAllocMapped)), device(most) {
        if (direction == Direction::device_to_host) write_payload(stream, std::span(device.at(), most), 0);
    }

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_box(set); !why.empty()) return why;
        if (is_by_kernel(set))
            if (auto why = why_no_box_copy(box_of(set)); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto box = box_of(set);
        const auto bytes = static_cast<std::int64_t>(box.bytes());
        const auto copy = copy_of(box, is_by_kernel(set));
        return {.bytes_one_way = bytes,
                .bytes_touched = 2 * bytes,
                .peak = link_peak(),
                .compared = "every byte, and the gaps between the rows",
                .differs = [this, box, copy] { return differs(box, copy); },
                .timing = Queued{.operation = copy}};
    }

private:
    static bool is_by_kernel(const Parameters& set) { return text(set, "by") == "kernel"; }

    std::size_t most_on_host(const std::vector<Parameters>& sets) const {
        std::size_t bytes = 1;
        for (const auto& set : sets)
            if (fit.why_skipped(set).empty()) bytes = std::max(bytes, needed(set).host_bytes);
        return bytes;
    }

    std::function<void(const Stream&)> copy_of(const Box& box, bool by_kernel) const {
        const bool up = direction == Direction::host_to_device;
        const auto outside = with_gaps(box, by_kernel ? as_the_gpu_sees(host.get()) : host.get(), stride);
        const auto inside = without_gaps(box, device.at());
        const auto to = up ? inside : outside;
        const auto from = up ? outside : inside;
        if (by_kernel)
            return [=, gpu = gpu.multiprocessors](const Stream& on) { launch_box_copy(on, box, to, from, gpu); };
        return [=, kind = kind(direction)](const Stream& on) { copy_box(box, to, from, kind, on); };
    }

    std::string differs(const Box& box, const std::function<void(const Stream&)>& copy) const {
        const auto copy_once = [&] {
            copy(stream);
            stream.synchronize();
        };
        const auto outside = with_gaps(box, host.get(), stride);
        const auto all = bytes_with_gaps(box, stride);
        std::memset(host.get(), std::to_integer<int>(Guarded::guard), all);
        if (direction == Direction::host_to_device) {
            for (std::size_t row = 0; row < box.all_rows(); ++row)
                write_payload(std::span(host.get() + offset_of_row(box, outside, row), box.width), row * box.width);
            return device.what_differs(stream, box.bytes(), copy_once);
        }
        copy_once();
        for (std::size_t row = 0; row < box.all_rows(); ++row) {
            const auto begin = offset_of_row(box, outside, row);
            const auto next = row + 1 == box.all_rows() ? all : offset_of_row(box, outside, row + 1);
            const std::span<const std::byte> found(host.get() + begin, next - begin);
            const auto gap = found.subspan(box.width);
            if (first_unlike_payload(found.first(box.width), row * box.width))
                return "row " + std::to_string(row) + " differs from the reference";
            if (std::any_of(gap.begin(), gap.end(), [](std::byte each) { return each != Guarded::guard; }))
                return "the gap after row " + std::to_string(row) + " was written to";
        }
        return "";
    }

    const GpuFacts gpu = gpu_facts();
    const Direction direction;
    const Fit fit;
    const std::size_t most;
    Stream stream{};
    HostMemory host;
    Guarded device;
};

const RegisteredEachWay registered{
    {.name = "rows",
     .summary = "copy rows that are strided on the host, in one slice or several,",
     .how = "two events on a stream, around copies by cudaMemcpy2DAsync, with several slices by cudaMemcpy3DAsync, or "
            "by a kernel; rows begin two widths apart on the host, and a slice ends with a row that is not copied",
     .clock = Clock::device,
     .parameters = {{"bytes", {}}, {"width", {64, 4 * kib}}, {"slices", {1}}, {"by", {"engine"}}},
     .quick = {{"bytes", {}}},
     .full = {{"bytes", {mib, 64 * mib}},
              {"width", {16, 64, 512, 4 * kib}},
              {"slices", {1, 64}},
              {"by", {"engine", "kernel"}}},
     .allowed = allowed_boxes({})},
    set_up<Rows>};

}  // namespace
}  // namespace tocuda::benchmarks::rows
