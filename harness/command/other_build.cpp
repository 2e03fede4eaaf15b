// tocuda, Apache-2.0.
#include "command/other_build.hpp"

#include <unistd.h>

#include "command/patience.hpp"
#include "command/sweep.hpp"
#include "lines/build_line.hpp"
#include "machine/suite.hpp"
#include "process/clean_environment.hpp"
#include "process/supervisor.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

constexpr double answer_seconds = 20;

// Returns what --version prints, redirected to descriptor 3, on which the lines of every child are read.
std::string said_by(const filesystem::path& program, std::string& trouble) {
    Supervisor supervisor;
    std::string said;
    supervisor.start({.command = {"/bin/sh", "-c", "exec \"$0\" --version --json >&3", program.string()},
                      .environment = child_environment(environment_of_this_process(), {}),
                      .seconds = answer_seconds},
                     {[&](std::string_view line) { said = line; },
                      [&](const Ended& end) {
                          if (!end.outcome.normal()) trouble = describe_end(end.outcome);
                      }});
    wait_for_end(supervisor, "waiting for the version of the other build");
    return said;
}

}  // namespace

Build this_build() {
    std::vector<Unavailable> unavailable;
    return {this_suite(unavailable), protocol_called("default").version};
}

std::variant<OtherBuild, std::string> other_build(const filesystem::path& named) {
    for (const auto& folder : {named, named / "build/default"}) {
        const auto program = filesystem::absolute(folder / "tocuda");
        if (::access(program.c_str(), X_OK) != 0 || filesystem::is_directory(program)) continue;
        std::string trouble;
        const auto said = said_by(program, trouble);
        if (!trouble.empty()) return program.string() + ": --version failed: " + trouble;
        const auto build = build_line(said);
        if (!build) return program.string() + ": " + build.wrong;
        return OtherBuild{program.parent_path(), *build, load_catalogue({program.parent_path()})};
    }
    return named.string() + ": there is no tocuda in it or in its build/default";
}

}  // namespace tocuda
