// tocuda, Apache-2.0.
// The CUDA runtime that came into this process with LibTorch, asked directly, and where the libraries around it were found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tocuda {

std::optional<int> runtime_version();                       // 13000
int built_runtime_version();                                // of the CUDA that LibTorch was built with; 0 where it does not say
std::optional<std::string> compute_capability(int device);  // "9.0"
std::vector<std::string> built_architectures();             // "sm_75", ..., as LibTorch's own configuration names them

// Memory of a GPU that LibTorch knows nothing of, as another process would hold it; returned at its end.
class ForeignMemory {
public:
    ForeignMemory(int device, std::int64_t bytes);
    ~ForeignMemory();
    ForeignMemory(const ForeignMemory&) = delete;
    ForeignMemory& operator=(const ForeignMemory&) = delete;

    bool held() const { return memory != nullptr; }

private:
    void* memory = nullptr;
};

// Libraries of CUDA mapped in this process, by file name, each with its place: "with LibTorch", "stand-in", "driver" (the driver's own, which
// comes with no toolkit) or "elsewhere". No paths: evidence is read on other machines.
std::vector<std::pair<std::string, std::string>> cuda_libraries();
std::string place_of(const std::string& library);  // by the opening of its file name; "" where it is not mapped
bool is_mapped(const std::string& library);        // any library, likewise

}  // namespace tocuda
