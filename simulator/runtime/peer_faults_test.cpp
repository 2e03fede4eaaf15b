// tocuda, Apache-2.0.
// What one GPU stores into the memory of another, with and without a fault between them.
#include "runtime/peer_faults.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>

#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

constexpr int sender = 0;
constexpr int receiver = 1;

class PeerMemory : public testing::Test {
protected:
    // Stores 2 over 1 in the receiver's memory, as a kernel of the sender that ends or stays. Returns what that kernel
    // finds there first.
    int store(PeerFaults& faults, bool ends, int by = sender) {
        int found = 0;
        faults.run(by, {{receiver, memory.data(), memory.size()}}, ends, [&] {
            found = static_cast<int>(memory[0]);
            memory.fill(std::byte{2});
        });
        return found;
    }
    int arrived() const { return static_cast<int>(memory[0]); }

    std::array<std::byte, 8> memory = [] {
        std::array<std::byte, 8> ones{};
        ones.fill(std::byte{1});
        return ones;
    }();
};

PeerFaults with(const std::string& kind) { return PeerFaults({{.peer = kind, .from = sender, .to = receiver}}); }

TEST_F(PeerMemory, KeepsWhatIsStoredWithoutAFault) {
    PeerFaults none({{.function = "cudaMalloc", .error = 2}});
    EXPECT_FALSE(none.any());
    EXPECT_EQ(store(none, true), 1);
    EXPECT_EQ(arrived(), 2);
}

TEST_F(PeerMemory, LosesWhatIsStoredInOneDirection) {
    auto lost = with("lost");
    for (const bool ends : {true, false}) {
        EXPECT_EQ(store(lost, ends), 1);
        EXPECT_EQ(arrived(), 1);
    }
    store(lost, true, 2);
    EXPECT_EQ(arrived(), 2) << "stored by another GPU";
}

TEST_F(PeerMemory, ShowsTheSenderAMirror) {
    auto mirrored = with("mirrored");
    EXPECT_EQ(store(mirrored, true), 1);
    EXPECT_EQ(arrived(), 1);
    EXPECT_EQ(store(mirrored, true), 2);
    EXPECT_EQ(arrived(), 1);
}

TEST_F(PeerMemory, StallsUntilTheKernelEnds) {
    auto stalled = with("stalled");
    store(stalled, false);
    EXPECT_EQ(arrived(), 1);
    store(stalled, true);
    EXPECT_EQ(arrived(), 2);
}

TEST(PeerCopies, AreLostInOneDirectionOnly) {
    auto machine = two_gpus;
    machine.faults = {{.peer = "uncopied", .from = 0, .to = 1}};
    on_machine(machine, [] {
        std::array<void*, 2> memory{};
        for (const int device : {0, 1}) {
            cudaSetDevice(device);
            ASSERT_EQ(cudaMalloc(&memory[static_cast<std::size_t>(device)], 1), cudaSuccess);
            cudaMemset(memory[static_cast<std::size_t>(device)], 3 + device, 1);
        }
        const auto at_first = [](const void* there) {
            char found = 0;
            cudaMemcpy(&found, there, 1, cudaMemcpyDeviceToHost);
            return found;
        };
        EXPECT_EQ(cudaMemcpyPeer(memory[1], 1, memory[0], 0, 1), cudaSuccess);
        EXPECT_EQ(at_first(memory[1]), 4);
        EXPECT_EQ(cudaMemcpyPeer(memory[0], 0, memory[1], 1, 1), cudaSuccess);
        EXPECT_EQ(at_first(memory[0]), 4);
    });
}

}  // namespace
}  // namespace tocuda::simulator
