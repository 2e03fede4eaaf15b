// tocuda, Apache-2.0.
// An open file that is closed in the end.
#pragma once

#include <unistd.h>

namespace tocuda {

struct Descriptor {
    int number;
    explicit Descriptor(int opened) : number(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace tocuda
