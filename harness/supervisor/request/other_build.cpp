// tocuda, Apache-2.0.
#include "request/other_build.hpp"

#include <unistd.h>

#include "engine/engine.hpp"
#include "json_lines/build_line.hpp"
#include "machine/suite.hpp"
#include "request/sweep.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

constexpr double answer_seconds = 20;

}  // namespace

Build this_build() {
    std::vector<Unavailable> unavailable;
    return {this_suite(unavailable), protocol_called("default").version};
}

Expected<OtherBuild> other_build(const filesystem::path& named) {
    for (const auto& folder : {named, named / "build/default"}) {
        const auto program = filesystem::absolute(folder / "tocuda");
        if (::access(program.c_str(), X_OK) != 0 || filesystem::is_directory(program)) continue;
        // Redirected to descriptor 3, on which the lines of every child are read.
        const auto [said, ended] = ask({"/bin/sh", "-c", "exec \"$0\" --version --json >&3", program.string()},
                                       answer_seconds, "waiting for the version of the other build");
        if (!ended.outcome.normal())
            return problem(program.string() + ": --version failed: " + describe_end(ended.outcome));
        const auto build = build_line(std::string_view(said).substr(0, said.find('\n')));
        if (!build) return problem(program.string() + ": " + build.error().what);
        return OtherBuild{program.parent_path(), *build, load_catalogue({program.parent_path()})};
    }
    return problem(named.string() + ": there is no tocuda in it or in its build/default");
}

}  // namespace tocuda
