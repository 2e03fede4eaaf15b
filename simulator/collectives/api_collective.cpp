// tocuda, Apache-2.0.
// NCCL's collectives and messages.
#include <cstring>

#include "collectives/group.hpp"
#include "collectives/reduction.hpp"

namespace tocuda::simulator {
namespace {

using Combine = std::function<void(Communicator&)>;

// Where a collective is begun: its communicator, stream and type of numbers.
struct Begun {
    ncclComm_t communicator;
    cudaStream_t stream;
    ncclDataType_t type;
    int root = 0;
    ncclRedOp_t operation = ncclSum;
};

template <typename Make>
ncclResult_t collect(const Begun& begun, Make&& make) {
    const auto communicator = communicator_of(begun.communicator);
    if (!communicator) return failed(ncclInvalidArgument, "no such communicator");
    const std::size_t each = bytes_of(begun.type);
    if (each == 0) return failed(ncclInvalidArgument, "no such type");
    if (begun.root < 0 || begun.root >= communicator->ranks) return failed(ncclInvalidArgument, "no such root");
    const auto factor = communicator->factor(begun.operation);
    if (begun.operation > ncclAvg && (!factor || factor->type != begun.type))
        return failed(ncclInvalidArgument, "no such reduction of this type");
    Collective collective = make(*communicator, each);
    collective.factor = factor;
    return begin([communicator, stream = begun.stream, collective] { return queue(communicator, stream, collective); });
}

// Writes a reduction of this part of all contributions.
Combine reducing(const Begun& begun, void* target, std::size_t offset, std::size_t count) {
    return [=](Communicator& of) {
        const auto all = of.contributions(offset, count * bytes_of(begun.type));
        reduce(begun.type, begun.operation, all, count, target);
    };
}

// Writes this part of all contributions, one after the other.
Combine gathering(void* target, std::size_t offset, std::size_t bytes) {
    return [=](Communicator& of) {
        auto* at = static_cast<std::byte*>(target);
        for (const void* one : of.contributions(offset, bytes)) {
            std::memcpy(at, one, bytes);
            at += bytes;
        }
    };
}

// Writes this part of one rank's contribution. The others may have contributed less.
Combine copying(void* target, int from, std::size_t offset, std::size_t bytes) {
    return [=](Communicator& of) { std::memcpy(target, of.contribution(from, offset, bytes), bytes); };
}

// What a rank gets from the others, if each has as much of it.
std::size_t from_others(const Communicator& of, std::size_t all) {
    const auto ranks = static_cast<std::size_t>(of.ranks);
    return all / ranks * (ranks - 1);
}

template <typename Queue>
ncclResult_t exchange(ncclComm_t handle, cudaStream_t stream, ncclDataType_t type, std::size_t count, void* memory,
                      int peer, Queue&& begin_exchange) {
    const auto communicator = communicator_of(handle);
    if (!communicator) return failed(ncclInvalidArgument, "no such communicator");
    if (peer < 0 || peer >= communicator->ranks || bytes_of(type) == 0)
        return failed(ncclInvalidArgument, "no such peer or type");
    return begin_exchange(communicator, stream, Message{memory, count * bytes_of(type), peer});
}

}  // namespace

extern "C" {

ncclResult_t ncclAllReduce(const void* source, void* target, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, cudaStream_t stream) {
    const Begun begun{communicator, stream, type, 0, operation};
    return collect(begun, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const auto over_link = 2 * from_others(of, bytes);  // a part of the sum, and then all other parts
        return Collective{source, bytes, {}, target, bytes, reducing(begun, target, 0, count), over_link};
    });
}

ncclResult_t ncclReduce(const void* source, void* target, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                        int root, ncclComm_t communicator, cudaStream_t stream) {
    const Begun begun{communicator, stream, type, root, operation};
    return collect(begun, [&](const Communicator& of, std::size_t each) {
        void* mine = of.rank == root ? target : nullptr;
        const std::size_t bytes = count * each;
        return Collective{source, bytes, {}, mine, bytes, reducing(begun, mine, 0, count), bytes};
    });
}

ncclResult_t ncclBroadcast(const void* source, void* target, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
    return collect({communicator, stream, type, root}, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const bool is_root = of.rank == root;
        return Collective{
            is_root ? source : nullptr, is_root ? bytes : 0, {}, target, bytes, copying(target, root, 0, bytes), bytes};
    });
}

ncclResult_t ncclBcast(void* memory, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                       cudaStream_t stream) {
    return ncclBroadcast(memory, memory, count, type, root, communicator, stream);
}

ncclResult_t ncclAllGather(const void* source, void* target, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
    return collect({communicator, stream, type}, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const auto all = bytes * static_cast<std::size_t>(of.ranks);
        return Collective{source, bytes, {}, target, all, gathering(target, 0, bytes), from_others(of, all)};
    });
}

ncclResult_t ncclGather(const void* source, void* target, size_t count, ncclDataType_t type, int root,
                        ncclComm_t communicator, cudaStream_t stream) {
    return collect({communicator, stream, type, root}, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const auto all = bytes * static_cast<std::size_t>(of.ranks);
        void* mine = of.rank == root ? target : nullptr;
        return Collective{source, bytes, {}, mine, all, gathering(mine, 0, bytes), from_others(of, all)};
    });
}

ncclResult_t ncclScatter(const void* source, void* target, size_t count, ncclDataType_t type, int root,
                         ncclComm_t communicator, cudaStream_t stream) {
    return collect({communicator, stream, type, root}, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const auto all = bytes * static_cast<std::size_t>(of.ranks);
        const auto offset = bytes * static_cast<std::size_t>(of.rank);
        const bool is_root = of.rank == root;
        const auto copy = copying(target, root, offset, bytes);
        return Collective{is_root ? source : nullptr, is_root ? all : 0, {}, target, bytes, copy, from_others(of, all)};
    });
}

ncclResult_t ncclReduceScatter(const void* source, void* target, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
    const Begun begun{communicator, stream, type, 0, operation};
    return collect(begun, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const auto all = bytes * static_cast<std::size_t>(of.ranks);
        const auto offset = bytes * static_cast<std::size_t>(of.rank);
        const auto sum = reducing(begun, target, offset, count);
        return Collective{source, all, {}, target, bytes, sum, from_others(of, all)};
    });
}

ncclResult_t ncclAlltoAll(const void* source, void* target, size_t count, ncclDataType_t type, ncclComm_t communicator,
                          cudaStream_t stream) {
    return collect({communicator, stream, type}, [&](const Communicator& of, std::size_t each) {
        const std::size_t bytes = count * each;
        const auto all = bytes * static_cast<std::size_t>(of.ranks);
        const auto offset = bytes * static_cast<std::size_t>(of.rank);
        return Collective{source, all, {}, target, all, gathering(target, offset, bytes), from_others(of, all)};
    });
}

ncclResult_t ncclSend(const void* memory, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
    return exchange(communicator, stream, type, count, const_cast<void*>(memory), peer, begin_send);
}

ncclResult_t ncclRecv(void* memory, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
    return exchange(communicator, stream, type, count, memory, peer, begin_receive);
}

}  // extern "C"
}  // namespace tocuda::simulator
