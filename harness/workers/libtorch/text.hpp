// tocuda, Apache-2.0.
// Names of devices, dtypes and layouts as written in evidence.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>

#include <sstream>
#include <string>

namespace tocuda {

inline std::string text(const c10::Device& device) { return device.str(); }
inline std::string text(c10::ScalarType type) { return c10::toString(type); }
inline std::string text(c10::Layout layout) {
    std::ostringstream stream;
    stream << layout;
    return stream.str();
}

}  // namespace tocuda
