// tocuda, Apache-2.0.
// Kernels that are wrong on purpose: the tests of every kernel must notice each of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/direct_runtime_test.hpp"
#include "kernels/launching.hpp"
#include "measurement/block.hpp"

namespace tocuda {
namespace {

// Copies this many bytes too many.
template <int excess>
struct WrongBy {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector16, 4, Hint::plain>(block, block.threads, to, from, bytes + static_cast<std::size_t>(excess));
    }
};

// Writes one byte too many but reads none, because it reads the last byte twice.
struct WritesOneTooMany {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector16, 4, Hint::plain>(block, block.threads, to, from, bytes);
        if (block.block == 0 && block.thread == 0) to[bytes] = from[bytes - 1];
    }
};
struct DoesNothing {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block&, std::byte*, const std::byte*, std::size_t) const {}
};
struct WritesOneBefore {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector16, 4, Hint::plain>(block, block.threads, to, from, bytes);
        if (block.block == 0 && block.thread == 0) to[-1] = from[0];
    }
};

// Depends on the order of the threads: each shifts its value from its neighbour's place.
struct NeedsOrder {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        for (std::size_t i = block.thread; i < bytes; i += block.threads) {
            to[i] = from[i];
            if (i + 1 < bytes) to[i + 1] = from[i];
        }
    }
};

// Counts blocks in 32 bits.
struct Narrow {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto start = std::size_t{static_cast<unsigned>(block.block * 32768U)};
        for (auto i = start + block.thread; i < std::min(bytes, start + 32768); i += block.threads) to[i] = from[i];
    }
};

struct BulkWithoutWaitingForTheLoad {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        auto* barriers = shared<std::uint64_t>(block, 2);
        auto* place = static_cast<std::byte*>(block.shared_array(bytes, 128));
        if (block.thread != 0) return;
        BulkCopies copies(barriers);
        copies.begin(2);
        copies.load(0, place, from, static_cast<std::uint32_t>(bytes));
        copies.store(to, place, static_cast<std::uint32_t>(bytes));
        copies.await_stores();
    }
};
struct BulkThatOverwritesWhatIsStillRead {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        auto* barriers = shared<std::uint64_t>(block, 2);
        const auto half = bytes / 2;
        auto* place = static_cast<std::byte*>(block.shared_array(half, 128));
        if (block.thread != 0) return;
        BulkCopies copies(barriers);
        copies.begin(2);
        for (unsigned stage = 0; stage < 2; ++stage) {
            copies.load(stage, place, from + stage * half, static_cast<std::uint32_t>(half));
            copies.await_load(stage);
            copies.store(to + stage * half, place, static_cast<std::uint32_t>(half));
        }
        copies.await_stores();
    }
};
struct AsyncOneGroupTooFew {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        auto* place = shared<Vector16>(block, 1);
        AsynchronousCopies<2> copies;
        copies.begin(place, reinterpret_cast<const Vector16*>(from));
        copies.template await<1>();
        if (bytes == sizeof(Vector16)) *reinterpret_cast<Vector16*>(to) = *place;
    }
};

template <class Body>
std::string wrong_with(Body body, const Grid& grid, std::size_t bytes, ThreadOrder order = ThreadOrder::ascending) {
    const Kernel mutant{.operation = [=](const Setting& setting) { return copying(body, grid, setting.bytes()); }};
    return wrong(mutant, {{"bytes", bytes}}, {.order = order});
}
template <class Body>
std::string wrong_with(Body body) {
    return wrong_with(body, {.threads = 64}, 4096);
}
template <class Body>
std::string wrong_in_stages(Body body, std::size_t bytes) {
    return wrong_with(body, {.blocks = 1, .threads = 1, .shared_bytes = bytes + 256}, bytes);
}
std::string at_byte(const std::string& byte) { return "byte " + byte + " of 4096 differs from the reference"; }

TEST(KernelMutants, OneByteTooFew) { EXPECT_EQ(wrong_with(WrongBy<-1>{}), at_byte("4095")); }
TEST(KernelMutants, OneVectorTooFew) { EXPECT_EQ(wrong_with(WrongBy<-16>{}), at_byte("4080")); }
TEST(KernelMutants, OneByteWrittenTooMany) {
    EXPECT_EQ(wrong_with(WritesOneTooMany{}), "something was written 1 byte after the target's end");
}
TEST(KernelMutants, OneByteWrittenBefore) {
    EXPECT_EQ(wrong_with(WritesOneBefore{}), "something was written 1 byte before the target");
}
TEST(KernelMutants, OneByteReadTooMany) { EXPECT_DEATH(wrong_with(WrongBy<1>{}), "heap-buffer-overflow"); }
TEST(KernelMutants, OneVectorReadTooMany) { EXPECT_DEATH(wrong_with(WrongBy<16>{}), "heap-buffer-overflow"); }
TEST(KernelMutants, NothingDone) { EXPECT_EQ(wrong_with(DoesNothing{}), at_byte("0")); }
TEST(KernelMutants, ThatNeedAnOrderOfThreads) {
    const Grid grid{.threads = 64};
    EXPECT_EQ(wrong_with(NeedsOrder{}, grid, 64), "");
    EXPECT_NE(wrong_with(NeedsOrder{}, grid, 64, ThreadOrder::descending), "");
    EXPECT_NE(wrong_with(NeedsOrder{}, grid, 64, ThreadOrder::seeded), "");
}
TEST(KernelMutants, IndicesOf32Bits) {
    const auto bytes = (std::size_t{1} << 36) + 3 * 32768;
    const Grid grid{.blocks = static_cast<unsigned>(bytes / 32768), .threads = 64};
    const Kernel mutant{.operation = [=](const Setting&) { return copying(Narrow{}, grid, bytes); }};
    const Reserved source(bytes);
    const Reserved target(bytes);
    source.get()[0] = source.get()[bytes - 1] = std::byte{1};
    run_ends(mutant, {{"bytes", bytes}}, {target.get(), source.get()});
    EXPECT_EQ(target.get()[0], std::byte{1});
    EXPECT_NE(target.get()[bytes - 1], std::byte{1});
}
TEST(KernelMutants, LoadThatIsNotAwaited) { EXPECT_NE(wrong_in_stages(BulkWithoutWaitingForTheLoad{}, 1024), ""); }
TEST(KernelMutants, StageOverwrittenWhileRead) {
    EXPECT_NE(wrong_in_stages(BulkThatOverwritesWhatIsStillRead{}, 1024), "");
}
TEST(KernelMutants, GroupThatIsNotAwaited) { EXPECT_NE(wrong_in_stages(AsyncOneGroupTooFew{}, 16), ""); }

TEST(KernelMutants, HalfOfTheOperationsOnANumberIsWrong) {
    auto less = kernel_named("arithmetic/roofline");
    less.operation = [all = less.operation](Setting setting) {
        setting.set["fmas"] = whole(setting.set, "fmas") / 2;
        return all(setting);
    };
    for (const int fmas : {2, 4, 16, 256})
        for (const auto* type : {"float", "double"})
            EXPECT_NE(wrong(less, {{"bytes", 4096}, {"fmas", fmas}, {"type", type}}), "") << fmas << " " << type;
}

}  // namespace
}  // namespace tocuda
