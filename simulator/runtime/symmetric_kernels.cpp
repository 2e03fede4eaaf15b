// tocuda, Apache-2.0.
#include "runtime/symmetric_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/kernel_launch.hpp"

namespace tocuda::simulator {
namespace {

using Stage = std::function<bool()>;  // false: has to wait
using What = SymmetricKernel::What;

struct BFloat16 {
    std::uint16_t bits = 0;
};
float as_float(float value) { return value; }
float as_float(BFloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }
void store(float& to, float value) { to = value; }
void store(BFloat16& to, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    to.bits = value != value ? 0x7fff : static_cast<std::uint16_t>(rounded >> 16);
}

// What the kernels are given, in the order of their arguments.
class Reader {
public:
    explicit Reader(const Arguments& arguments) : base(arguments.pointers()) {}
    template <typename Value>
    Reader& operator>>(Value& to) {
        std::memcpy(&to, *base++, sizeof to);
        return *this;
    }

private:
    void* const* base;
};

struct Group {
    std::uint32_t** pads = nullptr;
    std::size_t rank = 0;
    std::size_t ranks = 0;
    std::atomic_ref<std::uint32_t> flag(std::size_t of, std::size_t channel, std::size_t from) const {
        return std::atomic_ref(pads[of][channel * ranks + from]);
    }
};

// Sets a flag once it is not set, or takes it back once it is.
bool turn(std::atomic_ref<std::uint32_t> flag, std::uint32_t to) {
    std::uint32_t before = 1 - to;
    return flag.compare_exchange_strong(before, to);
}

// Each rank tells every other one that it is here. With one flag for each pair, because all ranks are simulated: on a
// GPU each block has its own.
Stage meet_all(const Group& group, std::size_t channel) {
    return [group, channel, sent = std::vector<bool>(group.ranks), met = std::vector<bool>(group.ranks)]() mutable {
        sent[group.rank] = met[group.rank] = true;
        for (std::size_t other = 0; other < group.ranks; ++other) {
            if (!sent[other]) sent[other] = turn(group.flag(other, channel, group.rank), 1);
            if (sent[other] && !met[other]) met[other] = turn(group.flag(group.rank, channel, other), 0);
        }
        return std::ranges::find(met, false) == met.end();
    };
}

// A GPU's kernel prints that and ends with a trap.
Stage with_deadline(Simulation& simulation, const char* what, std::size_t rank, std::size_t milliseconds, Stage stage) {
    using Clock = std::chrono::steady_clock;
    if (milliseconds == 0) return stage;
    return [&simulation, what, rank, milliseconds, stage, end = std::optional<Clock::time_point>()]() mutable {
        if (stage()) return true;
        if (!end) end = Clock::now() + std::chrono::milliseconds(milliseconds);
        if (Clock::now() < *end) return false;
        std::fprintf(stderr, "[FATAL] SymmetricMemory::%s: rank %zu waited in vain for %zu milliseconds\n", what, rank,
                     milliseconds);
        simulation.faults.end_context(cudaErrorLaunchFailure);
        return true;
    };
}

// Sums of what all ranks have, and where they go.
template <typename Value>
struct Sum {
    Simulation& simulation;
    Group group;
    Value** inputs = nullptr;  // of each rank
    std::size_t offset = 0;
    std::size_t count = 0;

    Value* input(std::size_t rank) const { return inputs[rank] + offset; }
    void note_written(Value* to, std::size_t values) const {
        const auto address = reinterpret_cast<std::uintptr_t>(to);
        const std::size_t bytes = values * sizeof(Value);
        const Allocation* found = simulation.memory.around(address);
        if (found && found->space && !found->space->touch(address, bytes))
            simulation.faults.end_context(cudaErrorMemoryAllocation);
        const auto* unset =
            simulation.taint.in(reinterpret_cast<std::uintptr_t>(input(group.rank)), count * sizeof(Value));
        if (unset) simulation.taint.add(address, bytes, std::string(*unset));
        else simulation.taint.clear(address, bytes);
    }
    Value at(std::size_t i) const {
        Value sum = input(0)[i];
        for (std::size_t rank = 1; rank < group.ranks; ++rank) store(sum, as_float(sum) + as_float(input(rank)[i]));
        return sum;
    }
    void write(Value* to, std::size_t first, std::size_t values) const {
        note_written(to, values);
        for (std::size_t i = 0; i < values; ++i) to[i] = at(first + i);
    }
    void copy(Value* to, const Value* from, std::size_t values) const {
        note_written(to, values);
        std::memmove(to, from, values * sizeof(Value));
    }
    // The part of a rank: its first value and their number.
    std::pair<std::size_t, std::size_t> part(std::size_t rank, std::size_t step) const {
        const std::size_t all = (count + step * group.ranks - 1) / (step * group.ranks) * step;
        const std::size_t first = std::min(count, all * rank);
        return {first, std::min(all, count - first)};
    }
};

template <typename Body>
Stage once(Body body) {
    return [body] {
        body();
        return true;
    };
}

template <typename Value>
std::vector<Stage> one_shot(Simulation& simulation, const Arguments& arguments) {
    Sum<Value> sum{simulation, {}};
    Value *output = nullptr, *local = nullptr;
    Reader(arguments) >> sum.inputs >> output >> local >> sum.offset >> sum.count >> sum.group.pads >> sum.group.rank >>
        sum.group.ranks;
    return {once([=] {
                if (local) sum.copy(sum.input(sum.group.rank), local, sum.count);
            }),
            meet_all(sum.group, 0), once([=] { sum.write(output, 0, sum.count); }), meet_all(sum.group, 0)};
}

template <typename Value>
std::vector<Stage> two_shot_in_place(Simulation& simulation, const Arguments& arguments) {
    Sum<Value> sum{simulation, {}};
    Reader(arguments) >> sum.inputs >> sum.offset >> sum.count >> sum.group.pads >> sum.group.rank >> sum.group.ranks;
    const auto add = [=] {
        const auto [first, values] = sum.part(sum.group.rank, 1);
        Value* const mine = sum.input(sum.group.rank) + first;
        sum.write(mine, first, values);
        for (std::size_t rank = 0; rank < sum.group.ranks; ++rank)
            if (rank != sum.group.rank) sum.copy(sum.input(rank) + first, mine, values);
    };
    return {meet_all(sum.group, 0), once(add), meet_all(sum.group, 0)};
}

template <typename Value>
void scatter(const Sum<Value>& sum, Value* output, std::size_t last_dimension) {
    const std::size_t values = sum.count / sum.group.ranks;
    if (last_dimension == 0) return sum.write(output, values * sum.group.rank, values);
    const std::size_t row = last_dimension / sum.group.ranks;
    for (std::size_t i = 0; i * row < values; ++i)
        sum.write(output + i * row, i * last_dimension + row * sum.group.rank, row);
}

template <typename Value>
std::vector<Stage> two_shot(Simulation& simulation, const SymmetricKernel& kernel, const Arguments& arguments) {
    Sum<Value> sum{simulation, {}};
    Value* output = nullptr;
    std::size_t last_dimension = 0;
    Reader(arguments) >> sum.inputs >> output >> sum.offset >> sum.count >> sum.group.pads >> sum.group.rank >>
        sum.group.ranks >> last_dimension;
    if (kernel.scatters) {
        const std::size_t row = kernel.by_last_dimension ? last_dimension : 0;
        return {meet_all(sum.group, 0), once([=] { scatter(sum, output, row); }), meet_all(sum.group, 0)};
    }
    const std::size_t step = kernel.alignment / sizeof(Value);
    const auto add = [=] {
        const auto [first, values] = sum.part(sum.group.rank, step);
        sum.write(sum.input(sum.group.rank) + first, first, values);
    };
    const auto gather = [=] {
        for (std::size_t rank = 0; rank < sum.group.ranks; ++rank) {
            const auto [first, values] = sum.part(rank, step);
            sum.copy(output + first, sum.input(rank) + first, values);
        }
    };
    return {meet_all(sum.group, 0), once(add), meet_all(sum.group, 0), once(gather), meet_all(sum.group, 0)};
}

std::vector<Stage> signals(Simulation& simulation, What what, const Arguments& arguments) {
    Reader reader(arguments);
    Group group;
    int other = 0, channel = 0, rank = 0, ranks = 0;
    std::size_t milliseconds = 0;
    reader >> group.pads;
    if (what != What::barrier) reader >> other;
    reader >> channel >> rank >> ranks >> milliseconds;
    group.rank = static_cast<std::size_t>(rank);
    group.ranks = static_cast<std::size_t>(ranks);
    const auto peer = static_cast<std::size_t>(other), place = static_cast<std::size_t>(channel);
    const auto timed = [&](const char* name, Stage stage) {
        return std::vector{with_deadline(simulation, name, group.rank, milliseconds, std::move(stage))};
    };
    if (what == What::put_signal)
        return timed("put_signal", [=] { return turn(group.flag(peer, place, group.rank), 1); });
    if (what == What::wait_signal)
        return timed("wait_signal", [=] { return turn(group.flag(group.rank, place, peer), 0); });
    return timed("barrier", meet_all(group, place));
}

template <typename Value>
std::vector<Stage> stages_of(Simulation& simulation, const SymmetricKernel& kernel, const Arguments& arguments) {
    switch (kernel.what) {
        case What::one_shot:
            return one_shot<Value>(simulation, arguments);
        case What::two_shot:
            return two_shot<Value>(simulation, kernel, arguments);
        case What::two_shot_in_place:
            return two_shot_in_place<Value>(simulation, arguments);
        default:
            return signals(simulation, kernel.what, arguments);
    }
}

// What a rank reads from the others, and in place writes to them.
double link_seconds(const Device& device, const SymmetricKernel& kernel, const Arguments& arguments) {
    const std::size_t last = kernel.argument_bytes.size() - (kernel.what == What::two_shot ? 2 : 1);
    if (kernel.what < What::one_shot || device.profile.peer_bytes_per_second <= 0) return 0;
    std::size_t ranks = 1, count = 0;
    std::memcpy(&ranks, arguments.pointers()[last], sizeof ranks);
    std::memcpy(&count, arguments.pointers()[last - 3], sizeof count);
    const std::size_t bytes = count * (kernel.in_bfloat16 ? 2 : 4) * (ranks - 1);
    const double share = kernel.what == What::one_shot ? 1 : (kernel.scatters ? 1.0 : 2.0) / static_cast<double>(ranks);
    return share * static_cast<double>(bytes) / static_cast<double>(device.profile.peer_bytes_per_second);
}

constexpr std::size_t eight = 8;

struct Known {
    std::string_view name;   // with its length, as it is mangled
    std::string_view types;  // of its arguments
    SymmetricKernel kernel;
};

const std::vector<Known>& known_kernels() {
    static const auto* const all = new std::vector<Known>{
        {"14barrier_kernel", "EPPjiiim", {What::barrier, {eight, 4, 4, 4, eight}}},
        {"17put_signal_kernel", "EPPjiiiim", {What::put_signal, {eight, 4, 4, 4, 4, eight}}},
        {"18wait_signal_kernel", "EPPjiiiim", {What::wait_signal, {eight, 4, 4, 4, 4, eight}}},
        {"26one_shot_all_reduce_kernelI", "mmPPjmm", {What::one_shot, std::vector(8, eight)}},
        {"26two_shot_all_reduce_kernelI", "mmPPjmmm", {What::two_shot, std::vector(8, eight)}},
        {"34two_shot_all_reduce_kernel_inplaceI", "EEEvPPT_mmPPjmm", {What::two_shot_in_place, std::vector(6, eight)}},
    };
    return *all;
}

// The type, the alignment, the number of ranks if it is a usual one, and what becomes of the sum.
bool read_parameters(std::string_view text, SymmetricKernel& kernel) {
    const std::string_view wide = "f", narrow = "N3c108BFloat16E", number_follows = "Li";
    kernel.in_bfloat16 = text.starts_with(narrow);
    if (!kernel.in_bfloat16 && !text.starts_with(wide)) return false;
    text.remove_prefix((kernel.in_bfloat16 ? narrow : wide).size());
    if (!text.starts_with(number_follows)) return false;
    std::from_chars(text.data() + number_follows.size(), text.data() + text.size(), kernel.alignment);
    kernel.scatters = text.find("ELb1E") != text.npos;
    kernel.by_last_dimension = text.find("ELb1ELb1E") != text.npos;
    return kernel.alignment >= 4;
}

}  // namespace

std::optional<SymmetricKernel> symmetric_kernel(std::string_view name) {
    for (const Known& known : known_kernels()) {
        const auto at = name.find(known.name);
        if (at == name.npos || !name.ends_with(known.types)) continue;
        SymmetricKernel found = known.kernel;
        const bool is_template = known.name.ends_with('I');
        if (is_template && !read_parameters(name.substr(at + known.name.size()), found)) continue;
        return found;
    }
    return std::nullopt;
}

SymmetricLaunch launch_of(Simulation& simulation, const Device& device, const SymmetricKernel& kernel,
                          const std::shared_ptr<const Arguments>& arguments) {
    auto stages =
        std::make_shared<std::vector<Stage>>(kernel.in_bfloat16 ? stages_of<BFloat16>(simulation, kernel, *arguments)
                                                                : stages_of<float>(simulation, kernel, *arguments));
    return {[stages, next = std::size_t{0}]() mutable {
                while (next < stages->size() && (*stages)[next]()) ++next;
                return next == stages->size();
            },
            link_seconds(device, kernel, *arguments)};
}

}  // namespace tocuda::simulator
