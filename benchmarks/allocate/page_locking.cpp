// tocuda, Apache-2.0.
// Measures what page-locked memory costs by size: allocated as such, or locked in place.
#include <memory>
#include <optional>

#include "benchmarks/allocate/allocation.hpp"
#include "measurement/cuda_error.hpp"
#include "measurement/gpu/host_memory.hpp"

namespace tocuda::benchmarks::page_locking {
namespace {

Room on_the_host(const Parameters& set) { return {.host_bytes = bytes_of(set)}; }

Allocator pinned(const std::shared_ptr<Stream>& stream) {
    return {.take =
                [](std::size_t bytes) {
                    void* fresh = nullptr;
                    require("cudaHostAlloc", cudaHostAlloc(&fresh, bytes, cudaHostAllocDefault));
                    return static_cast<std::byte*>(fresh);
                },
            .give_back = [](std::byte* memory, std::size_t) { require("cudaFreeHost", cudaFreeHost(memory)); },
            .what_is_wrong = [stream](std::byte* memory,
                                      std::size_t bytes) { return wrong_between_cpu_and_gpu(memory, bytes, *stream); }};
}

// Either the same touched pages each time, or untouched pages each time.
class Pages {
public:
    explicit Pages(bool renewed) : fresh(renewed) {}

    void make_ready(std::size_t bytes) {
        if (!memory || most < bytes) {
            memory.reset();
            memory.emplace(pageable_memory(bytes));
            most = bytes;
            touched = 0;
        }
        if (fresh) return renew_pages(memory->get(), bytes);
        for (; touched < bytes; touched += page) memory->get()[touched] = std::byte{1};
    }
    std::byte* get() const { return memory->get(); }

private:
    static constexpr std::size_t page = 4096;
    bool fresh;
    std::optional<HostMemory> memory{};
    std::size_t most = 0;
    std::size_t touched = 0;
};

Allocator registered(const std::shared_ptr<Stream>& stream, bool fresh) {
    const auto pages = std::make_shared<Pages>(fresh);
    return {
        .take =
            [pages](std::size_t bytes) {
                require("cudaHostRegister", cudaHostRegister(pages->get(), bytes, cudaHostRegisterDefault));
                return pages->get();
            },
        .give_back = [](std::byte* memory, std::size_t) { require("cudaHostUnregister", cudaHostUnregister(memory)); },
        .before_taking = [pages](std::size_t bytes) { pages->make_ready(bytes); },
        .what_is_wrong = [stream](std::byte* memory,
                                  std::size_t bytes) { return wrong_between_cpu_and_gpu(memory, bytes, *stream); }};
}

class Registering final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        const auto why = why_not_among(set, "pages", {"touched", "fresh"});
        return why.empty() ? of(set).why_skipped(set) : why;
    }
    Trial trial(const Parameters& set) override { return of(set).trial(set); }

private:
    Allocating& of(const Parameters& set) const { return text(set, "pages") == "fresh" ? *fresh : *touched; }
    const std::shared_ptr<Stream> stream = std::make_shared<Stream>();
    const std::unique_ptr<Allocating> touched = std::make_unique<Allocating>(on_the_host, registered(stream, false));
    const std::unique_ptr<Allocating> fresh = std::make_unique<Allocating>(on_the_host, registered(stream, true));
};

Benchmark register_benchmark() {
    auto benchmark = described_allocation("register", "page-lock existing memory, and unlock it", {"take"});
    benchmark.role = {.sheet = {{.order = 360,
                                 .section = "call",
                                 .words = "page-lock touched memory",
                                 .having = "step=take pages=touched",
                                 .time = true}},
                      .characterise = {"bytes=64MiB pages=touched"}};
    benchmark.parameters["pages"] = {"touched", "fresh"};
    benchmark.parameters["bytes"] = {};
    return benchmark;
}

const RegisteredBenchmark taken{{
    .benchmark = described_allocation("pinned", "allocate page-locked memory, and free it", {"take", "give_back"}),
    .set_up =
        [](const std::vector<Parameters>&) {
            return std::make_unique<Allocating>(on_the_host, pinned(std::make_shared<Stream>()));
        },
}};
const RegisteredBenchmark locked{{
    .benchmark = register_benchmark(),
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Registering>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::page_locking
