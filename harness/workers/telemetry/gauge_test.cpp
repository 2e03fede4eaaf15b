// tocuda, Apache-2.0.
// The gauge without NVML, and with a fake one.
#include "telemetry/gauge.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <stdexcept>

namespace tocuda {
namespace {

const std::string& library() {
    static const std::string file =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fake_management.so";
    return file;
}

template <class Function>
Function* call(const char* name) {
    auto* const found = SharedLibrary(library()).function<Function>(name);
    if (found == nullptr) throw std::logic_error(std::string("no ") + name);
    return found;
}

TEST(Gauge, WithoutNvmlReportsWhy) {
    Gauge gauge("GPU-new", "0000:01:00.0", "libnone-of-that-name.so.1");
    ASSERT_FALSE(gauge.usable());
    const auto& why = gauge.usable().error().what;
    EXPECT_EQ(why.find("no NVML: libnone-of-that-name.so.1 cannot be loaded: "), 0U) << why;
    EXPECT_EQ(gauge.read(), Telemetry{});
    EXPECT_FALSE(gauge.link_maximum());
}

TEST(Gauge, NamesFunctionThatLibraryLacks) {
    const Gauge gauge("GPU-new", "0000:01:00.0", "libm.so.6");
    ASSERT_FALSE(gauge.usable());
    EXPECT_EQ(gauge.usable().error().what, "NVML has no nvmlInit_v2");
}

TEST(Gauge, ReportsGpuThatNvmlDoesNotKnow) {
    Gauge gauge("GPU-other", "0000:09:00.0", library());
    ASSERT_FALSE(gauge.usable());
    EXPECT_EQ(gauge.usable().error().what, "nvmlDeviceGetHandleByPciBusId_v2 answered 6 (Not Found)");
    EXPECT_EQ(gauge.read(), Telemetry{});
}

TEST(Gauge, ReadsEverything) {
    const auto read = Gauge("GPU-new", "", library()).read();
    EXPECT_EQ(read.sm_clock_mhz, 1980);
    EXPECT_EQ(read.memory_clock_mhz, 3201);
    EXPECT_EQ(read.sm_clock_max_mhz, 2100);
    EXPECT_EQ(read.memory_clock_max_mhz, 3300);
    EXPECT_EQ(read.temperature_c, 41);
    EXPECT_EQ(read.power_w, 310.25);
    EXPECT_EQ(read.link_generation, 1);
    EXPECT_EQ(read.link_width, 8);
}

TEST(Gauge, CountsErrors) {
    const auto read = Gauge("GPU-new", "", library()).read();
    EXPECT_EQ(read.pcie_replays, 3);
    EXPECT_EQ(read.ecc_corrected, 20);
    EXPECT_EQ(read.ecc_uncorrected, 21);
    const auto older = Gauge("GPU-other", "0000:02:00.0", library(), "").read();
    EXPECT_FALSE(older.pcie_replays || older.ecc_corrected || older.ecc_uncorrected || older.xids);
}

TEST(Gauge, NamesThrottleReasons) {
    EXPECT_EQ(Gauge("GPU-new", "", library()).read().reasons,
              (std::vector<std::string>{"sw_power_cap", "hw_thermal", "unknown"}));
}

TEST(Gauge, UnsupportedCounterIsAbsent) {
    const std::map<std::string, std::int64_t> expected{{"sw_power_cap", 74}, {"sync_boost", 76},
                                                       {"reliability", 79},  {"sw_thermal", 269},
                                                       {"hw_thermal", 270},  {"hw_power_brake", 271}};
    EXPECT_EQ(Gauge("GPU-new", "", library()).read().violation_ns, expected);
}

TEST(Gauge, ReadsSlowdownCountersAtThePlaceWhereTheDriverHasThem) {
    const auto counters_with = [](const char* driver) {
        call<void(const char*)>("fake_management_use_driver")(driver);
        const auto all = Gauge("GPU-new", "", library()).read().violation_ns;
        const auto of = [&](const char* name) { return all.contains(name) ? all.at(name) : 0; };
        return std::array{of("sw_thermal"), of("hw_thermal"), of("hw_power_brake")};
    };
    using Counters = std::array<std::int64_t, 3>;
    EXPECT_EQ(counters_with("570.172.08"), (Counters{75, 0, 0})) << "its 251 and 269 are of power smoothing";
    EXPECT_EQ(counters_with("575.51.03"), (Counters{251, 252, 253}));
    EXPECT_EQ(counters_with("580.65.06"), (Counters{251, 252, 253}));
    EXPECT_EQ(counters_with("580.76.05"), (Counters{75, 0, 0})) << "not known";
    EXPECT_EQ(counters_with("580.82.07"), (Counters{269, 270, 271}));
    EXPECT_EQ(counters_with("590.44.01"), (Counters{269, 270, 271}));
    EXPECT_EQ(counters_with("a preview"), (Counters{75, 0, 0}));
    call<void(const char*)>("fake_management_use_driver")("580.95.05");
}

TEST(Gauge, ReadsTheMeanPowerOfDriversThatDoNotTellThatOfTheMoment) {
    call<void(unsigned)>("fake_management_draw_now")(0);
    EXPECT_EQ(Gauge("GPU-new", "", library()).read().power_w, 123.5);
    call<void(unsigned)>("fake_management_draw_now")(310'250);
    EXPECT_EQ(Gauge("GPU-other", "0000:02:00.0", library()).read().power_w, 123.5) << "it has no fields at all";
}

TEST(Gauge, DoesNotCountThisProcessAsForeign) {
    EXPECT_EQ(Gauge("GPU-new", "", library()).read().foreign_processes, 2);
}

TEST(Gauge, DoesNotCountProcessesAtEachReading) {
    auto* const asked = call<int()>("fake_management_processes_asked_for");
    Gauge gauge("GPU-new", "", library());
    static_cast<void>(gauge.read());
    const auto before = asked();
    EXPECT_EQ(gauge.read().foreign_processes, 2);
    EXPECT_EQ(asked(), before);
}

TEST(Gauge, UsesOlderFunctionNameOfOlderDriver) {
    const auto read = Gauge("GPU-other", "0000:02:00.0", library()).read();
    EXPECT_EQ(read.reasons, std::vector<std::string>{"gpu_idle"});
    EXPECT_FALSE(read.sm_clock_max_mhz || read.memory_clock_max_mhz);
    EXPECT_FALSE(read.temperature_c);
    EXPECT_TRUE(read.violation_ns.empty());
    EXPECT_EQ(read.foreign_processes, 0);
}

TEST(Gauge, ReadsLinkMaximum) {
    const auto link = Gauge("GPU-new", "", library()).link_maximum();
    ASSERT_TRUE(link);
    EXPECT_EQ(link->generation, 5);
    EXPECT_EQ(link->width, 16);
    EXPECT_EQ(link->gpu_generation, 6) << "what the GPU would reach in another slot";
    EXPECT_FALSE(Gauge("GPU-other", "0000:02:00.0", library()).link_maximum());
}

TEST(Gauge, ReadsWhatWentOverEachLink) {
    const auto sent = Gauge("GPU-new", "", library()).nvlink_sent();
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->bytes, 600 * 1024);
    EXPECT_EQ(sent->by_link, (std::vector<std::int64_t>{100 * 1024, 200 * 1024, 300 * 1024}));
    EXPECT_FALSE(Gauge("GPU-other", "0000:02:00.0", library()).nvlink_sent());
}

TEST(Gauge, SeesWhetherMigDividesTheGpu) {
    EXPECT_FALSE(Gauge("GPU-new", "", library()).is_divided());
    EXPECT_TRUE(Gauge("GPU-other", "0000:02:00.0", library()).is_divided());
    EXPECT_TRUE(Gauge("MIG-part", "", library()).is_divided()) << "an instance itself";
    EXPECT_FALSE(Gauge("GPU-new", "", "libnone-of-that-name.so.1").is_divided());
}

TEST(Gauge, ReadsTheClocksOfTheGpuThatAnInstanceIsAPartOf) {
    EXPECT_EQ(Gauge("MIG-part", "", library()).read().sm_clock_mhz, 1980);
}

}  // namespace
}  // namespace tocuda
