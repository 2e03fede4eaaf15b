// tocuda, Apache-2.0.
// Owns a file descriptor and closes it; negative: not open.
#pragma once

#include <unistd.h>

namespace tocuda {

struct OpenFile {
    int number;
    explicit OpenFile(int opened) : number(opened) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace tocuda
