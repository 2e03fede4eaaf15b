// tocuda, Apache-2.0.
// Memory of the current GPU that the driver's functions for virtual memory create, map and open one by one. They are
// looked up by name, so that no library of the driver is linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tocuda {

struct VirtualKind {
    std::string handle = "none";  // by which another process can get the memory: file_descriptor, fabric
    bool compressible = false;
};

// Returns what is needed and what the driver said. Empty if it grants such memory.
std::string why_no_virtual_memory(const VirtualKind& kind);

// Each step throws a CudaError that names the driver's function.
class VirtualMemory {
public:
    VirtualMemory(VirtualKind memory_kind, std::size_t least_bytes);  // reserves addresses
    VirtualMemory(const VirtualMemory&) = delete;
    VirtualMemory& operator=(const VirtualMemory&) = delete;
    ~VirtualMemory();

    void create();
    void map();
    void open();       // to the current GPU, for reading and writing
    void take_back();  // whatever has been done so far
    void make() {
        create();
        map();
        open();
    }
    std::byte* at() const;
    std::uint64_t handle() const { return physical.value(); }  // once created

private:
    const VirtualKind kind;
    const int device;
    const std::size_t bytes;  // whole granules
    std::uint64_t address = 0;
    std::optional<std::uint64_t> physical{};
    bool mapped = false;
};

}  // namespace tocuda
