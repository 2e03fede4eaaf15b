// tocuda, Apache-2.0.
// Uses a CUDA stream as the relay's engine; an event after each chunk shows when its buffer is free again.
#include "benchmarks/copy/staged_copier.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "benchmarks/copy/passage.hpp"
#include "benchmarks/copy/streaming_copy.hpp"
#include "measurement/chosen_variant.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/host_time.hpp"

namespace tocuda {
namespace {

// Keeps the buffers in the caches: the engine reads them from there, and the next chunk overwrites them.
void plain_copy(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace

class StagedCopier::CudaEngine final : public CopyEngine {
public:
    CudaEngine(std::size_t buffers, std::size_t buffer_bytes)
        : memory(pinned_memory(buffers * buffer_bytes, cudaHostAllocDefault)), each(buffer_bytes) {
        for (std::size_t i = 0; i < buffers; ++i) markers.emplace_back(cudaEventDisableTiming);
    }

    std::byte* buffer(std::size_t number) const { return memory.get() + number * each; }
    const Stream& queue() const { return stream; }
    void aim_at(std::byte* far_side, Direction way) {
        device = far_side;
        direction = way;
    }

    void start(std::size_t number, std::size_t place, std::size_t bytes) override {
        if (direction == Direction::host_to_device)
            copy_async(device + place, buffer(number), bytes, direction, stream);
        else copy_async(buffer(number), device + place, bytes, direction, stream);
        markers[number].record(stream);
    }
    void wait(std::size_t number) override { markers[number].synchronize(); }
    void drain() noexcept override { cudaStreamSynchronize(stream.get()); }

private:
    HostMemory memory;
    std::size_t each;
    std::byte* device = nullptr;
    Direction direction = Direction::host_to_device;
    Stream stream{};
    std::vector<Event> markers{};
};

StagedShape chosen_shape(Direction direction, const Parameters& set) {
    const auto* operation = direction == Direction::host_to_device ? "staged_to_gpu" : "staged_to_host";
    auto all = parameters_of(chosen_variant(operation, gpu_facts().compute_capability));
    for (auto& [name, value] : all)
        if (const auto said = set.find(name);
            said != set.end() && said->second != Value(0) && said->second != Value("chosen"))
            value = said->second;
    const auto amount = [&](const char* name) { return static_cast<std::size_t>(whole(all, name)); };
    return {.threads = amount("threads"),
            .chunk_bytes = amount("chunk"),
            .buffers = amount("ring"),
            .waiting = text(all, "wait") == "pause" ? RelayWait::pausing : RelayWait::yielding};
}

StagedCopier::StagedCopier(const StagedShape& shape) : how(shape) {
    if (how.threads == 0) how.threads = chosen_threads(most_threads);
    const int device = current_device();
    crew = std::make_unique<Crew>(static_cast<unsigned>(how.threads),
                                  [device] { require("cudaSetDevice", cudaSetDevice(device)); });
    engine = std::make_unique<CudaEngine>(how.buffers, how.chunk_bytes == 0 ? most_chunk : how.chunk_bytes);
    std::vector<std::byte*> buffers;
    for (std::size_t i = 0; i < how.buffers; ++i) buffers.push_back(engine->buffer(i));
    relay = std::make_unique<Relay>(*crew, *engine, buffers, how.waiting);
    relay_of_one = std::make_unique<Relay>(alone, *engine, buffers);
}

StagedCopier::~StagedCopier() = default;

std::size_t StagedCopier::threads() const { return crew->size(); }

void StagedCopier::copy(std::byte* to, const std::byte* from, std::size_t bytes, Direction direction) {
    if (!stages(bytes)) {
        copy_async(to, from, bytes, direction, engine->queue());
        return engine->queue().synchronize();
    }
    const auto cut = cut_for(bytes, crew->size(), how.chunk_bytes);
    // A virtual clock advanced by several threads would depend on their order.
    auto& by = only_the_clock_counts() ? *relay_of_one : *relay;
    if (direction == Direction::host_to_device) {
        engine->aim_at(to, direction);
        by.send({from, bytes}, cut, as_one_of(crew->size(), plain_copy));
    } else {
        engine->aim_at(const_cast<std::byte*>(from), direction);
        by.fetch({to, bytes}, cut, as_one_of(crew->size(), streaming_copy));
    }
}

void StagedCopier::send(std::byte* to, std::span<const std::byte> from, const CopyPart& fill, std::size_t part_bytes) {
    engine->aim_at(to, Direction::host_to_device);
    relay->send(from, cut_of(from.size(), part_bytes), fill);
}

void StagedCopier::fetch(std::span<std::byte> to, const std::byte* from, const CopyPart& empty,
                         std::size_t part_bytes) {
    engine->aim_at(const_cast<std::byte*>(from), Direction::device_to_host);
    relay->fetch(to, cut_of(to.size(), part_bytes), empty);
}

Cut StagedCopier::cut_of(std::size_t bytes, std::size_t part_bytes) const {
    const auto cut = cut_for(bytes, crew->size(), how.chunk_bytes);
    return part_bytes == 0 ? cut : Cut{.chunk_bytes = std::max(cut.chunk_bytes, part_bytes), .part_bytes = part_bytes};
}

}  // namespace tocuda
