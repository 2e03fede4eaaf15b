// tocuda, Apache-2.0.
// The driver's virtual memory: physical memory charged to a device's budget and mapped at reserved addresses.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "runtime/answer.hpp"

namespace tocuda::simulator {

struct Physical {
    int device = 0;
    std::size_t bytes = 0;
    CUmemAllocationProp properties{};
    int owners = 1;  // handles not yet released
    bool mapped = false;
};

class VirtualMemory {
public:
    static VirtualMemory& here();

    Physical* create(Device& device, const CUmemAllocationProp& properties, std::size_t bytes);  // null: out of memory
    Physical* find(CUmemGenericAllocationHandle handle);
    Physical* mapped_at(std::uintptr_t address);
    void release(Simulation& simulation, Physical& physical);

    bool map(Physical& physical, std::uintptr_t address);
    // All mappings in the range: false if it has a hole.
    bool open(Simulation& simulation, std::uintptr_t address, std::size_t bytes);
    bool unmap(Simulation& simulation, std::uintptr_t address, std::size_t bytes);

private:
    void drop_if_unused(Simulation& simulation, Physical& physical);

    std::unordered_map<CUmemGenericAllocationHandle, std::unique_ptr<Physical>> physical_;
    std::map<std::uintptr_t, Physical*> mappings_;
};

}  // namespace tocuda::simulator
