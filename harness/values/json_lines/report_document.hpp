// tocuda, Apache-2.0.
// The JSON document of `report`: which file it wrote, from which runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tocuda {

struct WrittenReport {
    std::string file{};
    std::size_t bytes = 0;
    std::vector<std::string> runs{};
    bool simulated = false;
    bool redacted = false;
    std::vector<std::string> warnings{};
};

std::string report_document(const WrittenReport& report);

}  // namespace tocuda
