// tocuda, Apache-2.0.
// One rank of a communicator: what it queues in its stream, and how it meets the other ranks.
#pragma once

#include <nccl.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collectives/board.hpp"

namespace tocuda::simulator {

// A scaled sum: each rank multiplies what it contributes by its own factor.
struct Factor {
    ncclDataType_t type{};
    std::array<std::byte, 8> value{};
    const void* on_device = nullptr;  // read when the operation runs
};

struct Collective;
struct Message;
class Communicator;
using CommunicatorPointer = std::shared_ptr<Communicator>;

class Communicator {
public:
    Communicator(std::string name, int ranks, int rank, int device);

    const std::string name;
    const int ranks;
    const int rank;
    const int device;

    // The three parts of joining the others, each for all ranks of a process before the next part. False if the machine
    // refuses or the others do not come.
    bool attach();
    bool open_others();
    bool finish();

    // What the ranks contributed, in a collective that is under way.
    std::vector<const void*> contributions(std::size_t offset, std::size_t bytes);
    const void* contribution(int of, std::size_t offset, std::size_t bytes);
    // What is computed from contributions of others that were not computed counts as not computed either.
    void follow_taint(const void* target, std::size_t bytes) const;

    bool aborted() const { return board.valid() && board.head().aborted != 0; }
    void abort();
    // Reports on stderr that a collective or message cannot be carried out, and aborts.
    void give_up();

    ncclRedOp_t add_factor(const Factor& factor);
    std::optional<Factor> factor(ncclRedOp_t operation) const;
    bool remove_factor(ncclRedOp_t operation) { return factors.erase(operation) == 1; }
    // The members of this rank's part, in order, after every rank has called it; empty if the rank is in no part.
    std::vector<int> split(int color, int key);
    std::uint64_t splits() const { return split_count; }  // how often, times two

    // How long a message to or from another rank occupies the link, and the slowest link of the ring of all ranks, in
    // which data goes both ways.
    double seconds_of(const Message& message, bool sends) const;
    double slowest_link() const;

private:
    friend struct Contribute;
    friend struct Collect;
    friend struct Send;
    friend struct Receive;
    friend ncclResult_t queue(const CommunicatorPointer& communicator, cudaStream_t stream, Collective collective);

    bool wait_until(const std::function<bool()>& condition) const;

    Board board;
    Block own = Block::make();
    std::vector<Block> others;      // contributions, by rank
    std::vector<Block> outgoing;    // by the rank that they are for
    std::vector<Block> incoming;    // by the rank that they are from
    std::map<int, Factor> factors;  // by the number of the operation
    int next_operation = ncclNumOps;
    std::uint64_t split_count = 0;
    // Collectives happen in the order of their calls, even in different streams.
    std::mutex queueing;
    std::uint64_t waiting = 0;
    std::atomic<std::uint64_t> next_turn = 0;
};

struct Collective {
    const void* source = nullptr;  // null: this rank contributes nothing
    std::size_t source_bytes = 0;
    std::optional<Factor> factor{};
    void* target = nullptr;  // null: it gets nothing
    std::size_t target_bytes = 0;
    std::function<void(Communicator&)> combine{};
    std::size_t link_bytes = 0;  // what each rank sends and receives at best
    bool moves = true;           // false while only the clock counts
};

struct Message {
    void* memory = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
    bool moves = true;
};

// Each queues what it does in the stream.
ncclResult_t queue(const CommunicatorPointer& communicator, cudaStream_t stream, Collective collective);
ncclResult_t queue_send(const CommunicatorPointer& communicator, cudaStream_t stream, Message message);
ncclResult_t queue_receive(const CommunicatorPointer& communicator, cudaStream_t stream, Message message);
ncclResult_t queue_busy_link(const CommunicatorPointer& communicator, cudaStream_t stream, double seconds);

}  // namespace tocuda::simulator
