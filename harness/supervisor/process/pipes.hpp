// tocuda, Apache-2.0.
// Pipes whose ends stay in this process: closed on exec, and numbered above the guardian's descriptors, so that passing
// one on as descriptor 3 cannot overwrite another.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace tocuda {

// Owns an open file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int descriptor) : number(descriptor) {}
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            number = std::exchange(other.number, -1);
        }
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }

    int get() const { return number; }
    bool open() const { return number >= 0; }
    void close() {
        if (number >= 0) ::close(std::exchange(number, -1));
    }

private:
    int number = -1;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

// These throw std::system_error, for example if the machine has no descriptors left.
Pipe make_pipe();
Descriptor open_null();
Descriptor memory_holding(std::string_view text);

void set_nonblocking(const Descriptor& descriptor);

// Returns all of a memory file from its beginning; empty if it cannot be read.
std::string text_in(int descriptor);

}  // namespace tocuda
