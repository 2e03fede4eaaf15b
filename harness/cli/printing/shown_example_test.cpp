// tocuda, Apache-2.0.
// A document's example, with what each line did beneath it, and where.
#include "printing/shown_example.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

Listed example() {
    Scenario scenario{.name = "documents/009_1", .summary = "move x, then print it", .claims = {}, .variants = {}};
    scenario.code = {"import torch", "x = torch.ones(2).cuda()", "", "# Correct: print", "print(x)"};
    scenario.says = "it moves x";
    scenario.illustrates = {"000-01"};
    return {.scenario = scenario, .worker = "", .runnable = "none", .because = ""};
}

// What one variant did.
Row row(const std::string& variant, Evidence evidence) {
    return {.name = "documents/009_1", .variant = variant, .evidence = std::move(evidence)};
}

Row without_driver() {
    return row("no_driver", {.observations = {{"line.2.raises", "RuntimeError: no driver"},
                                              {"second.5.raises", "NameError: x"},
                                              {"exit_code", 1},
                                              {"tensors", Values{}},
                                              {"seconds", 0.5},
                                              {"resident_mib", 500}}});
}

Row on_gpu(const std::string& printed) {
    return row("gpu", {.device = Device::simulated,
                       .stand_in = {"runtime 1xH200"},
                       .observations = {{"line.5.prints", Values{printed}},
                                        {"exit_code", 0},
                                        {"tensors", Values{"x: cuda:0, float32, [2]"}},
                                        {"seconds", 1.5},
                                        {"resident_mib", 900},
                                        {"gpu_peak_mib", 2}}});
}

std::string shown(const std::vector<LastSeen>& seen) {
    return example_text(example(), seen, {{"000-01", "x moves"}}, Paper(false));
}

constexpr auto head = R"(documents/009_1: move x, then print it
document 000, "Why is a PyTorch Tensor failing to move to the GPU?" (2025-01-30)
 says       it moves x
 claims     000-01 x moves

)";

TEST(ShownExample, SaysBeneathEachLineWhatItDidAndWhere) {
    const LastSeen here{.file = "/r/here.jsonl", .rows = {without_driver(), on_gpu("tensor")}, .libtorch = "2.15"};
    EXPECT_EQ(shown({here}), std::string(head) + R"(  1  import torch
  2  x = torch.ones(2).cuda()
       no driver: raises RuntimeError: no driver, and ends
  3
  4  # Correct: print
  5  print(x)
       simulated 1xH200: prints tensor
       no driver: (second half alone) raises NameError: x, and ends

 ends       no driver: exit code 1
            simulated 1xH200: exit code 0
 tensors    simulated 1xH200: x: cuda:0, float32, [2]
 costs      at most 1.5 s, 900 MiB of host memory (LibTorch included), 2 MiB of
            tensors on a GPU
 run in     here.jsonl
)");
}

TEST(ShownExample, TellsVersionsOfLibTorchApartOnlyWhereTheyDiffer) {
    const LastSeen here{.file = "/r/here.jsonl", .rows = {without_driver(), on_gpu("new")}, .libtorch = "2.15"};
    const LastSeen kept{.file = "/r/kept.jsonl", .rows = {without_driver(), on_gpu("old")}, .libtorch = "2.11"};
    const auto text = shown({here, kept});
    EXPECT_NE(text.find("\n       no driver: raises RuntimeError: no driver, and ends\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n       simulated 1xH200 (LibTorch 2.15): prints new\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n       simulated 1xH200 (LibTorch 2.11): prints old\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n run in     here.jsonl\n            kept.jsonl\n"), std::string::npos) << text;
}

TEST(ShownExample, OfTheSameVersionTheResultHereCounts) {
    const LastSeen here{.file = "/r/here.jsonl", .rows = {on_gpu("mine")}, .libtorch = "2.15"};
    const LastSeen kept{.file = "/r/kept.jsonl", .rows = {on_gpu("theirs")}, .libtorch = "2.15"};
    const auto text = shown({here, kept});
    EXPECT_NE(text.find("\n       prints mine\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("theirs"), std::string::npos) << text;
}

TEST(ShownExample, SaysThatTheSecondHalfAloneRunsToItsEnd) {
    auto halted = on_gpu("tensor");
    halted.evidence.observations.push_back({"second.5.ends", Values{"x: cuda:0, float32, [2]"}});
    const LastSeen here{.file = "/r/here.jsonl", .rows = {halted}, .libtorch = "2.15"};
    const auto text = shown({LastSeen{}, here});
    EXPECT_NE(text.find("\n run in     here.jsonl\n"), std::string::npos) << text;
    EXPECT_NE(text.find("       (second half alone) runs to its end; tensors: x: cuda:0, float32, [2]\n"),
              std::string::npos)
        << text;
}

TEST(ShownExample, SaysHowToRunItWhereItNeverRan) {
    EXPECT_NE(shown({LastSeen{}}).find("\n not run    `tocuda run documents/009_1` runs it\n"), std::string::npos)
        << shown({LastSeen{}});
}

}  // namespace
}  // namespace tocuda
