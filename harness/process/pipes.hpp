// tocuda, Apache-2.0.
// Pipes whose ends stay in this process: closed on exec, and numbered above the guardian's descriptors, so that passing
// one on as descriptor 3 cannot overwrite another.
#pragma once

#include <string>
#include <string_view>

#include "process/descriptor.hpp"

namespace tocuda {

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
