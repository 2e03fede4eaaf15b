// tocuda, Apache-2.0.
// The shape in which each kernel is launched, as far as what it keeps in flight follows from it: a line each for predicted.py. What a kernel
// needs of registers is not here: the compiler says that.
#include <cstdio>

#include "kernels/bulk_copy.hpp"
#include "kernels/cast.hpp"
#include "kernels/cp_async_copy.hpp"
#include "kernels/memory_dot.hpp"
#include "kernels/memory_read.hpp"
#include "kernels/memory_scale.hpp"
#include "kernels/memory_triad.hpp"
#include "kernels/misaligned_copy.hpp"
#include "kernels/persistent_copy.hpp"
#include "kernels/scalar_copy.hpp"
#include "kernels/strided_copy.hpp"
#include "kernels/transposed_copy.hpp"
#include "kernels/unrolled_copy.hpp"
#include "kernels/vector32_copy.hpp"
#include "kernels/vector_copy.hpp"

namespace tocuda {
namespace {

struct Shape {
    const char* name;      // as it stands in the name of the function
    unsigned threads;
    std::size_t shared;    // bytes of a block
    std::size_t staged;    // bytes that a block keeps in flight in its shared memory; 0 where registers hold them
    int percent;           // of what is loaded, what comes from memory and not from a cache
    int capability;        // the least
    const char* meant;     // "best": has to keep in flight what the GPU needs; "plain": shows what comes of less
};

void say(const Shape& shape) {
    std::printf("%s %u %zu %zu %d %d %s\n", shape.name, shape.threads, shape.shared, shape.staged, shape.percent, shape.capability, shape.meant);
}

void say_all() {
    say({"ScalarCopyIjE", ScalarCopy<std::uint32_t>::threads, 0, 0, 100, 0, "plain"});
    say({"VectorCopyE", VectorCopy::threads, 0, 0, 100, 0, "best"});
    say({"UnrolledCopyILj8E", UnrolledCopy<8, Hint::plain>::threads, 0, 0, 100, 0, "best"});
    say({"UnrolledCopyILj12E", UnrolledCopy<12, Hint::plain>::threads, 0, 0, 100, 0, "best"});
    say({"UnrolledCopyILj16E", UnrolledCopy<16, Hint::plain>::threads, 0, 0, 100, 0, "best"});
    say({"Vector32CopyE", Vector32Copy::threads, 0, 0, 100, Vector32Copy::compute_capability, "best"});
    say({"PersistentCopyI", PersistentCopy<Hint::plain>::threads, 0, 0, 100, 0, "best"});
    say({"CpAsyncCopyE", CpAsyncCopy::threads, CpAsyncCopy::shared_bytes, CpAsyncCopy::shared_bytes, 100, CpAsyncCopy::compute_capability, "best"});
    // One stage of each block is being stored.
    const BulkCopy bulk;
    say({"BulkCopyE", BulkCopy::threads, bulk.shared_bytes(), std::size_t{bulk.stages - 1} * bulk.tile_bytes, 100, BulkCopy::compute_capability, "best"});
    // The second of the two vectors of a result is the neighbour's first.
    say({"MisalignedCopyE", MisalignedCopy::threads, 0, 0, 50, 0, "best"});
    say({"StridedCopyE", StridedCopy::threads, 0, 0, 100, 0, "plain"});
    say({"TransposedCopyE", TransposedCopy::threads, TransposedCopy::grid({64, 64}).shared_bytes, 0, 100, 0, "best"});
    say({"ReadAllI", ReadAll<8, Hint::plain>::threads, ReadAll<8, Hint::plain>::grid(0, 1).shared_bytes, 0, 100, 0, "best"});
    say({"5ScaleE", Scale::threads, 0, 0, 100, 0, "best"});
    say({"TriadILj4E", Triad<4>::threads, 0, 0, 100, 0, "best"});
    say({"4CastIdfE", Cast<double, float>::threads, 0, 0, 100, 0, "best"});
    say({"4CastIfNS_10SmallFloat", Cast<float, BFloat16>::threads, 0, 0, 100, 0, "best"});
    // What is read is a half or a quarter of what is written: with less in flight the stores still keep the memory busy.
    say({"4CastINS_10SmallFloat", Cast<BFloat16, float>::threads, 0, 0, 100, 0, "plain"});
    say({"3DotE", Dot::threads, Dot::grid(0, 1).shared_bytes, 0, 100, 0, "best"});
}

}  // namespace
}  // namespace tocuda

int main() { tocuda::say_all(); }
