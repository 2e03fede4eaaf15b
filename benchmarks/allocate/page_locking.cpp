// tocuda, Apache-2.0.
// Measures what page-locked memory costs by size: allocated as such, or locked in place.
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/allocate/allocation_bench.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "model/parameter_values.hpp"

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

// A file in memory that is mapped, as programs share memory.
HostMemory shared_mapping(std::size_t bytes) {
    const int file = ::memfd_create("tocuda", MFD_CLOEXEC);
    const bool sized = file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
    void* const mapped = sized ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0) ::close(file);
    if (mapped == MAP_FAILED) throw CudaError("mmap of " + std::to_string(bytes) + " bytes", cudaErrorMemoryAllocation);
    return {static_cast<std::byte*>(mapped), [bytes](std::byte* memory) { ::munmap(memory, bytes); }};
}

// Either the same touched pages each time, of the process alone or of a mapping, or untouched pages each time.
class Pages {
public:
    explicit Pages(const std::string& kind) : fresh(kind == "fresh"), shared(kind == "shared") {}

    void make_ready(std::size_t bytes) {
        if (!memory || most < bytes) {
            memory.reset();
            memory.emplace(shared ? shared_mapping(bytes) : pageable_memory(bytes));
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
    bool shared;
    std::optional<HostMemory> memory{};
    std::size_t most = 0;
    std::size_t touched = 0;
};

Allocator registered(const std::shared_ptr<Stream>& stream, const std::string& kind) {
    const auto pages = std::make_shared<Pages>(kind);
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

const Values kinds_of_pages{"touched", "fresh", "shared"};

class Registering final : public Bench {
public:
    Registering() {
        const auto stream = std::make_shared<Stream>();
        for (const auto& kind : kinds_of_pages)
            kinds[plain(kind)] = std::make_unique<Allocating>(on_the_host, registered(stream, plain(kind)));
    }

    std::string why_skipped(const Parameters& set) const override {
        return kinds.at(text(set, "pages"))->why_skipped(set);
    }
    Trial trial(const Parameters& set) override { return kinds.at(text(set, "pages"))->trial(set); }

private:
    std::map<std::string, std::unique_ptr<Allocating>> kinds{};
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
    benchmark.full["pages"] = kinds_of_pages;
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
