// tocuda, Apache-2.0.
// Machines with one fault of the NVLink fabric, of its channels to other nodes, or of a GPU that asks for a reset.
#include <cerrno>

#include "doctor/faulty_test.hpp"

namespace tocuda::doctor {
namespace {

TEST_F(Faulty, FabricThatWasNotJoined) {
    machine.refusing_server(802);
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].fabric_state = 1;
    expect("cuInit", "has not joined the NVLink fabric (registration not started)", "restart nvidia-fabricmanager");
}

TEST_F(Faulty, FabricThatRefusedTheGpu) {
    machine.refusing_server(802);
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].fabric_status = 5;
    expect("cuInit", "failed to join the NVLink fabric (status 5)", "journalctl -u nvidia-fabricmanager");
}

TEST_F(Faulty, FabricOfARackIsNotServedFromHere) {
    machine.refusing_server(802);
    machine.gpu(0x2941, "nvidia", 1);
    machine.nvml_answers(2);
    machine.probe.nvml_gpus[1].fabric_status = 5;
    expect("cuInit", "failed to join the NVLink fabric (status 5)", "runs in its switch trays, not here");
    EXPECT_EQ(remedy().find("journalctl"), std::string::npos) << remedy();
}

TEST(FaultyFabric, ChannelThatIsMissing) {
    for (const int code : {101, 800}) {
        MadeUpMachine machine;
        machine.refusing_server(code);
        auto cause = *cause_of(machine.findings());
        EXPECT_NE(cause.evidence.find("there is no /dev/nvidia-caps-imex-channels/channelN"), std::string::npos)
            << cause.evidence;
        machine.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
        cause = *cause_of(machine.findings());
        EXPECT_NE(cause.remedy.find("kubectl get computedomains"), std::string::npos) << cause.remedy;
    }
}

TEST_F(Faulty, ChannelThatMayNotBeOpened) {
    machine.refusing_server(800);
    machine.node("nvidia-caps-imex-channels/channel3");
    auto seen = machine.seen();
    for (auto& node : seen.nodes)
        if (node.path.ends_with("channel3")) node.error = EACCES;
    const auto findings = diagnose(seen);
    ASSERT_NE(cause_of(findings), nullptr);
    EXPECT_EQ(cause_of(findings)->check, "cuInit") << in_words(findings);
    EXPECT_NE(cause_of(findings)->evidence.find("channel3 may not be opened"), std::string::npos) << in_words(findings);
}

TEST_F(Faulty, ChannelThatIsThereAndRefused) {
    machine.refusing_server(800);
    machine.node("nvidia-caps-imex-channels/channel0");
    expect("cuInit", "cuInit answers 800 (CUDA_ERROR): IMEX", "systemctl restart nvidia-imex");
}

TEST(FaultyHealth, EveryRecoveryAction) {
    for (int action = 0; action <= 7; ++action) {
        MadeUpMachine machine;
        machine.server();
        machine.probe.nvml_gpus[0].recovery_action = action;
        const auto findings = machine.findings();
        const bool is_fault = action != 0 && action != 3;  // 3: its peers are to end their work
        EXPECT_EQ(cause_of(findings) != nullptr, is_fault) << action << "\n" << in_words(findings);
        EXPECT_EQ(in_words(findings).find(fmt::format("NVML recovery action {}", action)) != std::string::npos,
                  action != 0)
            << in_words(findings);
    }
}

}  // namespace
}  // namespace tocuda::doctor
