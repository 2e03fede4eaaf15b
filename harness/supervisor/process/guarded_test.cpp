// tocuda, Apache-2.0.
// Shared by the tests of the supervisor, with their main function: like tocuda, this program is its own guardian.
#include "process/guarded_test.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "process/child.hpp"

namespace tocuda::guarded {

std::string new_mark() {
    static int count = 0;
    return "TOCUDA_TEST_MARK=" + std::to_string(getpid()) + "-" + std::to_string(++count) + "-" + std::to_string(now());
}

std::vector<std::string> environment_with(const std::string& mark) { return {"PATH=/usr/bin:/bin", mark}; }

std::vector<pid_t> processes_with(const std::string& mark) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const auto name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "environ", std::ios::binary);
        const std::string environment{std::istreambuf_iterator<char>(file), {}};
        if (environment.find(mark) != std::string::npos) found.push_back(std::stoi(name));
    }
    return found;
}

bool none_left_with(const std::string& mark) {
    for (const double until = now() + 10; now() < until; usleep(10'000))
        if (processes_with(mark).empty()) return true;
    return false;
}

std::string faulty_worker() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "faulty_workers" / "tocuda-faulty";
}

Child faulty(const std::string& scenario) {
    return {.command = {faulty_worker(), "observe", "faulty/" + scenario, "default"},
            .environment = environment_with("A=b")};
}

Child shell(const std::string& script) {
    return {.command = {"/bin/sh", "-c", script}, .environment = environment_with("A=b")};
}

Reactions into(Heard& heard) {
    return {[&heard](std::string_view line) { heard.lines.emplace_back(line); },
            [&heard](const Ended& ended) { heard.ends.push_back(ended); }};
}

Heard run(const Child& child) {
    Heard heard;
    Supervisor supervisor;
    supervisor.start(child, into(heard));
    for (const double until = now() + 60; supervisor.running() > 0 && now() < until;) supervisor.step(1);
    if (heard.ends.size() != 1) ADD_FAILURE() << "reported " << heard.ends.size() << " ends instead of one";
    heard.ends.resize(1);
    return heard;
}

// Runs a supervisor with one child, the named faulty scenario, for a test that kills the holder.
int hold(const char* scenario, const char* mark) {
    auto child = faulty(scenario);
    child.environment = environment_with(mark);
    Supervisor supervisor;
    supervisor.start(child, {});
    while (true) supervisor.step(1);
}

}  // namespace tocuda::guarded

int main(int count, char** arguments) {
    const std::string_view word = count > 1 ? arguments[1] : "";
    if (word == "__guardian") return tocuda::guardian_main(count, arguments);
    if (word == "__holder" && count == 4) return tocuda::guarded::hold(arguments[2], arguments[3]);
    testing::InitGoogleTest(&count, arguments);
    return RUN_ALL_TESTS();
}
