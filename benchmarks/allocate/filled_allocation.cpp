// tocuda, Apache-2.0.
// Memory that has no pages until something is written to it: managed memory, and what malloc returns. Allocated alone,
// or filled as well.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "benchmarks/allocate/allocation_bench.hpp"
#include "benchmarks/copy/managed_memory.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "model/parameter_values.hpp"

namespace tocuda::benchmarks::filled_allocation {
namespace {

constexpr int filling = std::to_integer<int>(Guarded::guard);

std::string not_filled(bool is) { return is ? "" : "the allocation does not hold what it was filled with"; }

void fill_by_the_gpu(std::byte* memory, std::size_t bytes, const Stream& stream) {
    require("cudaMemsetAsync", cudaMemsetAsync(memory, filling, bytes, stream.get()));
    stream.synchronize();
}

void fill_by_the_host(std::byte* memory, std::size_t bytes) {
    const auto fill = [](std::byte* to, const std::byte*, std::size_t size) { std::memset(to, filling, size); };
    as_one_of(1, fill)(memory, memory, bytes);
    host_touched(memory, bytes);
}

Allocator managed(const std::string& filled) {
    const auto stream = std::make_shared<Stream>();
    return {.take =
                [stream, filled](std::size_t bytes) {
                    void* fresh = nullptr;
                    require("cudaMallocManaged", cudaMallocManaged(&fresh, bytes, cudaMemAttachGlobal));
                    auto* const memory = static_cast<std::byte*>(fresh);
                    if (filled == "by_gpu") fill_by_the_gpu(memory, bytes, *stream);
                    if (filled == "by_host") fill_by_the_host(memory, bytes);
                    return memory;
                },
            .give_back = [](std::byte* memory, std::size_t) { require("cudaFree", cudaFree(memory)); },
            .what_is_wrong =
                [stream, filled](std::byte* memory, std::size_t bytes) {
                    const bool held = filled == "no" || !first_unlike(*stream, {memory, bytes}, Guarded::guard);
                    return held ? wrong_for_the_gpu(memory, bytes, *stream) : not_filled(held);
                }};
}

Allocator by_malloc(const std::string& filled) {
    return {.take =
                [filled](std::size_t bytes) {
                    void* fresh = nullptr;
                    in_real_time([&] { fresh = std::malloc(bytes); });
                    if (!fresh) throw std::runtime_error("malloc has no " + std::to_string(bytes) + " bytes");
                    auto* const memory = static_cast<std::byte*>(fresh);
                    if (filled == "by_host") fill_by_the_host(memory, bytes);
                    return memory;
                },
            .give_back = [](std::byte* memory, std::size_t) { in_real_time([&] { std::free(memory); }); },
            .what_is_wrong =
                [filled](std::byte* memory, std::size_t bytes) {
                    const bool held = filled == "no" || std::all_of(memory, memory + bytes, [](std::byte found) {
                                          return found == Guarded::guard;
                                      });
                    return held ? wrong_for_the_cpu(memory, bytes) : not_filled(held);
                }};
}

struct Kind {
    Values filled;
    Needed needed;
    Allocator (*allocator)(const std::string& filled);
    std::string (*why_none)();
    std::int64_t most_bytes;
};

class Filled final : public Bench {
public:
    explicit Filled(Kind allocators) : kind(std::move(allocators)), unsupported(kind.why_none()) {
        for (const auto& filled : kind.filled)
            each.try_emplace(plain(filled), kind.needed, kind.allocator(plain(filled)));
    }
    std::string why_skipped(const Parameters& set) const override {
        if (!unsupported.empty()) return unsupported;
        if (whole(set, "bytes") > kind.most_bytes)
            return "at most " + std::to_string(kind.most_bytes) + " bytes are supported";
        return each.at(text(set, "filled")).why_skipped(set);
    }
    Trial trial(const Parameters& set) override { return each.at(text(set, "filled")).trial(set); }

private:
    const Kind kind;
    const std::string unsupported;
    std::map<std::string, Allocating> each{};
};

Measurable measured(const std::string& what, const std::string& summary, const std::string& how, const Kind& kind) {
    auto benchmark = described_allocation(what, summary + ", and free it; as it is, or filled as well", {"take"});
    benchmark.how = how;
    benchmark.parameters["filled"] = kind.filled;
    benchmark.parameters["bytes"] = {};
    benchmark.full["bytes"] = {mib, 64 * mib, gib};
    return {.benchmark = std::move(benchmark),
            .set_up = [kind](const std::vector<Parameters>&) { return std::make_unique<Filled>(kind); }};
}

const RegisteredBenchmark of_managed{
    measured("managed", "allocate managed memory",
             "the host's clock around cudaMallocManaged, where filled=by_gpu with cudaMemset and a wait for it, where "
             "filled=by_host with the memset of the host; what is not filled has no pages yet",
             {.filled = {"no", "by_gpu", "by_host"},
              .needed = [](const Parameters& set) -> Room { return {bytes_of(set), bytes_of(set)}; },
              .allocator = managed,
              .why_none = why_no_managed_memory,
              .most_bytes = most_managed})};
const RegisteredBenchmark of_malloc{
    measured("host", "allocate host memory with malloc",
             "the host's clock around malloc, where filled=by_host with the memset that makes the system find pages. "
             "The C library may return what it has kept of a block that was freed, pages and all: glibc does so up to "
             "32 MiB. Reading the clock is part of each sample",
             {.filled = {"no", "by_host"},
              .needed = [](const Parameters& set) -> Room { return {.host_bytes = bytes_of(set)}; },
              .allocator = by_malloc,
              .why_none = [] { return std::string{}; },
              .most_bytes = std::numeric_limits<std::int64_t>::max()})};

}  // namespace
}  // namespace tocuda::benchmarks::filled_allocation
