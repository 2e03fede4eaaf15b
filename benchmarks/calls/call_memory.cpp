// tocuda, Apache-2.0.
// What it costs to copy one byte, and to ask what kind of memory an address belongs to, by the kind of memory.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include "benchmarks/calls/calls.hpp"
#include "benchmarks/copy/managed_memory.hpp"
#include "measurement/gpu/driver_function.hpp"
#include "measurement/gpu/host_memory.hpp"

namespace tocuda::benchmarks::call_memory {
namespace {

constexpr std::size_t bytes = 4096;

struct Memories {
    Stream stream{};
    DeviceMemory device{bytes};
    HostMemory pinned = pinned_memory(bytes, cudaHostAllocDefault);
    HostMemory pageable = pageable_memory(bytes);
    std::unique_ptr<ManagedMemory> managed =
        why_no_managed_pages().empty() ? std::make_unique<ManagedMemory>(bytes) : nullptr;
};

TimedCall copy_of(const std::shared_ptr<Memories>& on, const Parameters& set) {
    auto* const host = text(set, "memory") == "pinned" ? on->pinned.get() : on->pageable.get();
    auto* const device = on->device.get();
    const bool up = text(set, "to") == "gpu";
    const bool completed = text(set, "what") == "completion";
    const auto once = [on, to = up ? device : host, from = up ? host : device, up] {
        require("cudaMemcpyAsync",
                cudaMemcpyAsync(to, from, 1, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, on->stream.get()));
    };
    TimedCall timed{.compared = "the byte that arrives, and the one behind it", .waiting = cudaDeviceScheduleSpin};
    timed.before = [on] { on->stream.synchronize(); };
    timed.call = [on, once, completed] {
        once();
        if (completed) on->stream.synchronize();
    };
    timed.differs = [on, once, host, device, up]() -> std::string {
        constexpr std::array source{std::byte{0x5A}, std::byte{0x5B}};
        constexpr std::array target{std::byte{0xC3}, std::byte{0xC4}};
        std::array<std::byte, 2> found{};
        std::copy(up ? source.begin() : target.begin(), up ? source.end() : target.end(), host);
        upload(device, up ? target : source, on->stream);
        once();
        on->stream.synchronize();
        if (up) download(found, device, on->stream);
        else std::copy(host, host + 2, found.begin());
        if (found[0] != source[0]) return "the byte did not arrive";
        return found[1] == target[1] ? "" : "the byte behind it was overwritten";
    };
    return timed;
}

const RegisteredCall copied{
    {.name = "copy_one_byte",
     .summary = "copy one byte between host and GPU: the call alone, or until a spinning thread sees its end",
     .parameters = {{"memory", {}}, {"to", {"gpu"}}, {"what", {"completion"}}},
     .quick = {{"memory", {}}},
     .full = {{"memory", {"pinned", "pageable"}}, {"to", {"gpu", "host"}}, {"what", {"submit", "completion"}}},
     .role = {.sheet = {{.order = 330,
                         .section = "call",
                         .words = "copy one byte to the GPU, pinned",
                         .having = "memory=pinned to=gpu what=completion",
                         .time = true}},
              .characterise = {"to=gpu"}}},
    []() -> CallOf { return [on = std::make_shared<Memories>()](const Parameters& set) { return copy_of(on, set); }; }};

// The driver knows nothing of pageable memory, and says of managed memory where it is.
TimedCall question_to_the_driver(const std::shared_ptr<Memories>& on, const std::byte* address, cudaMemoryType type) {
    using Ask = CUresult(void*, CUpointer_attribute, CUdeviceptr);
    auto* const ask = driver_function<Ask>("cuPointerGetAttribute", 4000);
    if (!ask) throw CudaError("cuPointerGetAttribute", cudaErrorNotSupported);
    const auto asked = [on, ask, address] {
        unsigned found = 0;
        const auto answer = ask(&found, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                static_cast<CUdeviceptr>(std::bit_cast<std::uintptr_t>(address)));
        return answer == CUDA_SUCCESS ? found : 0;
    };
    return {.call = [asked] { asked(); },
            .differs = [asked, type]() -> std::string {
                const auto found = asked();
                const bool right = type == cudaMemoryTypeUnregistered ? found == 0
                                   : type == cudaMemoryTypeHost       ? found == CU_MEMORYTYPE_HOST
                                   : type == cudaMemoryTypeDevice     ? found == CU_MEMORYTYPE_DEVICE
                                                                      : found != 0;
                return right ? "" : "another kind of memory was reported";
            },
            .compared = "the kind of memory that is reported"};
}

TimedCall question_of(const std::shared_ptr<Memories>& on, const Parameters& set) {
    const std::map<std::string, std::pair<const std::byte*, cudaMemoryType>> known{
        {"device", {on->device.get(), cudaMemoryTypeDevice}},
        {"pinned", {on->pinned.get(), cudaMemoryTypeHost}},
        {"pageable", {on->pageable.get(), cudaMemoryTypeUnregistered}},
        {"managed", {on->managed ? on->managed->get() : nullptr, cudaMemoryTypeManaged}}};
    const auto [address, expected] = known.at(text(set, "memory"));
    if (text(set, "by") == "driver") return question_to_the_driver(on, address, expected);
    const auto asked = [on, address = address] {
        cudaPointerAttributes found{};
        require("cudaPointerGetAttributes", cudaPointerGetAttributes(&found, address));
        return found.type;
    };
    return {
        .call = [asked] { asked(); },
        .differs = [asked,
                    expected = expected] { return asked() == expected ? "" : "another kind of memory was reported"; },
        .compared = "the kind of memory that is reported"};
}

const RegisteredCall asked{
    {.name = "pointer_attributes",
     .summary = "ask the runtime, or the driver, what kind of memory an address belongs to",
     .parameters = {{"memory", {}}, {"by", {"runtime"}}},
     .quick = {{"memory", {}}},
     .full = {{"memory", {"device", "pinned", "pageable", "managed"}}, {"by", {"runtime", "driver"}}},
     .role = {.characterise = {"memory=device"}}},
    []() -> CallOf {
        return [on = std::make_shared<Memories>()](const Parameters& set) { return question_of(on, set); };
    }};

}  // namespace
}  // namespace tocuda::benchmarks::call_memory
