// tocuda, Apache-2.0.
#include "collectives/communicator.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <thread>
#include <utility>

#include "collectives/reduction.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

constexpr std::chrono::minutes patience{10};  // with ranks that do not come
constexpr std::chrono::microseconds look_again{100};

// What an operation takes beside waiting: none, or as a kernel that receives for so many seconds.
using Received = std::optional<double>;

bool bytes_move() { return tocuda_simulation_clock_only(-1) == 0; }

// Queues an operation that owns what it works on, and touches this memory of the GPU.
template <typename Work>
ncclResult_t queue_work(int device, cudaStream_t stream, Work work, const std::vector<tocuda_touch>& touched,
                        Received received = std::nullopt) {
    const tocuda_computation what{
        .version = received ? 2U : 1U,
        .run = [](void* state) { static_cast<Work*>(state)->run(); },
        .ready = [](void* state) { return static_cast<const Work*>(state)->ready() ? 1 : 0; },
        .drop = [](void* state) { delete static_cast<Work*>(state); },
        .state = new Work(std::move(work)),
        .touches = touched.data(),
        .count = touched.size(),
        .link_seconds = received.value_or(0),
    };
    return tocuda_simulation_compute(device, stream, &what) == 0 ? ncclSuccess : ncclUnhandledCudaError;
}

bool is_captured(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream, &status);
    return status != cudaStreamCaptureStatusNone;
}

void taint_from(int rank, const void* target, std::size_t bytes) {
    tocuda_simulation_taint(target, bytes, ("received from rank " + std::to_string(rank)).c_str());
}

}  // namespace

// A collective is two operations of the stream. The first waits until all have taken what this rank contributed last.
struct Contribute {
    CommunicatorPointer of;
    Collective what;
    std::optional<std::uint64_t> turn;  // none in a graph, which may be launched often or never

    bool ready() const {
        if (of->aborted()) return true;
        if (turn && *turn != of->next_turn) return false;
        const auto arrived = of->board.place(of->rank).arrived.load();
        for (int rank = 0; rank < of->ranks; ++rank)
            if (of->board.place(rank).left.load() < arrived) return false;
        return true;
    }
    void run() const {
        if (of->aborted()) return;
        if (what.moves && !contribute()) return of->give_up();
        ++of->board.place(of->rank).arrived;
        if (turn) ++of->next_turn;
    }

private:
    bool contribute() const {
        std::byte* room = of->own.room(what.source_bytes);
        if (!room) return false;
        if (what.source && what.factor) {
            const ncclDataType_t type = what.factor->type;
            const void* by = what.factor->on_device ? what.factor->on_device : &what.factor->value;
            scale(type, by, what.source, what.source_bytes / bytes_of(type), room);
        } else if (what.source) {
            std::memcpy(room, what.source, what.source_bytes);
        }
        of->board.place(of->rank).tainted = tocuda_simulation_is_tainted(what.source, what.source_bytes);
        return true;
    }
};

// The second waits until all have contributed.
struct Collect {
    CommunicatorPointer of;
    Collective what;

    bool ready() const {
        if (of->aborted()) return true;
        const auto arrived = of->board.place(of->rank).arrived.load();
        for (int rank = 0; rank < of->ranks; ++rank)
            if (of->board.place(rank).arrived.load() < arrived) return false;
        return true;
    }
    void run() const {
        if (of->aborted()) return;
        try {
            if (what.target && what.moves) {
                what.combine(*of);
                of->follow_taint(what.target, what.target_bytes);
            }
        } catch (const std::bad_alloc&) {
            return of->give_up();
        }
        ++of->board.place(of->rank).left;
    }
};

struct Send {
    CommunicatorPointer of;
    Message what;

    bool ready() const {
        const auto& box = of->board.letterbox(of->rank, what.peer);
        return of->aborted() || box.received.load() == box.sent.load();
    }
    void run() const {
        if (of->aborted()) return;
        auto& box = of->board.letterbox(of->rank, what.peer);
        if (what.moves) {
            std::byte* room = of->outgoing[static_cast<std::size_t>(what.peer)].room(what.bytes);
            if (!room) return of->give_up();
            std::memcpy(room, what.memory, what.bytes);
            box.tainted = tocuda_simulation_is_tainted(what.memory, what.bytes);
        }
        ++box.sent;
    }
};

struct Receive {
    CommunicatorPointer of;
    Message what;

    bool ready() const {
        const auto& box = of->board.letterbox(what.peer, of->rank);
        return of->aborted() || box.sent.load() > box.received.load();
    }
    void run() const {
        if (of->aborted()) return;
        auto& box = of->board.letterbox(what.peer, of->rank);
        if (what.moves) {
            const std::byte* sent = of->incoming[static_cast<std::size_t>(what.peer)].read(what.bytes);
            if (!sent) return of->give_up();
            std::memcpy(what.memory, sent, what.bytes);
            if (box.tainted != 0) taint_from(what.peer, what.memory, what.bytes);
        }
        ++box.received;
    }
};

struct BusyLink {
    bool ready() const { return true; }
    void run() const {}
};

Communicator::Communicator(std::string of_name, int of_ranks, int of_rank, int of_device)
    : name(std::move(of_name)), ranks(of_ranks), rank(of_rank), device(of_device), board(name, of_ranks) {
    for (int other = 0; other < ranks; ++other) outgoing.push_back(Block::make());
}

bool Communicator::wait_until(const std::function<bool()>& condition) const {
    const auto begin = std::chrono::steady_clock::now();
    while (!condition()) {
        if (aborted() || std::chrono::steady_clock::now() - begin > patience) return false;
        std::this_thread::sleep_for(look_again);
    }
    return true;
}

bool Communicator::attach() {
    if (!board.valid() || own.file() < 0) return false;
    for (int other = 0; other < ranks; ++other)
        board.letterbox(rank, other).file = outgoing[static_cast<std::size_t>(other)].file();
    board.place(rank).contribution = own.file();
    board.place(rank).process = ::getpid();
    board.place(rank).position = tocuda_simulation_position(device);
    ++board.head().attached;
    return true;
}

bool Communicator::open_others() {
    if (!wait_until([&] { return board.head().attached >= ranks; })) return false;
    for (int other = 0; other < ranks; ++other) {
        const Place& place = board.place(other);
        others.push_back(Block::of(place.process, place.contribution));
        incoming.push_back(Block::of(place.process, board.letterbox(other, rank).file));
        if (others.back().file() < 0 || incoming.back().file() < 0) return false;
    }
    ++board.head().opened;
    return true;
}

bool Communicator::finish() {
    if (!wait_until([&] { return board.head().opened >= ranks; })) return false;
    if (rank == 0) board.remove_name();
    return true;
}

const void* Communicator::contribution(int of, std::size_t offset, std::size_t bytes) {
    const std::byte* block = others[static_cast<std::size_t>(of)].read(offset + bytes);
    if (!block) throw std::bad_alloc();
    return block + offset;
}

std::vector<const void*> Communicator::contributions(std::size_t offset, std::size_t bytes) {
    std::vector<const void*> all;
    for (int other = 0; other < ranks; ++other) all.push_back(contribution(other, offset, bytes));
    return all;
}

void Communicator::follow_taint(const void* target, std::size_t bytes) const {
    for (int other = 0; other < ranks; ++other)
        if (other != rank && board.place(other).tainted != 0) return taint_from(other, target, bytes);
}

double Communicator::seconds_of(const Message& message, bool sends) const {
    if (message.peer == rank) return 0;
    const int here = board.place(rank).position, there = board.place(message.peer).position;
    return static_cast<double>(message.bytes) / tocuda_simulation_link(sends ? here : there, sends ? there : here);
}

double Communicator::slowest_link() const {
    double slowest = std::numeric_limits<double>::infinity();
    for (int one = 0; one < ranks && ranks > 1; ++one) {
        const int here = board.place(one).position, next = board.place((one + 1) % ranks).position;
        slowest = std::min({slowest, tocuda_simulation_link(here, next), tocuda_simulation_link(next, here)});
    }
    return slowest;
}

void Communicator::abort() {
    if (board.valid()) board.head().aborted = 1;
}

void Communicator::give_up() {
    std::fputs("tocuda: simulated GPUs: NCCL: communicator aborted: no memory left, or ranks disagree about a size\n",
               stderr);
    abort();
}

ncclRedOp_t Communicator::add_factor(const Factor& factor) {
    factors[next_operation] = factor;
    return static_cast<ncclRedOp_t>(next_operation++);
}

std::optional<Factor> Communicator::factor(ncclRedOp_t operation) const {
    const auto found = factors.find(operation);
    return found == factors.end() ? std::nullopt : std::optional(found->second);
}

ncclResult_t queue(const CommunicatorPointer& communicator, cudaStream_t stream, Collective collective) {
    const std::lock_guard lock(communicator->queueing);
    collective.moves = bytes_move();
    const auto turn = is_captured(stream) ? std::nullopt : std::optional(communicator->waiting);
    const ncclResult_t queued =
        queue_work(communicator->device, stream, Contribute{communicator, collective, turn}, {});
    if (queued != ncclSuccess) return queued;
    if (turn) ++communicator->waiting;
    std::vector<tocuda_touch> touched;
    if (collective.source) touched.push_back({collective.source, collective.source_bytes, 0});
    if (collective.target) touched.push_back({collective.target, collective.target_bytes, 1});
    const Received received = static_cast<double>(collective.link_bytes) / communicator->slowest_link();
    return queue_work(communicator->device, stream, Collect{communicator, std::move(collective)}, touched, received);
}

ncclResult_t queue_send(const CommunicatorPointer& communicator, cudaStream_t stream, Message message) {
    message.moves = bytes_move();
    return queue_work(communicator->device, stream, Send{communicator, message}, {{message.memory, message.bytes, 0}});
}

ncclResult_t queue_receive(const CommunicatorPointer& communicator, cudaStream_t stream, Message message) {
    message.moves = bytes_move();
    return queue_work(communicator->device, stream, Receive{communicator, message},
                      {{message.memory, message.bytes, 1}}, communicator->seconds_of(message, false));
}

ncclResult_t queue_busy_link(const CommunicatorPointer& communicator, cudaStream_t stream, double seconds) {
    return queue_work(communicator->device, stream, BusyLink{}, {}, seconds);
}

}  // namespace tocuda::simulator
