// tocuda, Apache-2.0.
#include "computing/equivalents.hpp"

#include <unordered_map>

namespace tocuda::computing {
namespace {

const std::unordered_map<std::string, Equivalent>& table() {
    static const auto* const rows = new std::unordered_map<std::string, Equivalent>{};
    return *rows;
}

}  // namespace

const Equivalent* equivalent_of(const std::string& name) {
    const auto found = table().find(name);
    return found == table().end() ? nullptr : &found->second;
}

}  // namespace tocuda::computing
