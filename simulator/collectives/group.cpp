// tocuda, Apache-2.0.
#include "collectives/group.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>

namespace tocuda::simulator {
namespace {

struct Exchange {
    CommunicatorPointer communicator;
    cudaStream_t stream;
    Message message;
    bool sends;
    std::size_t round;  // how many like it, with the same peer, came before
};

struct Group {
    int depth = 0;
    std::vector<Joining> joining;
    std::vector<std::function<ncclResult_t()>> collectives;
    std::vector<Exchange> exchanges;
    const char* failure = "";
};

Group& group() {
    static thread_local Group mine;
    return mine;
}

struct Handles {
    std::mutex mutex;
    std::unordered_map<const Communicator*, CommunicatorPointer> valid;
};

Handles& handles() {
    static Handles* const all = new Handles;
    return *all;
}

ncclResult_t join_all(const std::vector<Joining>& joining) {
    const auto each = [&](bool (Communicator::*part)()) {
        return std::ranges::all_of(joining, [&](const Joining& one) { return ((*one.communicator).*part)(); });
    };
    if (!each(&Communicator::attach) || !each(&Communicator::open_others) || !each(&Communicator::finish))
        return failed(ncclSystemError, "the ranks of a communicator did not find each other on this machine");
    for (const Joining& one : joining) *one.result = handle_of(one.communicator);
    return ncclSuccess;
}

ncclResult_t add_exchange(Exchange exchange) {
    if (group().depth == 0)
        return (exchange.sends ? queue_send : queue_receive)(exchange.communicator, exchange.stream, exchange.message);
    exchange.round = static_cast<std::size_t>(std::ranges::count_if(group().exchanges, [&](const Exchange& other) {
        return other.communicator == exchange.communicator && other.message.peer == exchange.message.peer &&
               other.sends == exchange.sends;
    }));
    group().exchanges.push_back(std::move(exchange));
    return ncclSuccess;
}

// Both directions of a link are used at once, so receiving counts, and sending only if it takes longer.
ncclResult_t queue_longer_sending(const std::vector<Exchange>& exchanges) {
    constexpr double rounding = 1e-10;
    std::map<CommunicatorPointer, std::pair<cudaStream_t, double>> longer;
    for (const Exchange& one : exchanges) {
        const double seconds = one.communicator->seconds_of(one.message, one.sends);
        auto& [stream, sum] = longer[one.communicator];
        stream = one.stream;
        sum += one.sends ? seconds : -seconds;
    }
    ncclResult_t result = ncclSuccess;
    for (const auto& [communicator, sending] : longer)
        if (sending.second > rounding && result == ncclSuccess)
            result = queue_busy_link(communicator, sending.first, sending.second);
    return result;
}

}  // namespace

ncclResult_t join(const Joining& joining) {
    if (group().depth == 0) return join_all({joining});
    group().joining.push_back(joining);
    return ncclSuccess;
}

ncclResult_t begin(const std::function<ncclResult_t()>& collective) {
    if (group().depth == 0) return collective();
    group().collectives.push_back(collective);
    return ncclSuccess;
}

ncclResult_t begin_send(const CommunicatorPointer& communicator, cudaStream_t stream, const Message& message) {
    return add_exchange({communicator, stream, message, true, 0});
}

ncclResult_t begin_receive(const CommunicatorPointer& communicator, cudaStream_t stream, const Message& message) {
    return add_exchange({communicator, stream, message, false, 0});
}

void start_group() { ++group().depth; }

ncclResult_t end_group() {
    if (group().depth == 0) return failed(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--group().depth > 0) return ncclSuccess;
    const auto joining = std::exchange(group().joining, {});
    const auto collectives = std::exchange(group().collectives, {});
    auto exchanges = std::exchange(group().exchanges, {});
    ncclResult_t result = joining.empty() ? ncclSuccess : join_all(joining);
    for (const auto& collective : collectives)
        if (result == ncclSuccess) result = collective();
    // A rank sends to itself, and others to it, before it waits: all first messages, then what is received first, and
    // so on.
    const auto order = [](const Exchange& one) { return 2 * one.round + (one.sends ? 0 : 1); };
    std::ranges::stable_sort(exchanges, {}, order);
    for (const Exchange& one : exchanges)
        if (result == ncclSuccess)
            result = (one.sends ? queue_send : queue_receive)(one.communicator, one.stream, one.message);
    return result == ncclSuccess ? queue_longer_sending(exchanges) : result;
}

ncclComm_t handle_of(const CommunicatorPointer& communicator) {
    const std::lock_guard lock(handles().mutex);
    handles().valid[communicator.get()] = communicator;
    return reinterpret_cast<ncclComm_t>(communicator.get());
}

CommunicatorPointer communicator_of(ncclComm_t handle) {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().valid.find(reinterpret_cast<const Communicator*>(handle));
    return found == handles().valid.end() ? nullptr : found->second;
}

CommunicatorPointer remove_handle(ncclComm_t handle) {
    const std::lock_guard lock(handles().mutex);
    const auto found = handles().valid.find(reinterpret_cast<const Communicator*>(handle));
    if (found == handles().valid.end()) return nullptr;
    CommunicatorPointer communicator = std::move(found->second);
    handles().valid.erase(found);
    return communicator;
}

ncclResult_t failed(ncclResult_t result, const char* why) {
    group().failure = why;
    return result;
}

const char* last_failure() { return group().failure; }

}  // namespace tocuda::simulator
