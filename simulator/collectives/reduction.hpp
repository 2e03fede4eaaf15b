// tocuda, Apache-2.0.
// Reductions of the numbers of several ranks, for every type that NCCL knows. Pure.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

namespace tocuda::simulator {

// 0 if there is no such type.
std::size_t bytes_of(ncclDataType_t type);

// Writes the reduction of `count` numbers of each source. Small floating-point types are added as float.
void reduce(ncclDataType_t type, ncclRedOp_t operation, const std::vector<const void*>& sources, std::size_t count,
            void* result);

// Multiplies numbers by one of the same type.
void scale(ncclDataType_t type, const void* factor, const void* source, std::size_t count, void* result);

}  // namespace tocuda::simulator
