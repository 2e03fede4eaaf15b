// tocuda, Apache-2.0.
// `doctor --deep` as made-up answers of its processes: exactly what is broken is named.
#include "doctor/deep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "doctor/made_up_machine_test.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto all_arrives =
    "access 1\ndoing stores\nstores_wrong_at -1\ndoing copies\ncopies_wrong_at -1\n"
    "doing handshake\nrounds 64\nheard_back 64\nheard 64\ndone 1\n";
constexpr auto still_ran = "still ran at its deadline, ended after 60.00 s";
constexpr auto five_times = "0.01 0.2 0.4 0.5 0.6 wrong \n";

class Deep : public testing::Test {
protected:
    Deep() {
        machine.server(2);
        for (const int gpu : {0, 1}) deep.first_bytes.push_back(first_byte_of(gpu, five_times, ""));
        send(0, 1, all_arrives);
        send(1, 0, all_arrives);
    }
    void send(int from, int to, const std::string& said, const std::string& ended = "") {
        const auto peer = peer_of(from, to, said, ended);
        const auto known =
            std::ranges::find_if(deep.peers, [&](const PeerSeen& one) { return one.from == from && one.to == to; });
        if (known != deep.peers.end()) *known = peer;
        else deep.peers.push_back(peer);
    }
    Findings findings() const { return check_deep(machine.seen(), deep); }
    // The one fault is this.
    void expect(const std::string& check, const std::string& evidence, const std::string& remedy = "") const {
        const auto found = findings();
        EXPECT_EQ(std::ranges::count(found, State::fault, &Finding::state), 1) << in_words(found);
        const auto* cause = cause_of(found);
        ASSERT_NE(cause, nullptr) << in_words(found);
        EXPECT_EQ(cause->check, check) << in_words(found);
        EXPECT_NE(cause->evidence.find(evidence), std::string::npos) << in_words(found);
        EXPECT_NE(cause->remedy.find(remedy), std::string::npos) << in_words(found);
    }
    // Writes the configuration of a bridge above a GPU, as root reads it, with its access control.
    void bridge_above(const std::string& gpu, const std::string& bridge, int control) {
        const auto devices = machine.tree.root / "sys/bus/pci/devices";
        const auto folder = "sys/devices/pci0000:3a/" + bridge;
        machine.tree.write(folder + "/vendor", "0x8086\n");
        std::string bytes(4096, '\0');
        const auto put = [&](std::size_t at, std::initializer_list<int> values) {
            for (const int value : values) bytes[at++] = static_cast<char>(value);
        };
        put(0x100, {0x0b, 0x00, 0x01, 0x14});  // of the vendor; the next is at 0x140
        put(0x140, {0x01, 0x00, 0xc1, 0x10});  // error reporting; the next is before it, at 0x10c, as on real switches
        put(0x10c, {0x0d, 0x00, 0x01, 0x00, 0x5f, 0x00, control, 0x00});
        if (control >= 0) machine.tree.write(folder + "/config", bytes);
        else machine.tree.write(folder + "/config", bytes.substr(0, 64));
        std::filesystem::rename(devices / gpu, machine.tree.root / folder / gpu);
        std::filesystem::create_directory_symlink(machine.tree.root / folder / gpu, devices / gpu);
    }

    MadeUpMachine machine;
    DeepSeen deep;
};

TEST_F(Deep, TimesOfSimulatedGpusAreReadable) {
    deep.first_bytes[1].seconds = 5.8e-5;
    EXPECT_NE(in_words(findings()).find("cuda:1 had its first byte 0.058 ms after"), std::string::npos);
}

TEST_F(Deep, HealthyPairHasNoFault) {
    const auto found = findings();
    EXPECT_EQ(cause_of(found), nullptr) << in_words(found);
    EXPECT_NE(in_words(found).find("ok first byte: cuda:1 had its first byte 0.5 s after"), std::string::npos);
    EXPECT_NE(in_words(found).find("2 of 2 directions between GPUs: what is sent arrives []"), std::string::npos)
        << in_words(found);
}

TEST_F(Deep, SimulatedFindingsSaySo) {
    machine.probe.simulated = true;
    for (const auto& one : findings()) EXPECT_TRUE(one.evidence.starts_with("SIMULATED ")) << one.evidence;
}

TEST_F(Deep, LostStoresOfEitherDirection) {
    send(0, 1,
         "access 1\nstores_wrong_at 0\nmirrored 0\ncopies_wrong_at -1\nrounds 64\nheard_back 0\nheard 0\ndone 1\n");
    send(1, 0, "access 1\nstores_wrong_at -1\ncopies_wrong_at -1\nrounds 64\nheard_back 0\nheard 1\ndone 1\n");
    expect("peers", "cuda:0 to cuda:1: what a kernel stores is not what cuda:1 finds, from byte 0 on");
    EXPECT_NE(in_words(findings()).find("1 of 2 directions"), std::string::npos) << in_words(findings());
    std::swap(deep.peers[0], deep.peers[1]);
    for (auto& peer : deep.peers) std::swap(peer.from, peer.to);
    expect("peers", "cuda:1 to cuda:0: what a kernel stores is not what cuda:0 finds");
}

TEST_F(Deep, Mirror) {
    send(0, 1, "access 1\nstores_wrong_at 4096\nmirrored 1\ncopies_wrong_at -1\ndone 1\n");
    expect("peers", "from byte 4096 on, though cuda:0 reads it back as stored");
}

TEST_F(Deep, WrongCopies) {
    send(1, 0, "access 1\nstores_wrong_at -1\ncopies_wrong_at 7\nrounds 64\nheard_back 64\nheard 64\ndone 1\n");
    expect("peers", "cuda:1 to cuda:0: a copy does not arrive: cuda:0 finds other bytes, from 7 on");
}

TEST_F(Deep, HandshakeThatNeverEnds) {
    send(0, 1, "access 1\nstores_wrong_at -1\ncopies_wrong_at -1\nrounds 64\nheard_back 3\nheard 3\ndone 1\n");
    expect("peers",
           "cuda:0 to cuda:1: what one kernel stores does not reach another that runs meanwhile: their "
           "handshake ended in round 4 of 64");
    send(0, 1, "access 1\nstores_wrong_at -1\ncopies_wrong_at -1\nrounds 64\nheard_back 3\nheard 4\ndone 1\n");
    expect("peers", "cuda:1 to cuda:0: what one kernel stores does not reach");
}

TEST_F(Deep, ProcessThatHangs) {
    send(0, 1, "access 1\ndoing stores\nstores_wrong_at -1\ndoing copies\n", still_ran);
    expect("peers",
           "cuda:0 to cuda:1: the process that tries it, while trying copies: still ran at its deadline, ended after "
           "60.00 s");
}

TEST_F(Deep, ProcessThatFails) {
    send(1, 0, "access 1\ndoing copies\nfailed cudaMemcpyPeer: cudaErrorUnknown: unknown error\n",
         "exit code 1 after 0.30 s");
    expect("peers",
           "cuda:1 to cuda:0: the process that tries it, while trying copies: cudaMemcpyPeer: cudaErrorUnknown: "
           "unknown error");
    send(1, 0, "", "exit code 1 after 0.30 s");
    expect("peers", "cuda:1 to cuda:0: the process that tries it: exit code 1 after 0.30 s");
}

TEST_F(Deep, WithoutPeerAccessCopiesAreTriedAlone) {
    send(0, 1, "access 0\ndoing copies\ncopies_wrong_at -1\ndone 1\n");
    const auto found = findings();
    EXPECT_EQ(cause_of(found), nullptr) << in_words(found);
    EXPECT_NE(
        in_words(found).find("2 of 2 directions between GPUs: what is sent arrives (1 of them without peer access"),
        std::string::npos)
        << in_words(found);
}

TEST_F(Deep, BridgeThatRedirectsIsNamed) {
    bridge_above("0000:3b:00.0", "0000:3a:00.0", 0x1d);
    bridge_above("0000:3c:00.0", "0000:3a:01.0", 0x01);
    send(0, 1, "access 1\nstores_wrong_at 0\nmirrored 0\ncopies_wrong_at -1\ndone 1\n");
    expect("peers", "ACS of the bridges 0000:3a:00.0 sends it by way of the CPU",
           "sudo setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0000");
}

TEST_F(Deep, BridgeThatRootAloneCanRead) {
    bridge_above("0000:3b:00.0", "0000:3a:00.0", -1);
    send(0, 1, "access 1\nstores_wrong_at 0\nmirrored 0\ncopies_wrong_at -1\ndone 1\n");
    expect("peers", "whether ACS of their bridges redirects it, root alone can read");
}

TEST_F(Deep, IommuIsNamed) {
    machine.tree.write("sys/bus/pci/devices/0000:3b:00.0/iommu_group/type", "DMA-FQ\n");
    send(0, 1, "access 1\nstores_wrong_at -1\ncopies_wrong_at 0\ndone 1\n");
    expect("peers", "the IOMMU translates (DMA-FQ)", "iommu=pt");
}

TEST_F(Deep, FirstByteThatHangs) {
    deep.first_bytes[1] = first_byte_of(1, "", still_ran);
    expect("first byte",
           "cuda:1: no byte came back as it was sent: its process: still ran at its deadline, ended after 60.00 s");
}

TEST_F(Deep, FirstByteThatIsWrong) {
    deep.first_bytes[0] =
        first_byte_of(0, "0.01 0.2 0.4 0.5 0.6 wrong the copied or computed bytes differ from the reference\n", "");
    expect("first byte", "cuda:0: no byte came back as it was sent: the copied or computed bytes differ");
    deep.first_bytes[0] = first_byte_of(0, "0.01 0 0 0 0 failed cudaFree: cudaErrorUnknown: unknown\n", "");
    expect("first byte", "cudaFree: cudaErrorUnknown");
}

TEST_F(Deep, GpuThatTocudaHasNoCodeForIsNotAtFault) {
    deep.first_bytes[0] = first_byte_of(
        0, "0.01 0.2 0.4 0.5 0 failed launch: cudaErrorNoKernelImageForDevice: no kernel image is available\n", "");
    const auto found = findings();
    EXPECT_EQ(cause_of(found), nullptr) << in_words(found);
    EXPECT_NE(in_words(found).find("unknown first byte: cuda:0 was not tried"), std::string::npos) << in_words(found);
}

Evidence of_moves() {
    Evidence evidence;
    evidence.outcome.ended = "exit";
    evidence.observations = {{"types", 47}};
    for (const std::string way : {"blocking", "non_blocking", "pinned"}) {
        evidence.observations.push_back({way + ".moved", 47});
        for (const char* list : {".changed", ".stayed", ".refused"})
            evidence.observations.push_back({way + list, Values{}});
    }
    return evidence;
}

TEST_F(Deep, DtypesThatAreWell) {
    deep.dtypes = {{1, of_moves()}};
    EXPECT_NE(in_words(findings()).find("ok dtypes: cuda:1: 141 moves of LibTorch's 47 dtypes came back"),
              std::string::npos)
        << in_words(findings());
}

TEST_F(Deep, DtypeWhoseBytesChange) {
    auto evidence = of_moves();
    evidence.observations[2].value = Values{Value("bytes, blocking: Half")};
    deep.dtypes = {{0, evidence}};
    expect("dtypes", "cuda:0: tensors came back changed: bytes, blocking: Half");
}

TEST_F(Deep, DtypesWhoseProcessHangs) {
    auto evidence = of_moves();
    evidence.outcome.ended = "timeout";
    evidence.outcome.seconds = 60;
    deep.dtypes = {{0, evidence}};
    expect("dtypes", std::string("cuda:0: the process that moves them: ") + still_ran);
}

TEST_F(Deep, MissingWorkerIsNoFault) {
    deep = {.missing = {"tocuda-cuda: no CUDA compiler was found when this was built"}};
    EXPECT_EQ(
        in_words(findings()),
        "unknown deep: what needs it was not tried: tocuda-cuda: no CUDA compiler was found when this was built []\n");
}

TEST_F(Deep, GpuOfAnotherProgramIsLeftAlone) {
    machine.probe.nvml_gpus[0].processes = 2;
    machine.probe.nvml_gpus[1].processes = 0;
    EXPECT_EQ(gpus_to_try(machine.seen()), std::vector<int>{1});
    EXPECT_EQ(in_words(not_tried(machine.seen())), "unknown deep: cuda:0 was not tried: 2 other programs use it []\n");
}

TEST_F(Deep, GpuOfWhichNvmlKnowsNothingIsLeftAlone) {
    machine.probe.nvml_gpus[1].processes = 0;
    EXPECT_EQ(gpus_to_try(machine.seen()), std::vector<int>{1});
    EXPECT_NE(in_words(not_tried(machine.seen())).find("NVML does not report whether other programs use it"),
              std::string::npos);
}

}  // namespace
}  // namespace tocuda::doctor
