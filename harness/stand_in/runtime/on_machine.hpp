// tocuda, Apache-2.0.
// For tests: runs a body in a child process that has a simulated machine of its own, since a process has only one.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tocuda::stand_in {

// Something that is removed with the test.
class ProfileFile {
public:
    explicit ProfileFile(const std::string& text) {
        const int file = ::mkstemp(path_);
        if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
        ::close(file);
    }
    ProfileFile(const ProfileFile&) = delete;
    ProfileFile& operator=(const ProfileFile&) = delete;
    ~ProfileFile() { ::unlink(path_); }

    const char* path() const { return path_; }

private:
    char path_[32] = "/tmp/tocuda-profile-XXXXXX";
};

inline const std::string one_gpu = "gpu\nmemory_bytes 1073741824\n";
inline const std::string two_gpus = one_gpu + one_gpu;

// How the child ended, as waitpid says it; it ends with 1 where an expectation in it failed.
template <typename Body>
int status_on_machine(const std::string& profile, Body&& body) {
    const ProfileFile file(profile);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("TOCUDA_SIMULATION", file.path(), 1);
        ::alarm(60);  // a wait that never ends is a failure, not a hang of the whole suite
        body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

template <typename Body>
void on_machine(const std::string& profile, Body&& body) {
    EXPECT_EQ(status_on_machine(profile, body), 0) << "in the child process; what it printed stands above";
}

}  // namespace tocuda::stand_in
