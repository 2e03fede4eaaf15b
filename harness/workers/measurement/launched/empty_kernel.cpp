// tocuda, Apache-2.0.
#include "measurement/empty_kernel.hpp"

#include <cstddef>

#include "measurement/launch.hpp"

namespace tocuda {
namespace {

struct Empty {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, unsigned long long* counter) const {
        if (counter) block.add(counter, 1);
    }
};

template <std::size_t bytes>
struct Arguments {
    unsigned long long* counter = nullptr;
    std::array<std::byte, bytes - 3 * sizeof(void*)> between{};  // the kernel itself counts as one
    unsigned long long last = 0;
};

struct WithArguments {
    static constexpr bool has_barrier = false;

    template <class Block, class Given>
    constexpr void operator()(Block& block, const Given& given) const {
        if (given.counter) block.add(given.counter, given.last);
    }
};

// On a GPU the runtime gets their address, so that the call copies them and nothing else does.
template <std::size_t bytes>
void launch_with(const Stream& stream, const Arguments<bytes>& given) {
    if constexpr (launches_on_gpu) {
        static_assert(!WithArguments::has_barrier);
        WithArguments kernel;
        void* each[] = {&kernel, const_cast<Arguments<bytes>*>(&given)};
        const auto* function = function_of<WithArguments, Arguments<bytes>>();
        require("launch", cudaLaunchKernel(function, dim3{1, 1, 1}, dim3{1, 1, 1}, each, 0, stream.get()));
    } else {
        launch(stream, Grid{}, WithArguments{}, given);
    }
}

template <std::size_t bytes>
void launch_empty_with(const Stream& stream, unsigned long long* counter) {
    static constexpr Arguments<bytes> nothing{};
    if (!counter) return launch_with(stream, nothing);
    launch_with(stream, Arguments<bytes>{.counter = counter, .last = 1});
}

}  // namespace

LaunchEmpty launcher_with(std::int64_t bytes) {
    if (bytes == argument_bytes[1]) return launch_empty_with<argument_bytes[1]>;
    if (bytes == argument_bytes[2]) return launch_empty_with<argument_bytes[2]>;
    if (bytes == argument_bytes[3]) return launch_empty_with<argument_bytes[3]>;
    return [](const Stream& stream, unsigned long long* counter) { launch_empty(stream, counter); };
}

void launch_empty(const Stream& stream, unsigned long long* counter, unsigned blocks) {
    launch(stream, Grid{.blocks = blocks}, Empty{}, counter);
}

const void* empty_kernel() { return function_of<Empty, unsigned long long*>(); }

}  // namespace tocuda
