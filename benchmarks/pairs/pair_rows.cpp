// tocuda, Apache-2.0.
// Two- and three-dimensional copies from one GPU to another, with gaps in the memory of both: by the copy engine, by a
// kernel of either, or packed into one run, copied, and unpacked.
#include <cuda_runtime_api.h>

#include <memory>
#include <random>
#include <string>

#include "benchmarks/copy/boxes.hpp"
#include "benchmarks/pairs/pairs.hpp"
#include "measurement/check.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::pair_rows {
namespace {

constexpr int between_rows_sent = 0x3C;  // what lies there must not arrive

// The memory of one GPU: the rows with their gaps, and as one run.
struct Side {
    Side(int device, const Box& box, std::size_t stride)
        : gpu(device), multiprocessors(gpu_facts().multiprocessors), memory(bytes_with_gaps(box, stride)),
          run(box.bytes()), rows(with_gaps(box, memory.at(), stride)), packed(without_gaps(box, run.at())) {}

    static std::size_t allocated(const Box& box, std::size_t stride) {
        return allocated_bytes({Guarded::allocated(bytes_with_gaps(box, stride)), Guarded::allocated(box.bytes())});
    }

    // With this value, also around the rows.
    void fill(int value) const { fill(memory, value); }
    void forget_run() const { fill(run, std::to_integer<int>(Guarded::guard)); }

    int gpu;
    unsigned multiprocessors;
    Guarded memory;
    Guarded run;
    BoxPlace rows;
    BoxPlace packed;
    Stream stream{};
    Event ended{cudaEventDisableTiming};

private:
    void fill(const Guarded& what, int value) const {
        const auto bytes = Guarded::allocated(what.bytes());
        require("cudaMemsetAsync", cudaMemsetAsync(what.at() - Guarded::guard_bytes, value, bytes, stream.get()));
    }
};

std::unique_ptr<Side> side_on(int gpu, const Box& box, std::size_t stride) {
    const OnDevice current(gpu);
    return std::make_unique<Side>(gpu, box, stride);
}

// The memory and the streams of one parameter set.
class Crossing {
public:
    Crossing(int sender, int receiver, const Box& copied_box, std::size_t stride, const std::string& copier)
        : flows(copies_in_a_row(copied_box.bytes())), box(copied_box), from(side_on(sender, box, stride)),
          to(side_on(receiver, box, stride)) {
        flows.add(copier == "pull" || copier == "engine_pull" ? receiver : sender, copy_by(copier),
                  copier == "packed" ? 4 : 1);
    }

    // The runtime's two-dimensional copies, slice by slice, write what is sent and collect what was received: none of
    // the ways that are timed is checked by itself alone.
    std::string what_differs() {
        const auto place = draw() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
        {
            const OnDevice current(from->gpu);
            write_payload(from->stream, {from->run.at(), box.bytes()}, place);
            from->fill(between_rows_sent);
            slice_by_slice(from->rows, from->packed, from->stream);
            from->forget_run();
            from->stream.synchronize();
        }
        const OnDevice current(to->gpu);
        to->fill(std::to_integer<int>(Guarded::guard));
        to->forget_run();
        to->stream.synchronize();
        flows.run_once();
        to->forget_run();
        slice_by_slice(to->packed, to->rows, to->stream);
        if (const auto at = first_unlike_payload(to->stream, {to->run.at(), box.bytes()}, place))
            return "byte " + std::to_string(*at) + " of " + std::to_string(box.bytes()) + " differs from the reference";
        return what_lies_between();
    }

    Flows flows;

private:
    void slice_by_slice(const BoxPlace& target, const BoxPlace& source, const Stream& on) const {
        for (std::size_t slice = 0; slice < box.slices; ++slice)
            copy_slice(box, slice, target, source, cudaMemcpyDeviceToDevice, on);
    }

    // Covers the rows, too, so that everything must be as it was before the copy.
    std::string what_lies_between() const {
        for (std::size_t slice = 0; slice < box.slices; ++slice)
            require("cudaMemset2DAsync",
                    cudaMemset2DAsync(to->rows.start + slice * to->rows.slice, to->rows.pitch,
                                      std::to_integer<int>(Guarded::guard), box.width, box.rows, to->stream.get()));
        const auto* const start = to->memory.at() - Guarded::guard_bytes;
        const auto at = first_unlike(to->stream, {start, Guarded::allocated(to->memory.bytes())}, Guarded::guard);
        return at ? "what lies between the rows was written to" : "";
    }

    std::function<void(const Stream&)> copy_by(const std::string& by) const {
        if (by == "packed") return [this](const Stream& on) { copy_packed(on); };
        if (by == "push" || by == "pull")
            return [this, gpu = (by == "push" ? from : to)->multiprocessors](const Stream& on) {
                launch_box_copy(on, box, to->rows, from->rows, gpu);
            };
        if (box.slices == 1)
            return [this](const Stream& on) { copy_slice(box, 0, to->rows, from->rows, cudaMemcpyDefault, on); };
        auto form = form_of<cudaMemcpy3DPeerParms>(box, to->rows, from->rows);
        form.dstDevice = to->gpu;
        form.srcDevice = from->gpu;
        return [form](const Stream& on) { require("cudaMemcpy3DPeerAsync", cudaMemcpy3DPeerAsync(&form, on.get())); };
    }

    // A kernel of each GPU works in its own memory, and one copy crosses the link.
    void copy_packed(const Stream& on) const {
        launch_box_copy(on, box, from->packed, from->rows, from->multiprocessors);
        require("cudaMemcpyPeerAsync",
                cudaMemcpyPeerAsync(to->run.at(), to->gpu, from->run.at(), from->gpu, box.bytes(), on.get()));
        from->ended.record(on);
        {
            const OnDevice current(to->gpu);
            to->stream.wait_for(from->ended);
            launch_box_copy(to->stream, box, to->rows, to->packed, to->multiprocessors);
            to->ended.record(to->stream);
        }
        on.wait_for(to->ended);
    }

    const Box box;
    std::unique_ptr<Side> from;
    std::unique_ptr<Side> to;
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

class PairRows final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        const auto& by = text(set, "by");
        if (auto why = why_no_box(set); !why.empty()) return why;
        const auto box = box_of(set);
        if (!by.starts_with("engine"))
            if (auto why = why_no_box_copy(box); !why.empty()) return why;
        const int from = gpu_of(set, "from");
        const int to = gpu_of(set, "to");
        if ((by == "push" || by == "pull") && !can_access(from, to)) return why_no_peer_access;
        const auto each = Side::allocated(box, stride_of(set));
        return why_no_room({{from, each}, {to, each}});
    }

    Trial trial(const Parameters& set) override {
        const int from = gpu_of(set, "from");
        const int to = gpu_of(set, "to");
        const bool direct = set_access(from, to, true);
        const auto crossing = std::make_shared<Crossing>(from, to, box_of(set), stride_of(set), text(set, "by"));
        const auto copies = copies_in_a_row(bytes_of(set));
        const auto moved = copies * whole(set, "bytes");
        Trial trial{.bytes_one_way = moved,
                    .bytes_touched = (text(set, "by") == "packed" ? 6 : 2) * moved,
                    .compared = "every byte, and what lies between the rows and around them",
                    .differs = [crossing] { return crossing->what_differs(); },
                    .timing = Queued{.operation = [crossing](const Stream& on) { crossing->flows.queue(on); },
                                     .commands = crossing->flows.operations()}};
        describe_gpus(trial, set, from == first_gpu || to == first_gpu);
        trial.flags.emplace_back(several_copies(copies));
        if (!direct) trial.flags.emplace_back(through_the_host);
        if (auto counted = counted_by_nvlink({from}, whole(set, "bytes"), crossing->flows); !counted.empty())
            trial.flags.push_back(std::move(counted));
        return trial;
    }

private:
    static std::size_t stride_of(const Parameters& set) { return static_cast<std::size_t>(whole(set, "stride")); }

    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/rows",
                  .summary = "copy rows with gaps between them from one GPU to another, in one slice or several",
                  .how =
                      "two events on a stream of the first GPU, around several copies in a row by cudaMemcpy2DAsync, "
                      "with several slices by cudaMemcpy3DPeerAsync, by a kernel, or packed by a kernel, copied "
                      "and unpacked by another; rows begin `stride` widths apart on both GPUs, and each of several "
                      "slices ends with a row that is not copied",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib}},
                                 {"by", {}},
                                 {"from", {}},
                                 {"to", {}},
                                 {"width", {512}},
                                 {"slices", {64}},
                                 {"stride", {2}}},
                  .full = {{"by", {"engine", "engine_pull", "push", "pull", "packed"}},
                           {"from", gpu_numbers()},
                           {"to", gpu_numbers()},
                           {"width", {16, 512, 4 * kib}},
                           {"slices", {1, 64}}},
                  .allowed = allowed_boxes(
                      {{"from", allowed_gpus}, {"to", allowed_gpus}, {"stride", {.least = 1, .most = 1024}}}),
                  .needs = {.gpus = 2},
                  .cost = {.bytes = Handling::on_gpu},
                  .role = {.heading = "rows with gaps"}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<PairRows>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::pair_rows
