// tocuda, Apache-2.0.
#include "benchmarks/collectives/nccl.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

#include "measurement/host_time.hpp"

namespace tocuda {
namespace {

// An installed worker is told where LibTorch is; one in a build folder knows where NCCL is. The simulated library
// precedes all others on the path.
void* opened_library() {
    const char* torch = std::getenv("TOCUDA_TORCH");
    void* library = nullptr;
    if (torch && !gpus_are_simulated())
        library = dlopen((std::string(torch) + "/../nvidia/nccl/lib/" + Nccl::usual_name).c_str(), RTLD_NOW);
    return library ? library : dlopen(Nccl::usual_name, RTLD_NOW);
}

template <class Function>
bool look_up(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function;
}

}  // namespace

const Nccl& Nccl::here() {
    static const Nccl only;
    return only;
}

// It stays open, because its threads may outlive every use of it.
std::string Nccl::opened() {
    void* const library = opened_library();
    if (!library) return std::string("NCCL is needed; ") + usual_name + " was not found on this machine";
    const bool whole =
        look_up(library, "ncclGetVersion", call.version) && look_up(library, "ncclGetErrorString", call.in_words) &&
        look_up(library, "ncclCommInitAll", call.init_all) && look_up(library, "ncclCommDestroy", call.destroy) &&
        look_up(library, "ncclGroupStart", call.begin_group) && look_up(library, "ncclGroupEnd", call.end_group) &&
        look_up(library, "ncclAllReduce", call.all_reduce) && look_up(library, "ncclReduce", call.reduce) &&
        look_up(library, "ncclReduceScatter", call.reduce_scatter) &&
        look_up(library, "ncclAllGather", call.all_gather) && look_up(library, "ncclBroadcast", call.broadcast) &&
        look_up(library, "ncclSend", call.send) && look_up(library, "ncclRecv", call.receive);
    return whole ? "" : std::string("NCCL is needed; ") + usual_name + " lacks some of its functions";
}

std::string Nccl::version() const {
    int number = 0;
    require("ncclGetVersion", call.version(&number));
    const int major = number / 10'000, minor = number / 100 % 100, patch = number % 100;
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

void Nccl::require(const char* function, int result) const {
    if (result != 0) throw std::runtime_error(std::string(function) + ": " + call.in_words(result));
}

Communicators::Communicators(int gpus) : all(static_cast<std::size_t>(gpus)) {
    library.require("ncclCommInitAll", library.call.init_all(all.data(), gpus, nullptr));
}

Communicators::~Communicators() {
    for (auto* const each : all) library.call.destroy(each);
}

void Communicators::each(const std::function<void(std::size_t rank)>& queue) const {
    library.require("ncclGroupStart", library.call.begin_group());
    for (std::size_t rank = 0; rank < all.size(); ++rank) queue(rank);
    library.require("ncclGroupEnd", library.call.end_group());
}

}  // namespace tocuda
