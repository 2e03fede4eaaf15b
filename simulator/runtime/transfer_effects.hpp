// tocuda, Apache-2.0.
// What a copy does: it moves bytes, is counted, and takes along that they were not computed.
#pragma once

#include "runtime/transfer.hpp"

namespace tocuda::simulator {

// A space is null where the end is in host memory, and so is a device.
void copy_rows(const Transfer& what, AddressSpace* target, AddressSpace* source);

// Bytes that go from one GPU to another without the host.
void count_sent(const Device& from, const Device& to, std::uint64_t bytes);
void count_bytes(const Transfer& what, const Device* target, const Device* source);

// Bytes that were not computed stay that when they are copied. The first time they reach the host, the user is told.
void follow_taint(Simulation& simulation, const Transfer& what, const Device* target, const Device* source);

}  // namespace tocuda::simulator
