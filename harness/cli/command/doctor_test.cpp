// tocuda, Apache-2.0.
// `tocuda doctor` through the whole program: drivers that are missing, broken, slow or simulated.
#include <gtest/gtest.h>
#include <unistd.h>

#include "command/driven_program_test.hpp"

namespace tocuda {
namespace {

class DoctorVerb : public testing::Test {
protected:
    DoctorVerb() { std::filesystem::create_directory(libraries); }

    // With no module: a file that cannot be loaded.
    void install(const std::string& name, const std::string& module = "") const {
        if (module.empty()) driven::write(libraries / name, "");
        else std::filesystem::create_symlink(driven::tests_folder() / module, libraries / name);
    }
    driven::Finished doctor(driven::Words words = {}, driven::Variables variables = {}) const {
        words.insert(words.begin(), "doctor");
        variables["LD_LIBRARY_PATH"] = libraries;
        return place.run(words, variables);
    }

    driven::Place place;
    const std::filesystem::path libraries = place.folder / "libraries";
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(DoctorVerb, NamesTheMissingDriver) {
    if (::access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "this machine has a driver";
    EXPECT_LE(driven::widest_line(doctor().out), 80U);
    const auto told = doctor({}, {{"COLUMNS", "140"}});
    EXPECT_EQ(told.code, 1) << told.err;
    const auto headline = told.out.substr(0, told.out.find('\n'));
    EXPECT_TRUE(headline.starts_with("GPU not usable: ")) << told.out;
    EXPECT_TRUE(has(headline, "libcuda.so.1")) << told.out;
    EXPECT_TRUE(has(told.out, "\nDo:   ")) << told.out;
}

TEST_F(DoctorVerb, PredictsNoErrorOfTorchWhereThereIsNone) {
    install("libcuda.so.1");
    const auto told = doctor({}, {{"TOCUDA_PYTHON", place.folder}});
    EXPECT_TRUE(has(told.out, " holds no bin/python")) << told.out;
    EXPECT_FALSE(has(told.out, "x.to('cuda') says here")) << told.out;
}

TEST_F(DoctorVerb, NamesTheCauseInItsDocument) {
    install("libcuda.so.1");
    install("libnvidia-ml.so.1");
    const auto told = doctor({"--json"});
    EXPECT_EQ(told.code, 1) << told.err;
    EXPECT_TRUE(told.out.starts_with("{\n  \"usable\": false,\n  \"findings\": [\n")) << told.out;
    EXPECT_FALSE(has(told.out, "\"cause\": null")) << told.out;
}

TEST_F(DoctorVerb, NeedsNoMoreThanTwentyMegabytes) { EXPECT_LE(doctor().peak_kib, 20 * 1024); }

// A driver that works: what it says decides, whatever the bus shows.
TEST_F(DoctorVerb, NumbersTheGpus) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1");
    const auto told = doctor({}, {{"COLUMNS", "140"}});
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(told.out.starts_with("GPU usable: A Fine GPU and 2 more (")) << told.out;
    EXPECT_TRUE(has(told.out, " ok       cuda:2: A Fine GPU, compute capability 9.1, 150 GiB")) << told.out;
    EXPECT_LE(driven::widest_line(told.out), 140U) << told.out;
}

TEST_F(DoctorVerb, BelievesNvmlThatAGpuIsLost) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1", "fake_driver.so");
    const auto told = doctor({"--json"});
    EXPECT_EQ(told.code, 1) << told.err;
    EXPECT_TRUE(has(told.out, "GPU 1 at 00000000:01:00.0 is lost")) << told.out;
    EXPECT_TRUE(has(told.out, "\"cause\": \"GPU health\"")) << told.out;
}

TEST_F(DoctorVerb, SlowDriverIsNotHung) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1");
    const auto told = doctor({}, {{"FAKE_DRIVER_SECONDS", "3"}});
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(has(told.err, "tocuda: asking the driver about its GPUs")) << told.err;
}

// The probe keeps the user's environment, which the simulator's fake driver reads.
TEST_F(DoctorVerb, FakeDriverIsCalledSimulated) {
    const auto folder = driven::tests_folder().parent_path() / "simulator/driver";
    if (!std::filesystem::exists(folder / "libcuda.so.1")) GTEST_SKIP() << "the fake driver is not built";
    const auto told = place.run(
        {"doctor"},
        {{"LD_LIBRARY_PATH", folder}, {"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_INIT", "999"}, {"COLUMNS", "140"}});
    EXPECT_EQ(told.code, 1) << told.out << told.err;
    EXPECT_TRUE(told.out.starts_with("GPU not usable: cuInit answers 999: ")) << told.out;
    EXPECT_TRUE(has(told.out, "libcuda: SIMULATED driver: ")) << told.out;
}

TEST_F(DoctorVerb, SimulatedGpusAreCalledSimulated) {
    const auto folder = driven::tests_folder().parent_path() / "simulator/simulated";
    if (!std::filesystem::exists(folder / "libcuda.so.1")) GTEST_SKIP() << "the simulated driver is not built";
    const auto machine = place.run({"__simulation", "2xH200"});
    driven::write(place.folder / "two.simulation", machine.out);
    const auto told =
        place.run({"doctor"}, {{"LD_LIBRARY_PATH", folder}, {"TOCUDA_SIMULATION", place.folder / "two.simulation"}});
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(told.out.starts_with("GPU usable: SIMULATED NVIDIA H200 and 1 more (")) << told.out;
}

TEST_F(DoctorVerb, ReadsTheVariablesOfAProcess) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1");
    const driven::Started sleeper("/bin/sleep", {"60"}, place,
                                  {{"CUDA_VISIBLE_DEVICES", "0, 1"}, {"LD_LIBRARY_PATH", libraries}});
    std::string id;
    ASSERT_TRUE(driven::until([&] {
        for (const auto& process : place.processes())
            if (has(process, "/bin/sleep")) id = process.substr(0, process.find(' '));
        return !id.empty();
    }));
    const auto told = doctor({"--pid", id}, {{"COLUMNS", "140"}});
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_TRUE(has(told.out, "process: process " + id)) << told.out;
    EXPECT_TRUE(has(told.out, "CUDA_VISIBLE_DEVICES=\"0, 1\" contains spaces")) << told.out;
    EXPECT_EQ(doctor({"--pid", "2147483646"}).code, 2);
}

TEST_F(DoctorVerb, ExplainsAnErrorText) {
    driven::write(
        place.folder / "error.txt",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity "
        "of 1.00 GiB of which 12.00 MiB is free. Of the allocated memory 512.00 MiB is allocated by PyTorch, "
        "and 500.00 MiB is reserved by PyTorch but unallocated.\n");
    const auto told = doctor({"--message", "error.txt"});
    EXPECT_EQ(told.code, 1) << told.err;
    EXPECT_TRUE(has(told.out, "out of memory")) << told.out;
    EXPECT_TRUE(has(told.out, "002-")) << told.out;
    EXPECT_LE(driven::widest_line(told.out), 80U) << told.out;
    EXPECT_TRUE(has(doctor({"--message", "error.txt", "--json"}).out, "\"remedies\": [")) << told.out;
}

TEST_F(DoctorVerb, ExplainsTheTextItself) {
    const auto told = doctor({"--message", "RuntimeError: No CUDA GPUs are available"});
    EXPECT_EQ(told.code, 1) << told.err;
    EXPECT_TRUE(has(told.out, "no GPU visible")) << told.out;
    EXPECT_TRUE(has(doctor({"--message", "Found no NVIDIA driv"}).out, "The text seems cut")) << "cut by copying";
    EXPECT_EQ(doctor({"--message", "ldconfig: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link"}).code, 0);
}

TEST_F(DoctorVerb, JudgesAPastedEnvironment) {
    const auto told = doctor({"--message",
                              "PyTorch version: 2.5.1+cpu\nCUDA used to build PyTorch: None\nPython version: 3.11.9\n"
                              "GPU models and configuration: GPU 0: NVIDIA A100\nNvidia driver version: 550.54\n"});
    EXPECT_EQ(told.code, 1) << told.err;
    EXPECT_TRUE(has(told.out, "Judged by what was pasted: collect_env; not seen:")) << told.out;
    EXPECT_TRUE(has(told.out, "built for the CPU only")) << told.out;
}

TEST_F(DoctorVerb, APastedEnvironmentWithoutCudaIsNotUsable) {
    const std::string text =
        "PyTorch version: 2.1.1+cu121\nCUDA used to build PyTorch: 12.1\nIs CUDA available: False\n"
        "GPU models and configuration: GPU 0: NVIDIA A10\nNvidia driver version: 535.129.03\n";
    const auto told = doctor({"--message", text, "--json"});
    EXPECT_EQ(told.code, 1) << told.err;
    EXPECT_TRUE(has(told.out, "\"usable\": false")) << told.out;
    const auto well = std::string(text).replace(text.find("False"), 5, "True");
    EXPECT_EQ(doctor({"--message", well}).code, 0);
    const auto beside = doctor({"--message", well + "\nRuntimeError: something new\n"});
    EXPECT_EQ(beside.code, 4);
    EXPECT_TRUE(has(beside.err, "its error is not known: RuntimeError: something new")) << beside.err;
}

TEST_F(DoctorVerb, LooksAtTheNamedPython) {
    std::filesystem::create_directories(place.folder / "venv/bin");
    driven::write(place.folder / "venv/bin/python", "#!/bin/sh\n");
    const auto script = doctor({"--python", "venv"});
    EXPECT_EQ(script.code, 2) << script.out;
    EXPECT_TRUE(has(script.err, "venv/bin/python is a script, not an interpreter")) << script.err;
    const auto told = doctor({}, {{"TOCUDA_PYTHON", "/nowhere/python3"}});
    EXPECT_TRUE(has(told.out, " unknown  python: /nowhere/python3")) << told.out;
}

TEST_F(DoctorVerb, SaysWhatItDoesNotKnow) {
    driven::write(place.folder / "notes.txt", "It rained on Tuesday.\n");
    EXPECT_EQ(doctor({"--message", "notes.txt"}).code, 4);
    EXPECT_EQ(doctor({"--message", "absent.txt"}).err,
              "tocuda: absent.txt: No such file or directory; an error text in quotes is taken as it is\n");
    EXPECT_TRUE(has(doctor({"--message", "MPS backend out of memory"}).err, "an Apple GPU (MPS)"));
    const auto folder = doctor({"--message", "."});
    EXPECT_EQ(folder.code, 2);
    EXPECT_TRUE(has(folder.err, "tocuda: .: is not a regular file")) << folder.err;
    EXPECT_EQ(doctor({"--message", "notes.txt", "--pid", "1"}).code, 2);
}

}  // namespace
}  // namespace tocuda
