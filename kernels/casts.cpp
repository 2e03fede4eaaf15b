// tocuda, Apache-2.0.
#include "kernels/casts.hpp"

#include "kernels/cast.hpp"
#include "measurement/launch.hpp"

namespace tocuda {

void launch_cast(const Stream& stream, Numbers types, std::byte* to, const std::byte* from, std::size_t count,
                 unsigned most_blocks) {
    const auto one = [&]<class Types>(Types) {
        using Kernel = Cast<typename Types::From, typename Types::To>;
        if (count != 0)
            launch(stream, Kernel::grid(count, most_blocks), Kernel{}, reinterpret_cast<typename Types::To*>(to),
                   reinterpret_cast<const typename Types::From*>(from), count);
    };
    if (!for_cast(types.from, types.to, one))
        throw std::invalid_argument("no cast from " + std::string(word(types.from)) + " to " +
                                    std::string(word(types.to)));
}

}  // namespace tocuda
