// tocuda, Apache-2.0.
#include "record/file_name.hpp"

#include <algorithm>
#include <iterator>

#include "model/row.hpp"

namespace tocuda {

std::string result_file_name(const RunLine& run) {
    std::string time;
    std::copy_if(run.time.begin(), run.time.end(), std::back_inserter(time),
                 [](char c) { return c != '-' && c != ':'; });
    return time + "-" + run.verb + "-" + std::string(word(run.device)) + "-" + run.run.substr(0, 8) + ".jsonl";
}

}  // namespace tocuda
