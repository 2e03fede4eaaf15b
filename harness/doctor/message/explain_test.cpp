// tocuda, Apache-2.0.
#include "doctor/message/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

const std::filesystem::path source = TOCUDA_SOURCE;

struct RealError {
    std::string origin{};
    std::string error{};
    std::vector<std::pair<std::string, std::int64_t>> figures{};
    std::vector<std::string> claims{};
    std::string text{};
};

std::vector<RealError> real_errors() {
    std::vector<RealError> all;
    std::ifstream file(source / "harness/doctor/message/real_errors.txt");
    for (std::string line; std::getline(file, line);) {
        const auto rest = line.size() > 2 ? line.substr(2) : "";
        if (line.starts_with("@ ")) all.push_back({.origin = rest});
        else if (all.empty()) continue;
        else if (line.starts_with("= ")) all.back().error = rest;
        else if (line.starts_with("+ ")) all.back().claims.push_back(rest);
        else if (line.starts_with("* "))
            all.back().figures.emplace_back(rest.substr(0, rest.rfind(' ')), std::stoll(rest.substr(rest.rfind(' '))));
        else all.back().text += line + "\n";
    }
    return all;
}

std::vector<KnownError> known_errors() {
    std::vector<KnownError> all;
    for (const auto& family :
         {driver_errors, library_errors, memory_errors, kernel_errors, usage_errors, group_errors, system_errors})
        std::ranges::copy(family(), std::back_inserter(all));
    return all;
}

bool says(const Explanation& told, std::string_view words) {
    const auto has = [&](const std::string& each) { return each.find(words) != std::string::npos; };
    return std::ranges::any_of(told.arithmetic, has) || std::ranges::any_of(told.remedies, has);
}

std::int64_t figure(const Explanation& told, const std::string& name) {
    const auto found = std::ranges::find(told.figures, name, &Figure::name);
    return found == told.figures.end() ? -1 : found->value;
}

constexpr std::string_view hint =
    " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
    "avoid "
    "fragmentation.";
constexpr std::string_view fragmented =
    "CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 16.00 MiB is "
    "free. Of the allocated memory 512.00 MiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but "
    "unallocated.";

TEST(Explain, NamesRealErrorsWithTheirFiguresAndClaims) {
    for (const auto& real : real_errors()) {
        if (real.error == "none") continue;
        const auto told = explain(real.text);
        ASSERT_TRUE(told) << real.origin << "\n" << real.text;
        EXPECT_EQ(told->error, real.error) << real.origin;
        EXPECT_FALSE(told->meaning.empty()) << real.origin;
        EXPECT_FALSE(told->remedies.empty()) << real.origin;
        EXPECT_FALSE(told->quoted.empty()) << real.origin;
        for (const auto& [name, value] : real.figures)
            EXPECT_EQ(figure(*told, name), value) << real.origin << " " << name;
        for (const auto& claim : real.claims)
            EXPECT_TRUE(std::ranges::count(told->claims, claim)) << real.origin << " " << claim;
    }
}

TEST(Explain, LeavesUnrelatedTextsAlone) {
    for (const auto& real : real_errors()) {
        const auto told = explain(real.text);
        EXPECT_EQ(told.has_value(), real.error != "none") << real.origin << ": " << (told ? told->error : "");
    }
}

TEST(Explain, RealErrorsAreManyAndEachHasAnOrigin) {
    const auto all = real_errors();
    EXPECT_GE(std::ranges::count_if(all, [](const auto& each) { return each.error != "none"; }), 50);
    EXPECT_GE(std::ranges::count(all, "none", &RealError::error), 10);
    for (const auto& each : all) {
        const bool real = each.origin.starts_with("https://") || each.origin.starts_with("c10/") ||
                          std::filesystem::exists(source / each.origin);
        EXPECT_EQ(real, each.error != "none") << each.origin;
    }
}

TEST(Explain, ClaimsAreThoseOfScenarios) {
    std::string evidence;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source / "scenarios")) {
        if (!entry.path().string().ends_with(".evidence.jsonl")) continue;
        std::ifstream file(entry.path());
        evidence.append(std::istreambuf_iterator<char>(file), {});
    }
    for (const auto& error : known_errors())
        for (const auto claim : error.claims)
            EXPECT_NE(evidence.find("\"id\":\"" + std::string(claim) + "\""), std::string::npos) << claim;
}

TEST(Explain, EveryKnownErrorIsFoundByEachOfItsNeedlesUnlessItAsksForMore) {
    for (const auto& error : known_errors())
        for (const auto needle : error.needles) {
            const auto told = explain(needle);
            EXPECT_TRUE(error.applies || (told && told->error == error.name)) << needle;
        }
}

TEST(Explain, PrefersTheCauseToEarlierConsequences) {
    std::string log =
        "[rank1]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, "
        "Timeout(ms)=600000) ran for 600013 milliseconds before timing out.\n";
    EXPECT_EQ(explain(log)->error, "NCCL timeout");
    log += "[rank0]: torch.OutOfMemoryError: " + std::string(fragmented) + "\n";
    EXPECT_EQ(explain(log)->error, "CUDA out of memory");
    EXPECT_EQ(explain(log)->line, 2U);
}

TEST(Explain, TellsTheFirstOfSeveralCauses) {
    const std::string log =
        "start\nIndexing.cu:1231: block: [31,0,0], thread: [29,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`\n"
        "During handling of the above exception, another exception occurred:\n"
        "RuntimeError: CUDA error: an illegal memory access was encountered\n";
    const auto told = explain(log);
    EXPECT_EQ(told->error, "device-side assert");
    EXPECT_EQ(told->line, 2U);
    EXPECT_TRUE(says(*told, "srcIndex < srcSelectDimSize"));
}

TEST(Explain, SaysHowMuchIsFragmentation) {
    const auto told = explain(std::string(fragmented) + std::string(hint));
    EXPECT_EQ(told->claims.front(), "002-06");
    EXPECT_TRUE(says(*told, "512.00 MiB that no tensor uses, and no piece of it is as large as 128.00 MiB"));
    EXPECT_TRUE(says(*told, "50 % of what PyTorch reserves is lost to gaps"));
    EXPECT_TRUE(says(*told, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
}

TEST(Explain, DoesNotRecommendExpandableSegmentsThatAreOn) {
    for (const std::string set : {"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n",
                                  "{'expandable_segments': True, 'max_split_size': -1}\n"}) {
        const auto told = explain(set + std::string(fragmented) + std::string(hint));
        EXPECT_TRUE(says(*told, "pytorch#173049")) << set;
        EXPECT_FALSE(says(*told, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments")) << set;
    }
}

TEST(Explain, DoesNotRecommendExpandableSegmentsToVersionsThatRefuseThem) {
    const auto full = explain(
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.49 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reserved in total by PyTorch)");
    EXPECT_FALSE(says(*full, "expandable"));
    EXPECT_TRUE(says(*full, "tensors hold 9.49 GiB of the 9.53 GiB that PyTorch reserves"));
    EXPECT_FALSE(says(*full, "lost to gaps"));
    EXPECT_TRUE(says(*full, "1.22 GiB lie outside PyTorch"));
    EXPECT_TRUE(full->remedies.front().starts_with("use a smaller batch")) << full->remedies.front();
    const auto gaps = explain(
        "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 10.76 GiB total capacity; 5.00 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reserved in total by PyTorch)");
    EXPECT_FALSE(says(*gaps, "expandable"));
    EXPECT_TRUE(gaps->remedies.front().starts_with("export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128"));
    const auto lacking = explain(
        "CUDA out of memory. Tried to allocate 8.00 GiB (GPU 0; 10.76 GiB total capacity; 5.00 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reserved in total by PyTorch)");
    EXPECT_FALSE(says(*lacking, "expandable"));
}

TEST(Explain, NamesTheCudaErrorThatNcclNames) {
    const std::string text =
        "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94, unhandled cuda error";
    EXPECT_NE(explain(text)->meaning.find("NCCL's own log names it"), std::string::npos);
    const auto told = explain(text + ", NCCL version 2.27.3\nLast error:\nCuda failure 2 'out of memory'");
    EXPECT_EQ(told->meaning, "A CUDA call within NCCL failed: out of memory.");
    EXPECT_TRUE(says(*told, "use a smaller batch"));
    EXPECT_FALSE(says(*told, "NCCL WARN"));
}

TEST(Explain, SaysWhatWouldHaveBeenEnough) {
    const auto lacking = explain(
        "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is "
        "free. "
        "Including non-PyTorch memory, this process has 7.00 GiB memory in use. Of the allocated memory 6.00 GiB is "
        "allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.");
    EXPECT_TRUE(
        says(*lacking, "4.00 GiB requested - 1.00 GiB free - 512.00 MiB reserved but unused = 2.50 GiB lacking"));
    EXPECT_TRUE(says(*lacking, "a GPU with 10.50 GiB"));
    EXPECT_TRUE(says(*lacking, "512.00 MiB of its CUDA context"));
    const auto shared = explain(
        "CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 512.00 MiB is "
        "free. Process 21422 has 5.50 GiB memory in use. Including non-PyTorch memory, this process has 2.00 GiB "
        "memory in "
        "use. Of the allocated memory 1.50 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but "
        "unallocated.");
    EXPECT_EQ(figure(*shared, "other processes"), std::int64_t{5632} << 20);
    EXPECT_TRUE(says(*shared, "without the other processes it would have been enough"));
    EXPECT_TRUE(says(*shared, "process 21422 uses 5.50 GiB"));
}

TEST(Explain, ReadsAMessageThatATerminalWrapped) {
    const auto told = explain(
        "\xe2\x94\x82 OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "\xe2\x94\x82\n"
        "\xe2\x94\x82 capacity of 4.00 GiB of which 1.00 GiB is free. Of the allocated memory 2.00   \xe2\x94\x82\n"
        "\xe2\x94\x82 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.\n");
    EXPECT_EQ(figure(*told, "total"), std::int64_t{4} << 30);
    EXPECT_EQ(figure(*told, "allocated"), std::int64_t{2} << 30);
}

TEST(Explain, ReadsBinaryTextsAndEndlessLines) {
    std::string text(std::size_t{3} << 20, '\0');
    text += "CUDA error: an illegal memory access was encountered";
    const auto told = explain(text);
    EXPECT_EQ(told->error, "illegal memory access");
    EXPECT_EQ(told->line, 1U);
    EXPECT_LE(told->quoted.size(), 203U);
    EXPECT_EQ(told->quoted.find('\0'), std::string::npos);
    EXPECT_FALSE(explain(std::string(100, '\xff')));
    EXPECT_FALSE(explain(""));
}

TEST(Explain, ReadsTextsThatAreCutAnywhere) {
    for (const auto& real : real_errors())
        for (std::size_t end = 0; end < real.text.size(); end += 31) {
            const auto told = explain(std::string(real.text, 0, end));  // a sanitizer sees reads beyond it
            EXPECT_TRUE(!told || !told->quoted.empty()) << real.origin;
        }
}

}  // namespace
}  // namespace tocuda::doctor
