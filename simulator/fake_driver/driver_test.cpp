// tocuda, Apache-2.0.
// What the real runtime reports on the fake driver.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace tocuda::simulator {
namespace {

// Returns the probe's output in this environment.
std::string probe(const std::string& environment) {
    const std::string command = "env " + environment + " " + TOCUDA_RUNTIME_PROBE + " " + TOCUDA_REAL_RUNTIME + " 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    std::array<char, 256> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
    ::pclose(pipe);
    return text;
}

std::string with_driver(const std::string& version, const std::string& more = "") {
    return "LD_LIBRARY_PATH=" TOCUDA_SIMULATOR_FOLDER "/driver TOCUDA_DRIVER='" + version + "' " + more;
}

TEST(BrokenDriver, OldVersionIsInsufficient) {
    EXPECT_EQ(probe(with_driver("11020")), "count 35 driver 0 11020\n");
    EXPECT_EQ(probe(with_driver("12080")), "count 35 driver 0 12080\n");
}

TEST(BrokenDriver, RuntimeReturnsResultOfInit) {
    for (const char* code : {"3", "34", "46", "100", "802", "803", "804", "999"}) {
        const std::string text = probe(with_driver("13000", std::string("TOCUDA_DRIVER_INIT=") + code));
        EXPECT_EQ(text.substr(0, text.find('\n')), std::string("count ") + code + " driver 0 13000");
    }
}

TEST(BrokenDriver, CannotPassForWorkingDriver) {
    const std::string text = probe(with_driver("13000"));
    EXPECT_EQ(text.substr(0, text.find('\n')), "count 500 driver 0 13000");
}

TEST(BrokenDriver, FindsNoDeviceIfNoneIsVisible) {
    const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
    EXPECT_EQ(first_line(probe("CUDA_VISIBLE_DEVICES= " + with_driver("13000", "TOCUDA_DRIVER_GPUS=1"))),
              "count 100 driver 0 13000");
    EXPECT_EQ(first_line(probe("CUDA_VISIBLE_DEVICES=-1 " + with_driver("13000", "TOCUDA_DRIVER_GPUS=1"))),
              "count 100 driver 0 13000");
    EXPECT_EQ(first_line(probe("CUDA_VISIBLE_DEVICES=0 " + with_driver("13000", "TOCUDA_DRIVER_GPUS=1"))),
              "count 500 driver 0 13000");
}

TEST(BrokenDriver, AbsentDriverHasVersionZero) {
    EXPECT_EQ(probe("LD_LIBRARY_PATH=" TOCUDA_SIMULATOR_FOLDER "/absent"), "count 35 driver 0 0\n");
}

// Uses the loader's own log: the runtime unloads a driver that fails, so the process map would not show it.
TEST(BrokenDriver, IsOnlyDriverLoaded) {
    const std::string text = probe("LD_DEBUG=libs " + with_driver("13000"));
    const std::string loading = "calling init: ";
    int drivers = 0;
    for (auto at = text.find(loading); at != std::string::npos; at = text.find(loading, at + 1)) {
        const auto start = at + loading.size();
        const std::string library = text.substr(start, text.find('\n', start) - start);
        if (library.find("libcuda.so") == std::string::npos) continue;
        EXPECT_EQ(library, TOCUDA_SIMULATOR_FOLDER "/driver/libcuda.so.1");
        ++drivers;
    }
    EXPECT_EQ(drivers, 1);
}

TEST(BrokenDriver, ReportsVersionItCannotParse) {
    EXPECT_NE(probe(with_driver("brand new")).find("TOCUDA_DRIVER must be a version"), std::string::npos);
}

}  // namespace
}  // namespace tocuda::simulator
