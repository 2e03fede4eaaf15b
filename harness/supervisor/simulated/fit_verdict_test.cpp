// tocuda, Apache-2.0.
// What speaks for FITS, TIGHT, NOT, and what leaves each of them open.
#include <gtest/gtest.h>

#include <functional>

#include "simulated/fitting.hpp"

namespace tocuda {
namespace {

constexpr std::int64_t mib = 1 << 20;
// With 100 MiB outside: comfortable from 1100 MiB on, at the brink from 900 MiB on.
constexpr std::int64_t fits = 1500 * mib, tight = 1000 * mib, too_little = 500 * mib;

FitNeed known() {
    FitNeed need;
    need.comfortable_bytes = 1100 * mib;
    need.brink = {{.bytes = 800 * mib, .failed_at_bytes = 798 * mib, .basis = "ran"}};
    need.outside = {.bytes = 100 * mib};
    return need;
}

FitGpu judged_with(std::int64_t memory, const FitNeed& need) {
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    target.machine.gpus[0].memory_bytes = memory;
    return judged(target, need);
}

TEST(FitVerdict, IsByMemory) {
    struct Case {
        std::int64_t memory;
        const char* verdict;
        std::int64_t left;
    };
    for (const auto& each : {Case{1100 * mib, "fits", 0}, Case{1098 * mib, "tight", 198 * mib},
                             Case{900 * mib, "tight", 0}, Case{898 * mib, "not", -2 * mib}}) {
        const auto gpu = judged_with(each.memory, known());
        EXPECT_EQ(gpu.verdict, each.verdict) << each.memory / mib;
        EXPECT_EQ(gpu.left_bytes, each.left) << each.memory / mib;
        EXPECT_EQ(gpu.because, "");
    }
}

TEST(FitVerdict, IsOpenWhereSomethingSpeaksAgainstIt) {
    const auto reason = [](const char* of) {
        return [of](FitNeed& need) { need.not_known.push_back(std::string(of) + " (aten::operator)"); };
    };
    const auto brink = [](auto change) { return [change](FitNeed& need) { change(need.brink[0]); }; };
    struct Case {
        const char* what;
        std::function<void(FitNeed&)> change;
        bool fits_stands, tight_stands, not_stands;
    };
    const std::vector<Case> cases{
        {"cuDNN with room for copies of all that is live", reason(of_cudnn), true, false, false},
        {"cuDNN without",
         [](FitNeed& need) {
             need.not_known.push_back(of_cudnn);
             need.peak.allocated_bytes = 800 * mib;
         },
         false, false, false},
        {"foreign kernels", reason(of_kernels), false, false, false},
        {"sizes by value", reason(of_sizes), false, false, false},
        {"NCCL only takes more", reason(of_collectives), false, false, true},
        {"sums can only be too large", reason(of_sums), true, false, false},
        {"Inductor can only take less", reason(of_compile), true, false, false},
        {"a branch by value is only said", reason("nothing was computed"), true, true, true},
        {"guessed", brink([](FitBrink& it) { it.basis = "guessed"; }), true, false, false},
        {"ran below", brink([](FitBrink& it) { it.failed_at_bytes.reset(); }), true, true, false},
        {"failed above", brink([](FitBrink& it) { it.fails_above_bytes = 950 * mib; }), true, false, true},
        {"ended with an error", brink([](FitBrink& it) { it.ended_otherwise = true; }), false, false, false},
        {"went on", brink([](FitBrink& it) { it.went_on = true; }), true, false, false},
        {"failed everywhere near", brink([](FitBrink& it) { it.basis = "more than"; }), true, false, true},
        {"outside by 450 MiB", [](FitNeed& need) { need.outside.uncertain_bytes = 450 * mib; }, false, false, false},
        {"outside by 50 MiB", [](FitNeed& need) { need.outside.uncertain_bytes = 50 * mib; }, true, true, true},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.what);
        auto need = known();
        each.change(need);
        EXPECT_EQ(judged_with(fits, need).verdict, each.fits_stands ? "fits" : "open");
        EXPECT_EQ(judged_with(tight, need).verdict, each.tight_stands ? "tight" : "open");
        EXPECT_EQ(judged_with(too_little, need).verdict, each.not_stands ? "not" : "open");
    }
}

TEST(FitVerdict, IsByWhatTheProgramDidOnTheGpuItself) {
    const FitOwnRun survived{.survived = true, .left_bytes = 42 * mib};
    const FitOwnRun failed{.ran_out_of_memory = true, .code = 1};
    struct Case {
        std::int64_t memory;
        FitOwnRun own;
        const char *verdict, *basis;
        std::int64_t left;
    };
    auto need = known();
    need.brink[0].failed_at_bytes.reset();
    need.outside.uncertain_bytes = 10 * mib;
    for (const auto& each :
         {Case{fits, survived, "fits", ran_there, 42 * mib}, Case{fits, failed, "not", failed_there, 0},
          Case{tight, survived, "tight", "ran", 100 * mib}, Case{too_little, survived, "fits", ran_there, 42 * mib},
          Case{too_little, failed, "not", failed_there, -400 * mib}}) {
        FitTarget target{.name = "a GPU"};
        target.machine.gpus.resize(1);
        target.machine.gpus[0].memory_bytes = each.memory;
        const auto gpu = judged(target, need, each.own);
        EXPECT_EQ(gpu.verdict, each.verdict) << each.memory / mib;
        EXPECT_EQ(gpu.basis, each.basis) << each.memory / mib;
        EXPECT_EQ(gpu.left_bytes, each.left) << each.memory / mib;
    }
    need.not_known = {of_cudnn};
    need.peak.allocated_bytes = 800 * mib;
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    EXPECT_EQ(judged(target, need, survived).verdict, "open");
}

// As with torch.cuda.set_per_process_memory_fraction: what it fails with depends on how much there is.
TEST(FitVerdict, IsByAnOwnRunWhereTheProgramFailedAndTheReplayDidNot) {
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    target.machine.gpus[0].memory_bytes = fits;
    EXPECT_FALSE(wants_own_run(target, known()));
    auto more = known();
    more.brink[0] = {.bytes = 1020 * mib, .failed_at_bytes = 1020 * mib, .basis = "more than"};
    EXPECT_TRUE(wants_own_run(target, more));
    const FitOwnRun failed{.ran_out_of_memory = true, .code = 1};
    EXPECT_EQ(judged(target, more, failed).verdict, "not");
    auto above = known();
    above.brink[0] = {.bytes = 1600 * mib, .failed_at_bytes = 1598 * mib, .basis = "ran"};
    EXPECT_TRUE(wants_own_run(target, above));
    EXPECT_EQ(judged(target, above, failed).verdict, "not");
}

TEST(FitVerdict, AProgramThatMetAnOutOfMemoryAndWentOnDidNotFail) {
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    target.machine.gpus[0].memory_bytes = too_little;
    const auto gpu = judged(target, known(), FitOwnRun{.ran_out_of_memory = true});
    EXPECT_EQ(gpu.verdict, "open");
    EXPECT_EQ(gpu.basis, went_on_there);
}

TEST(FitVerdict, IsOpenWhereTheProgramEndsWithAnErrorOnTheGpuItself) {
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    target.machine.gpus[0].memory_bytes = fits;
    EXPECT_EQ(judged(target, known(), FitOwnRun{.code = 1}).verdict, "open");
    EXPECT_EQ(judged(target, known(), FitOwnRun{.ran_out_of_memory = true}).verdict, "open") << "it went on";
}

TEST(FitVerdict, KeepsTheMarginOfABrinkThatTheOwnRunConfirms) {
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    target.machine.gpus[0].memory_bytes = too_little;
    EXPECT_EQ(judged(target, known(), FitOwnRun{.ran_out_of_memory = true, .code = 1}).left_bytes, -400 * mib);
    target.machine.gpus[0].memory_bytes = fits;
    EXPECT_EQ(judged(target, known(), FitOwnRun{.survived = true, .left_bytes = 1}).left_bytes, 400 * mib);
    auto asks = known();
    asks.asks = true;
    EXPECT_EQ(judged(target, asks, FitOwnRun{.survived = true, .left_bytes = 1}).left_bytes, 1);
}

TEST(FitVerdict, WantsAnOwnRunWhereTheNeedDoesNotSayEnough) {
    FitTarget small{.name = "a GPU"};
    small.machine.gpus.resize(1);
    small.machine.gpus[0].memory_bytes = too_little;
    EXPECT_TRUE(wants_own_run(small, known())) << "it may catch what fails at the brink";
    auto large = small;
    large.machine.gpus[0].memory_bytes = fits;
    EXPECT_FALSE(wants_own_run(large, known()));
    auto asks = known();
    asks.asks = true;
    EXPECT_TRUE(wants_own_run(large, asks));
    auto ran_below = known();
    ran_below.brink[0].failed_at_bytes.reset();
    EXPECT_TRUE(wants_own_run(small, ran_below));
}

TEST(FitVerdict, CountsWhatOthersUseOfTheGpu) {
    FitTarget target{.name = "a GPU"};
    target.machine.gpus.resize(1);
    target.machine.gpus[0].memory_bytes = 1200 * mib;
    target.machine.gpus[0].occupied_bytes = 200 * mib;
    EXPECT_EQ(judged(target, known()).verdict, "tight");
}

}  // namespace
}  // namespace tocuda
