// tocuda, Apache-2.0.
// Running processes made of files: their variables, and what their maps tell.
#include "doctor/process.hpp"

#include <gtest/gtest.h>

#include "doctor/made_up_machine_test.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto torch_folder = "/opt/venv/lib/python3.12/site-packages/torch/lib";

class RunningProcess : public testing::Test {
protected:
    RunningProcess() { tree.write("proc/42/environ", std::string("CUDA_VISIBLE_DEVICES=\0HOME=/root\0", 33)); }

    void maps(const std::vector<std::string>& paths) const {
        std::string text = "7f00-7f01 rw-p 00000000 00:00 0 \n";
        for (const auto& path : paths)
            text += "7f10-7f20 r-xp 00000000 fe:01 131 " + path + "\n7f20-7f21 r--p 0 0 0 " + path + "\n";
        tree.write("proc/42/maps", text);
    }
    void expect(State state, const std::string& evidence, const std::string& remedy) const {
        const auto process = see_process(tree.root, 42);
        ASSERT_TRUE(process);
        const auto findings = check_process(*process);
        ASSERT_EQ(findings.size(), 1U) << in_words(findings);
        EXPECT_EQ(findings[0].state, state) << in_words(findings);
        EXPECT_NE(findings[0].evidence.find(evidence), std::string::npos) << in_words(findings);
        EXPECT_NE(findings[0].remedy.find(remedy), std::string::npos) << in_words(findings);
    }

    MachineTree tree;
};

TEST_F(RunningProcess, ThatIsNone) { EXPECT_FALSE(see_process(tree.root, 43)); }

TEST_F(RunningProcess, HasVariables) {
    const auto process = see_process(tree.root, 42);
    ASSERT_TRUE(process && process->variables);
    EXPECT_EQ(*process->variables, (Variables{{"CUDA_VISIBLE_DEVICES", ""}, {"HOME", "/root"}}));
}

TEST_F(RunningProcess, OfAnotherUser) {
    tree.folder("proc/44");
    EXPECT_EQ(check_process(see_process(tree.root, 44).value()).at(0).state, State::unknown);
}

TEST_F(RunningProcess, WithLibTorchIsWell) {
    maps({torch_folder + std::string("/libtorch_cpu.so"), torch_folder + std::string("/libtorch_cuda.so"),
          "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05"});
    expect(State::ok, "libtorch_cpu.so mapped", "");
}

TEST_F(RunningProcess, OfABuildWithoutCuda) {
    maps({torch_folder + std::string("/libtorch_cpu.so")});
    expect(State::fault, "a build without CUDA", "pip install --force-reinstall torch");
}

TEST_F(RunningProcess, WhoseLinkerLeftOutCuda) {
    maps({torch_folder + std::string("/libtorch_cpu.so")});
    tree.write(std::string(torch_folder).substr(1) + "/libtorch_cuda.so", "ELF");
    expect(State::fault, "the linker left it out", "-Wl,--no-as-needed -ltorch_cuda");
}

TEST_F(RunningProcess, WithTwoRuntimes) {
    maps({"/opt/venv/nvidia/cu13/lib/libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so.12.4.99"});
    expect(State::warning, "has 2 CUDA runtimes mapped", "unset LD_LIBRARY_PATH");
}

TEST_F(RunningProcess, WithAStub) {
    maps({"/usr/local/cuda/lib64/stubs/libcuda.so"});
    expect(State::fault, "has the stub /usr/local/cuda/lib64/stubs/libcuda.so mapped", "start it again");
}

TEST_F(RunningProcess, WithAReplacedDriver) {
    maps({"/usr/lib/x86_64-linux-gnu/libcuda.so.570.10.01 (deleted)"});
    expect(State::warning, "replaced since it started", "kill 42");
}

}  // namespace
}  // namespace tocuda::doctor
