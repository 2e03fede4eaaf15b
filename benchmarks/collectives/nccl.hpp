// tocuda, Apache-2.0.
// The part of NCCL's interface that is measured, loaded if there is a library. Its numbers are part of its binary
// interface since version 2.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tocuda {

class Nccl {
public:
    static constexpr const char* usual_name = "libnccl.so.2";
    using Communicator = void*;
    enum class Type { float32 = 7, bfloat16 = 9 };

    // Opens the library once for a process: that of LibTorch's distribution or the system's.
    static const Nccl& here();
    // What is needed and what was found; empty if there is a library.
    const std::string& why_not() const { return reason; }
    std::string version() const;  // "2.29.7"
    // Throws std::runtime_error with the library's words if a call has failed.
    void require(const char* call, int result) const;

    struct Functions {
        int (*version)(int*) = nullptr;
        const char* (*in_words)(int result) = nullptr;
        int (*init_all)(Communicator*, int count, const int* gpus) = nullptr;
        int (*destroy)(Communicator) = nullptr;
        int (*begin_group)() = nullptr;
        int (*end_group)() = nullptr;
        int (*all_reduce)(const void*, void*, std::size_t, int type, int sum, Communicator, cudaStream_t) = nullptr;
        int (*reduce)(const void*, void*, std::size_t, int type, int sum, int root, Communicator,
                      cudaStream_t) = nullptr;
        int (*reduce_scatter)(const void*, void*, std::size_t, int type, int sum, Communicator, cudaStream_t) = nullptr;
        int (*all_gather)(const void*, void*, std::size_t, int type, Communicator, cudaStream_t) = nullptr;
        int (*broadcast)(const void*, void*, std::size_t, int type, int root, Communicator, cudaStream_t) = nullptr;
        int (*send)(const void*, std::size_t, int type, int peer, Communicator, cudaStream_t) = nullptr;
        int (*receive)(void*, std::size_t, int type, int peer, Communicator, cudaStream_t) = nullptr;
    };
    Functions call{};

private:
    Nccl() : reason(opened()) {}
    std::string opened();
    std::string reason{};
};

// One rank for each of the first GPUs of this process, in one thread.
class Communicators {
public:
    explicit Communicators(int gpus);
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;
    ~Communicators();
    Nccl::Communicator of(std::size_t rank) const { return all[rank]; }
    // Calls it with each rank; what it calls begins together.
    void each(const std::function<void(std::size_t rank)>& queue) const;

private:
    const Nccl& library = Nccl::here();
    std::vector<Nccl::Communicator> all;
};

}  // namespace tocuda
