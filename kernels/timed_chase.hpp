// tocuda, Apache-2.0.
// Runs a chase of pointers on the GPU that was current when this was made, times it and checks where it went. That GPU
// must be current for every call.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/chase.hpp"
#include "kernels/emptied_cache.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/peer_access.hpp"
#include "measurement/host_time.hpp"

namespace tocuda {

// A chase on links that have been written, and what it must find.
struct Course {
    Chase chase{};
    Chased expected{};
};

// The GPU that owns what a chase goes through: the one that was current when this was made. It writes the links,
// because another GPU may read its own ones back from a mirror, and its L2 cache is the one that would hold them.
class Owner {
public:
    Course write(std::byte* memory, std::size_t working_set, const std::vector<std::uint64_t>& lines) const {
        const OnDevice current(number);
        const DeviceMemory cycle(lines.size() * sizeof(std::uint64_t));
        upload(cycle.get(), std::as_bytes(std::span(lines)), stream);
        write_cycle(stream, memory, reinterpret_cast<const std::uint64_t*>(cycle.get()), lines.size());
        stream.synchronize();
        return {.chase = {.memory = memory, .working_set = working_set, .first = lines.front()},
                .expected = Chased::expected(memory, lines)};
    }

    // Leaves none of the lines in the L2 cache.
    void empty_cache() const {
        const OnDevice current(number);
        cache.empty(stream);
        stream.synchronize();
    }

    // What it allocates beside the memory.
    static std::size_t evicting_bytes() { return EmptiedCache::needed_bytes(gpu_facts().l2_bytes); }

private:
    const int number = current_device();
    Stream stream{};
    EmptiedCache cache{gpu_facts().l2_bytes};
};

// 0 on a simulated GPU, whose timer stands still in a kernel.
inline double timer_step_seconds(const Stream& stream) {
    if (gpus_are_simulated()) return 0;
    const MappedMemory<std::uint64_t> nanoseconds;
    launch_timer_step(stream, nanoseconds.device());
    stream.synchronize();
    return 1e-9 * static_cast<double>(*nanoseconds.host());
}

class TimedChase {
public:
    explicit TimedChase(ChaseBy how = ChaseBy::load) : by(how) {}

    double tick_seconds() const { return tick; }
    const Stream& queue() const { return stream; }
    void launch(const Stream& on, const Chase& chase) const { launch_chase(on, chase, result.device(), by); }

    // The kernel reads the GPU's clocks itself. Those of a simulated GPU stand still meanwhile: there, it is the time
    // between two events, less that of the same kernel without the loads. Throws if the chase went elsewhere.
    double seconds_of(const Course& course) const {
        if (gpus_are_simulated()) {
            auto empty = course.chase;
            empty.loads = 0;
            const auto whole = seconds_between_events(course.chase);
            return whole - seconds_between_events(empty);
        }
        const auto found = chased(course.chase);
        if (const auto why = where_it_went(found, course.expected); !why.empty()) throw std::runtime_error(why);
        return 1e-9 * static_cast<double>(found.nanoseconds);
    }

    // That the chase took which was launched last.
    double cycles() const { return static_cast<double>(result.host()->cycles); }

    std::string what_differs(const Course& course) const {
        const auto found = chased(course.chase);
        if (auto why = where_it_went(found, course.expected); !why.empty()) return why;
        const bool advanced = found.cycles > 0 && found.nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance during the chase";
    }
    static std::string compared() {
        return "where each chase ends, the sum of the addresses it loaded, and that both clocks advanced";
    }

    // Has the links of a chase through another GPU's memory written. The same lines are first chased in the opposite
    // order, so that a GPU that keeps what it once read there is found.
    Course written_by(const Owner& owner, std::byte* memory, std::size_t working_set) const {
        const auto lines = random_cycle(working_set, working_set);
        launch(stream, owner.write(memory, working_set, {lines.rbegin(), lines.rend()}).chase);
        stream.synchronize();
        return owner.write(memory, working_set, lines);
    }

    static std::string where_it_went(const Chased& found, const Chased& expected) {
        if (found.end != expected.end) return "the chase ends at another line than its links say";
        return found.sum == expected.sum ? "" : "the chase went through other lines than its links say";
    }

private:
    ChaseBy by;

    Chased chased(const Chase& chase) const {
        *result.host() = {};
        launch(stream, chase);
        stream.synchronize();
        return *result.host();
    }

    double seconds_between_events(const Chase& chase) const {
        before.record(stream);
        launch(stream, chase);
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    Stream stream{};
    Event before{};
    Event after{};
    MappedMemory<Chased> result{};
    double tick = timer_step_seconds(stream);
};

}  // namespace tocuda
