// tocuda, Apache-2.0.
#include "record/device_check.hpp"

#include <algorithm>

namespace tocuda {
namespace {

bool stands_for_a_gpu(const std::string& stand_in) {
    return stand_in.starts_with("driver") || stand_in.starts_with("runtime");
}

}  // namespace

std::string wrong_with_device(Device device, const std::vector<std::string>& stand_in) {
    if (device != Device::real) return "";
    const auto found = std::find_if(stand_in.begin(), stand_in.end(), stands_for_a_gpu);
    return found == stand_in.end() ? "" : "device is 'real' but stand_in lists '" + *found + "'";
}

}  // namespace tocuda
