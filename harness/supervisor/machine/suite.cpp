// tocuda, Apache-2.0.
// Version and commit come from a header that the build regenerates when they change.
#include "machine/suite.hpp"

#include <string_view>

#include "suite_facts.hpp"

namespace tocuda {

Suite this_suite(std::vector<Unavailable>& unavailable) {
    Suite suite{.version = suite_facts::version, .commit = {}, .dirty = suite_facts::dirty};
    const std::string_view commit = suite_facts::commit;
    if (commit.empty())
        unavailable.push_back({"suite.commit", "this was built outside a git repository, or without git"});
    else suite.commit = std::string(commit);
    return suite;
}

}  // namespace tocuda
