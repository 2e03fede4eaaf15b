// tocuda, Apache-2.0.
#include "process/pipes.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace tocuda {
namespace {

constexpr int first_own_number = 10;

int checked(int result, const char* what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

Descriptor out_of_the_way(Descriptor descriptor) {
    if (descriptor.get() >= first_own_number) return descriptor;
    return Descriptor(
        checked(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, first_own_number), "cannot duplicate a descriptor"));
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    checked(pipe2(ends.data(), O_CLOEXEC), "cannot create a pipe");
    Descriptor read(ends[0]);
    Descriptor write(ends[1]);
    return {out_of_the_way(std::move(read)), out_of_the_way(std::move(write))};
}

Descriptor open_null() {
    return out_of_the_way(Descriptor(checked(open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null")));
}

Descriptor memory_holding(std::string_view text) {
    auto memory = out_of_the_way(
        Descriptor(checked(memfd_create("order", MFD_CLOEXEC), "cannot allocate memory for a child's order")));
    while (!text.empty()) {
        const auto written = write(memory.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        text.remove_prefix(
            static_cast<std::size_t>(checked(static_cast<int>(written), "cannot write a child's order")));
    }
    return memory;
}

void set_nonblocking(const Descriptor& descriptor) {
    checked(fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK),
            "cannot make a pipe non-blocking");
}

std::string text_in(int descriptor) {
    std::string text;
    std::array<char, 1 << 16> chunk;
    while (true) {
        const auto count = pread(descriptor, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace tocuda
