// tocuda, Apache-2.0.
// Owns an open file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace tocuda {

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

}  // namespace tocuda
