// tocuda, Apache-2.0.
// Tests how a flag is passed: the numbers that arrive, a side that gives up, and what is said of those that did not
// arrive.
#include "kernels/flag.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

struct Flags {
    explicit Flags(unsigned turns, unsigned base = 0) {
        exchange = {.first = {.awaited = &back, .sent = &forth},
                    .second = {.awaited = &forth, .sent = &back},
                    .turns = turns,
                    .base = base,
                    .of_first = &of_first,
                    .of_second = &of_second};
    }
    std::string wrong() const { return what_did_not_arrive(exchange, of_first, of_second); }

    unsigned forth = 0;
    unsigned back = 0;
    FlagArrivals of_first{};
    FlagArrivals of_second{};
    FlagExchange exchange{};
};

constexpr std::uint64_t a_minute = 60'000'000'000;  // two threads that spin may share a processor with others

// Plays the first side as the kernel does; returns how often the flag came back.
unsigned ask(const FlagExchange& exchange) {
    const std::atomic_ref awaited(*const_cast<unsigned*>(exchange.first.awaited));
    const std::atomic_ref sent(*exchange.first.sent);
    for (unsigned turn = 0; turn <= exchange.turns; ++turn) {
        sent.store(exchange.first_sends(turn));
        while (awaited.load() != exchange.second_sends(turn)) continue;
    }
    return exchange.turns + 1;
}

TEST(Flag, IsPassedByTheGpuAndTheHost) {
    Flags flags(20);
    flags.exchange.patience_ns = a_minute;
    std::thread host([&] { answer(flags.exchange); });
    launch_first(Stream(), flags.exchange);
    host.join();
    EXPECT_EQ(flags.wrong(), "");
    EXPECT_EQ(flags.of_first.arrived, 21U) << "one turn more than are timed";
    EXPECT_EQ(flags.of_first.sum, 21U * 22) << "2 + 4 + ... + 42";
    EXPECT_EQ(flags.of_second.sum, 21U * 21) << "1 + 3 + ... + 41";
    EXPECT_EQ(flags.back, flags.exchange.last());
}

TEST(Flag, IsAnsweredByTheGpu) {
    Flags flags(20, 1000);
    flags.exchange.patience_ns = a_minute;
    std::thread first([&] { flags.of_first.arrived = ask(flags.exchange); });
    launch_second(Stream(), flags.exchange);
    first.join();
    EXPECT_EQ(flags.of_second.arrived, 21U);
    EXPECT_EQ(flags.of_second.sum, 21U * 1021);
    EXPECT_EQ(flags.back, flags.exchange.last());
}

TEST(Flag, IsGivenUpWhereNobodyAnswers) {
    Flags flags(5);
    flags.exchange.patience_ns = 1000;
    launch_first(Stream(), flags.exchange);
    EXPECT_EQ(flags.wrong(), "the flag stopped on its way to the second side, after 0 of 6 times");
    flags.forth = 0;
    answer(flags.exchange);
    EXPECT_EQ(flags.of_second.arrived, 0U);
}

TEST(Flag, ThatOneSideSendsElsewhereDoesNotArrive) {
    Flags flags(5);
    flags.exchange.patience_ns = 50'000'000;
    unsigned elsewhere = 0;
    flags.exchange.second.sent = &elsewhere;
    std::thread host([&] { answer(flags.exchange); });
    launch_first(Stream(), flags.exchange);
    host.join();
    EXPECT_EQ(flags.wrong(), "the flag stopped on its way back, after 0 of 6 times");
}

TEST(Flag, WithOtherNumbersThanWereSentIsWrong) {
    Flags flags(9);
    flags.of_first = {.arrived = 10, .sum = 10 * 11};
    flags.of_second = {.arrived = 10, .sum = 10 * 10};
    EXPECT_EQ(flags.wrong(), "");
    ++flags.of_second.sum;
    EXPECT_EQ(flags.wrong(), "the numbers that arrived are not those that were sent");
    flags.of_second.arrived = 5;
    flags.of_first.arrived = 4;
    EXPECT_EQ(flags.wrong(), "the flag stopped on its way back, after 4 of 10 times");
}

}  // namespace
}  // namespace tocuda
