// tocuda, Apache-2.0.
#include "record/row_id.hpp"

#include "model/parameter_text.hpp"
#include "record/digest.hpp"

namespace tocuda {

std::string row_id(const std::string& benchmark, const Parameters& parameters, int protocol_version) {
    Digest digest;
    digest.add(benchmark + "\n");
    for (const auto& [name, value] : parameters) digest.add(name + "=" + plain(value) + "\n");
    digest.add("protocol " + std::to_string(protocol_version) + "\n");
    return digest.hex().substr(0, 16);
}

}  // namespace tocuda
