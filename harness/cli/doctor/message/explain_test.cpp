// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "doctor/message/known_error.hpp"
#include "doctor/message/mentions_test.hpp"
#include "doctor/message/message.hpp"

namespace tocuda::doctor {
namespace {

const std::filesystem::path source = TOCUDA_SOURCE;

struct RealError {
    std::string origin{};
    std::string error{};
    std::vector<std::pair<std::string, std::int64_t>> figures{};
    std::vector<std::string> claims{};
    std::vector<std::string> words{};
    std::string text{};
};

std::vector<RealError> real_errors() {
    std::vector<RealError> all;
    std::ifstream file(source / "harness/cli/doctor/message/real_errors.txt");
    for (std::string line; std::getline(file, line);) {
        const auto rest = line.size() > 2 ? line.substr(2) : "";
        if (line.starts_with("@ ")) all.push_back({.origin = rest});
        else if (all.empty()) continue;
        else if (line.starts_with("= ")) all.back().error = rest;
        else if (line.starts_with("+ ")) all.back().claims.push_back(rest);
        else if (line.starts_with("~ ")) all.back().words.push_back(rest);
        else if (line.starts_with("* "))
            all.back().figures.emplace_back(rest.substr(0, rest.rfind(' ')), std::stoll(rest.substr(rest.rfind(' '))));
        else all.back().text += line + "\n";
    }
    return all;
}

std::string all_of(const Explanation& told) {
    auto text = "\n" + told.error + ": " + told.meaning;
    for (const auto& sentence : told.arithmetic) text += "\n  " + sentence;
    for (const auto& remedy : told.remedies) text += "\n- " + remedy.what;
    return text;
}

std::int64_t figure(const Explanation& told, const std::string& name) {
    const auto found = std::ranges::find(told.figures, name, &Figure::name);
    return found == told.figures.end() ? -1 : found->value;
}

constexpr std::string_view hint =
    " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to "
    "avoid fragmentation.";
constexpr std::string_view fragmented =
    "CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 16.00 MiB is "
    "free. Of the allocated memory 512.00 MiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but "
    "unallocated.";

TEST(Explain, NamesRealErrorsWithTheirFiguresAndClaims) {
    for (const auto& real : real_errors()) {
        if (real.error == "none") continue;
        const auto told = explain(readable(real.text));
        ASSERT_TRUE(told) << real.origin << "\n" << real.text;
        EXPECT_EQ(told->error, real.error) << real.origin;
        for (const auto& words : real.words)
            EXPECT_TRUE(mentions(*told, words)) << real.origin << " " << words << all_of(*told);
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
        const auto told = explain(readable(real.text));
        EXPECT_EQ(told.has_value(), real.error != "none") << real.origin << ": " << (told ? told->error : "");
        const auto cut = real.error == "none" ? explain_cut(readable(real.text)) : std::nullopt;
        EXPECT_FALSE(cut) << real.origin << ": " << cut->error;
    }
}

TEST(Explain, RealErrorsAreManyAndEachHasAnOrigin) {
    const auto all = real_errors();
    EXPECT_GE(std::ranges::count_if(all, [](const auto& each) { return each.error != "none"; }), 50);
    EXPECT_GE(std::ranges::count(all, "none", &RealError::error), 10);
    for (const auto& each : all) {
        const bool real = each.origin.starts_with("https://") || each.origin.starts_with("c10/") ||
                          std::filesystem::exists(source / each.origin);
        EXPECT_TRUE(real || (each.error == "none" && each.origin.starts_with("form of "))) << each.origin;
    }
}

TEST(Explain, ClaimsAreThoseOfScenarios) {
    std::string evidence;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source / "scenarios")) {
        if (!entry.path().string().ends_with(".evidence.jsonl")) continue;
        std::ifstream file(entry.path());
        evidence.append(std::istreambuf_iterator<char>(file), {});
    }
    for (const auto& error : all_known_errors())
        for (const auto& claim : error.claims)
            EXPECT_NE(evidence.find("\"id\":\"" + claim + "\""), std::string::npos) << claim;
}

TEST(Explain, EveryKnownErrorIsFoundByEachOfItsNeedlesUnlessItAsksForMore) {
    for (const auto& error : all_known_errors())
        for (const auto& needle : error.needles) {
            const auto told = explain(needle);
            EXPECT_TRUE(error.applies || !error.near.empty() || !error.in_line.empty() ||
                        (told && told->error == error.name))
                << needle;
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
        "start\nIndexing.cu:1231: block: [31,0,0], thread: [29,0,0] Assertion `srcIndex < srcSelectDimSize` "
        "failed.\nRuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`\nDuring "
        "handling of the above exception, another exception occurred:\nRuntimeError: CUDA error: an illegal memory "
        "access was encountered\n";
    const auto told = explain(log);
    EXPECT_EQ(told->error, "device-side assert");
    EXPECT_EQ(told->line, 2U);
    EXPECT_TRUE(mentions(*told, "srcIndex < srcSelectDimSize"));
}

TEST(Explain, SaysHowMuchIsFragmentation) {
    const auto told = explain(std::string(fragmented) + std::string(hint));
    EXPECT_EQ(told->claims.front(), "002-06");
    EXPECT_TRUE(mentions(*told, "512.00 MiB that no tensor uses, and no piece of it is as large as 128.00 MiB"));
    EXPECT_TRUE(mentions(*told, "50 % of what PyTorch reserves is lost to gaps"));
    EXPECT_TRUE(mentions(*told, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
}

TEST(Explain, DoesNotRecommendExpandableSegmentsThatAreOn) {
    for (const std::string set : {"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n",
                                  "{'expandable_segments': True, 'max_split_size': -1}\n"}) {
        const auto told = explain(set + std::string(fragmented) + std::string(hint));
        EXPECT_TRUE(mentions(*told, "pytorch#173049")) << set;
        EXPECT_FALSE(mentions(*told, "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments")) << set;
    }
}

TEST(Explain, DoesNotRecommendExpandableSegmentsToVersionsThatRefuseThem) {
    const auto full = explain(
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.49 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reserved in total by PyTorch)");
    EXPECT_FALSE(mentions(*full, "expandable"));
    EXPECT_TRUE(mentions(*full, "tensors hold 9.49 GiB of the 9.53 GiB that PyTorch reserves"));
    EXPECT_FALSE(mentions(*full, "lost to gaps"));
    EXPECT_TRUE(mentions(*full, "others 1.22 GiB"));
    EXPECT_TRUE(mentions(*full, "use a smaller batch"));
    const auto gaps = explain(
        "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 10.76 GiB total capacity; 5.00 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reserved in total by PyTorch)");
    EXPECT_FALSE(mentions(*gaps, "expandable"));
    EXPECT_TRUE(mentions(*gaps, "export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128"));
    const auto lacking = explain(
        "CUDA out of memory. Tried to allocate 8.00 GiB (GPU 0; 10.76 GiB total capacity; 5.00 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reserved in total by PyTorch)");
    EXPECT_FALSE(mentions(*lacking, "expandable"));
}

TEST(Explain, NamesTheCudaErrorThatNcclNames) {
    const std::string text =
        "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94, unhandled cuda error";
    EXPECT_NE(explain(text)->meaning.find("NCCL's own log names it"), std::string::npos);
    const auto told = explain(text + ", NCCL version 2.27.3\nLast error:\nCuda failure 2 'out of memory'");
    EXPECT_EQ(told->meaning, "A CUDA call within NCCL failed: out of memory.");
    EXPECT_TRUE(mentions(*told, "use a smaller batch"));
    EXPECT_FALSE(mentions(*told, "NCCL WARN"));
}

TEST(Explain, SaysWhatWouldHaveBeenEnough) {
    const auto lacking = explain(
        "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 1.00 GiB is "
        "free. Including non-PyTorch memory, this process has 7.00 GiB memory in use. Of the allocated memory 6.00 GiB "
        "is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated.");
    EXPECT_TRUE(
        mentions(*lacking, "4.00 GiB requested - 1.00 GiB free - 512.00 MiB reserved but unused = 2.50 GiB short"));
    EXPECT_TRUE(mentions(*lacking, "a GPU with 10.50 GiB"));
    EXPECT_TRUE(mentions(*lacking, "512.00 MiB of its CUDA context"));
    const auto shared = explain(
        "CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 512.00 MiB is "
        "free. Process 21422 has 5.50 GiB memory in use. Including non-PyTorch memory, this process has 2.00 GiB "
        "memory in use. Of the allocated memory 1.50 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch "
        "but unallocated.");
    EXPECT_EQ(figure(*shared, "other processes"), std::int64_t{5632} << 20);
    EXPECT_TRUE(mentions(*shared, "without the 5.50 GiB of others it would have been enough"));
    EXPECT_TRUE(mentions(*shared, "process 21422 has 5.50 GiB"));
    EXPECT_EQ(shared->remedies.front().scope, Scope::look);
}

TEST(Explain, ReadsAMessageThatATerminalWrapped) {
    const auto told = explain(
        "\xe2\x94\x82 OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
        "\xe2\x94\x82\n\xe2\x94\x82 capacity of 4.00 GiB of which 1.00 GiB is free. Of the allocated memory 2.00   "
        "\xe2\x94\x82\n\xe2\x94\x82 GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but "
        "unallocated.\n");
    EXPECT_EQ(figure(*told, "total"), std::int64_t{4} << 30);
    EXPECT_EQ(figure(*told, "allocated"), std::int64_t{2} << 30);
}

TEST(Explain, SaysThatAnotherProcessHoldsTheGpu) {
    const auto told = explain(
        "CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 79.10 GiB of which 20.00 MiB "
        "is free. Process 3021 has 78.50 GiB memory in use. Including non-PyTorch memory, this process has 590.00 MiB "
        "memory in use. Of the allocated memory 110.00 MiB is allocated by PyTorch, and 18.00 MiB is reserved by "
        "PyTorch but unallocated.");
    EXPECT_EQ(told->meaning.find("Other processes use 78.50 GiB"), 0U) << told->meaning;
    EXPECT_EQ(told->remedies.front().scope, Scope::look);
    EXPECT_EQ(told->remedies.back().scope, Scope::others);
    EXPECT_TRUE(mentions(*told, "CUDA_VISIBLE_DEVICES=1"));
}

TEST(Explain, KnowsThisProcessByItsSizeInAContainer) {
    const auto told = explain(
        "CUDA out of memory. Tried to allocate 158.00 MiB. GPU 0 has a total capacity of 23.69 GiB of which 115.69 MiB "
        "is free. Process 21422 has 23.57 GiB memory in use. Of the allocated memory 22.14 GiB is allocated by "
        "PyTorch, and 910.35 MiB is reserved by PyTorch but unallocated.");
    EXPECT_TRUE(mentions(*told, "process 21422 has 23.57 GiB: this one, by its size")) << all_of(*told);
    EXPECT_FALSE(mentions(*told, "of others"));
}

TEST(Explain, SaysThatNobodyHoldsWhatWasRefused) {
    const std::string text =
        "CUDA out of memory. Tried to allocate 12.50 MiB. GPU 0 has a total capacity of 12.00 GiB of which 9.28 GiB is "
        "free. Of the allocated memory 1.20 GiB is allocated by PyTorch, and 28.00 MiB is reserved by PyTorch but "
        "unallocated.";
    const auto told = explain(text);
    EXPECT_FALSE(told->certain);
    EXPECT_TRUE(mentions(*told, "ulimit -v"));
    const auto on_windows = explain("File \"C:\\Users\\me\\train.py\", line 3\n" + text);
    EXPECT_TRUE(on_windows->remedies.front().what.starts_with("enlarge the page file")) << all_of(*on_windows);
    EXPECT_FALSE(mentions(*on_windows, "ulimit"));
}

TEST(Explain, PrefersWhatIsRaisedToWhatIsMentioned) {
    const std::string mentioned =
        "node1:100:140 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin: libnccl-net.so: cannot open shared "
        "object file: No such file or directory\n2023-01-01 W "
        "tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
        "'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory\n";
    const std::string raised = "RuntimeError: CUDA error: an illegal memory access was encountered\n";
    EXPECT_EQ(explain(mentioned + raised)->error, "illegal memory access");
    EXPECT_EQ(explain(mentioned)->error, "TensorFlow finds no CUDA");
    EXPECT_FALSE(explain(mentioned.substr(0, mentioned.find('\n'))));
    EXPECT_EQ(explain("ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory")->error,
              "CUDA library not found");
}

TEST(Explain, TellsAllXidsBySeverity) {
    const auto told = explain(
        "NVRM: Xid (PCI:0000:3b:00): 13, pid=7, Graphics Exception\nNVRM: Xid (PCI:0000:3b:00): 43, pid=7\nNVRM: Xid "
        "(PCI:0000:5e:00): 95, pid=9, Uncontained\nNVRM: Xid (PCI:0000:3b:00): 13, pid=8\n");
    EXPECT_EQ(told->error, "Xid: reset the GPU");
    EXPECT_EQ(told->line, 3U);
    ASSERT_EQ(told->arithmetic.size(), 3U) << all_of(*told);
    EXPECT_EQ(told->arithmetic[0].find("Xid 95 of 0000:5e:00: "), 0U);
    EXPECT_EQ(told->arithmetic[1].find("Xid 13 of 0000:3b:00 (2 times): "), 0U);
    EXPECT_NE(told->remedies.front().scope, Scope::others);
    EXPECT_EQ(explain("NVRM: Xid (PCI:0000:3b:00): 43, pid=7")->error,
              "Xid: nothing needs to be done, unless it repeats");
    EXPECT_EQ(explain("NVRM: Xid (PCI:0000:3b:00): 13, pid=7")->error, "Xid of a program");
}

TEST(Explain, TellsWhatAnXidAsksFor) {
    const std::string begin = "NVRM: Xid (PCI:0000:3b:00): ";
    const auto contained = explain(begin + "94, pid=7, name=python, Contained: SM (0x1)");
    EXPECT_TRUE(mentions(*contained, "start the program again")) << all_of(*contained);
    EXPECT_FALSE(mentions(*contained, "compute-sanitizer"));
    EXPECT_TRUE(mentions(*explain(begin + "999, pid=7"), "not in NVIDIA's catalogue"));
    EXPECT_TRUE(mentions(*explain(begin + "56, CMDre 0"), "it concerns a monitor"));
    const auto previous = explain(begin + "45, pid=7, name=python, Ch 1 caused by previous Xid 48");
    EXPECT_EQ(previous->error, "Xid: reset the GPU");
    EXPECT_TRUE(mentions(*previous, "Xid 48 of 0000:3b:00: uncorrectable memory error")) << all_of(*previous);
    EXPECT_FALSE(previous->quoted.empty());
}

TEST(Explain, JudgesTheLastBootOfALog) {
    const std::string boot = "[    0.000000] Linux version 6.8.0-45-generic\n";
    const std::string mismatch =
        "[    2.864296] nvidia-modeset: Version mismatch: nvidia.ko(418.152.00) nvidia-modeset.ko(430.64)\n";
    const std::string lost = "[    3.1] NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.\n";
    const auto last = explain(boot + lost + boot + mismatch);
    EXPECT_EQ(last->error, "NVML: driver and library do not match");
    EXPECT_EQ(last->line, 4U);
    EXPECT_TRUE(mentions(*last, "418.152.00, its module nvidia-modeset of 430.64")) << all_of(*last);
    const auto earlier = explain(boot + lost + boot);
    EXPECT_EQ(earlier->error, "GPU lost");
    EXPECT_EQ(earlier->line, 2U);
    EXPECT_TRUE(mentions(*earlier, "before the driver's last start"));
}

TEST(Explain, ReadsTheVersionsOfADriverOverSeveralLines) {
    const auto told = explain(
        "[    9.424670] NVRM: API mismatch: the client 'kwin_wayland' (pid 1005)\n               NVRM: has the version "
        "595.84, but this kernel module has\n               NVRM: the version 595.80.  Please make sure that this\n");
    EXPECT_TRUE(mentions(*told, "the libraries are of 595.84, the loaded module of 595.80")) << all_of(*told);
}

TEST(Explain, SaysWhichToolkitKnowsAGpu) {
    const auto asked = [](const std::string& architecture) {
        return *explain("nvcc fatal   : Unsupported gpu architecture '" + architecture + "'");
    };
    EXPECT_TRUE(mentions(asked("compute_90a"), "9.0 is known to nvcc from CUDA 11.8 on"));
    EXPECT_TRUE(mentions(asked("compute_120"), "12.0 is known to nvcc from CUDA 12.8 on"));
    EXPECT_TRUE(mentions(asked("compute_70"), "from CUDA 9.0 up to CUDA 12.9"));
    EXPECT_TRUE(mentions(asked("compute_native"), "CMAKE_CUDA_ARCHITECTURES"));
}

TEST(Explain, ToldByCudaInWhateverFormAProgramPrintsIt) {
    for (const std::string form : {"CUDA error: ", "CUDA Error: ", "cuda runtime error (11) : ",
                                   "THCudaCheck FAIL file=a.cpp line=1 error=11 : ", "Cuda failure 1 '"}) {
        EXPECT_EQ(explain(form + "invalid argument")->error, "invalid argument to CUDA") << form;
        EXPECT_EQ(explain(form + "unknown error")->error, "CUDA unknown error") << form;
        EXPECT_EQ(explain(form + "initialization error")->error, "CUDA initialization failed") << form;
    }
    for (const std::string line : {"tar: invalid argument", "HIP error: invalid argument", "an unknown error occurred"})
        EXPECT_FALSE(explain(line)) << line;
}

TEST(KernelLog, SaysThatTheDriverReportsNoError) {
    const auto log = judge_kernel_log(
        "[    4.1] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build  (dvs)\n");
    ASSERT_TRUE(log);
    EXPECT_EQ(log->findings.front().evidence, "NVIDIA's driver 570.158.01 was loaded, and reports no error");
    EXPECT_FALSE(judge_kernel_log("[    0.000000] Linux version 6.8.0\n"));
}

TEST(KernelLog, ThatCrashedInTheDriverIsNotWell) {
    const auto log = judge_kernel_log(
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build\n"
        "BUG: kernel NULL pointer dereference, address: 0000000000000008\nOops: 0000 [#1] SMP PTI\n"
        "RIP: 0010:_raw_q_schedule+0x2f/0xb0 [nvidia_uvm]\n");
    ASSERT_TRUE(log);
    EXPECT_EQ(log->findings.front().state, State::fault);
}

TEST(Explain, DoesWhatXid154Says) {
    const auto told = explain(
        "NVRM: Xid (PCI:0000:3b:00): 145, RLW_REMAP Nonfatal\nNVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action "
        "changed from 0x0 (None) to 0x2 (Node Reboot Required)\n");
    EXPECT_EQ(told->error, "Xid: reboot the machine, or power it off and on");
    EXPECT_TRUE(mentions(*told, "\"Node Reboot Required\"")) << all_of(*told);
}

TEST(Explain, ClassesSXidsByTheirWordsAndTheGuide) {
    const std::string begin = "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): ";
    EXPECT_EQ(explain(begin + "11012, Non-fatal, Link 46 corrected")->error,
              "SXid of an NVSwitch: nothing needs to be done, unless it repeats");
    EXPECT_EQ(explain(begin + "20034, Fatal, Link 32 LTSSM Fault Up")->error,
              "SXid of an NVSwitch: reset all GPUs and NVSwitches");
    EXPECT_EQ(explain(begin + "23005, Fatal, whatever")->error,
              "SXid of an NVSwitch: reboot the machine, or power it off and on");
}

TEST(Explain, FitsItsCommandsToTheMachineOfTheText) {
    const std::string no_cuda = "AssertionError: Torch not compiled with CUDA enabled";
    EXPECT_TRUE(mentions(*explain(no_cuda), "fresh/bin/pip install torch")) << all_of(*explain(no_cuda));
    EXPECT_TRUE(
        mentions(*explain("File \"C:\\x\\y.py\"\n" + no_cuda), "fresh\\Scripts\\pip install torch --index-url "));
    EXPECT_TRUE(mentions(*explain("File \"/home/ada/.venv/lib/python3.12/x.py\"\n" + no_cuda), "uv pip install"));
    EXPECT_TRUE(mentions(*explain("File \"/opt/miniconda3/lib/x.py\"\n" + no_cuda), "conda create -n fresh"));
    const auto windows = explain("File \"C:\\x\\y.py\"\nRuntimeError: CUDA error: device-side assert triggered");
    EXPECT_TRUE(mentions(*windows, "set CUDA_LAUNCH_BLOCKING=1&& python")) << all_of(*windows);
}

TEST(Explain, RemediesSayWhatTheyHitAndNoneThatHitsOthersIsFirst) {
    for (const auto& error : all_known_errors()) {
        EXPECT_TRUE(error.remedies.empty() || error.remedies.front().scope != Scope::others) << error.name;
        for (const auto& [what, scope] : error.remedies) {
            const auto has = [text = what](std::string_view words) {
                return text.find(words) != std::string_view::npos;
            };
            const bool hits = has("reboot") || has("--gpu-reset") || has("modprobe -r") || has("systemctl restart") ||
                              has("power the machine") || has("kill ") || has("--shutdown");
            const bool after_a_change = has("then reboot");
            EXPECT_TRUE(!hits || after_a_change || scope == Scope::others) << what;
            EXPECT_TRUE(scope != Scope::others || has("(")) << "a bare command: " << what;
            const bool fresh = has("venv fresh") || has("{torch") || has("--target") || has("-n fresh");
            const bool installs = has("pip install") || has("conda install");
            EXPECT_TRUE(!installs || fresh || scope == Scope::environment || has("EXTENSION") || has("OVERRIDE"))
                << what;
            EXPECT_TRUE(!fresh || scope != Scope::environment) << "changes nothing that is there: " << what;
            EXPECT_TRUE(scope != Scope::environment || has("undo: ") || has("EXTENSION")) << "no way back: " << what;
            EXPECT_FALSE(has("changes this")) << "said twice: " << what;
            EXPECT_TRUE(!has("sudo ") || scope == Scope::machine || scope == Scope::others || has("dmesg") ||
                        has("journalctl") || has("bug-report"))
                << what;
        }
    }
}

TEST(Explain, QuotesTheWholeLine) {
    const auto told =
        explain("Epoch 1\nIndexing.cu:1: block: [31,0,0], thread: [29,0,0] Assertion `i < n` failed.\nend");
    EXPECT_EQ(told->quoted, "Indexing.cu:1: block: [31,0,0], thread: [29,0,0] Assertion `i < n` failed.");
}

TEST(Readable, DecodesWhatPeoplePaste) {
    const std::string plain = "CUDA error: out of memory\n";
    std::string low = "\xff\xfe", high = "\xfe\xff", without_mark;
    for (const char letter : plain) {
        low += {letter, '\0'};
        high += {'\0', letter};
        without_mark += {letter, '\0'};
    }
    const std::string coloured = "\x1b[31mCUDA\x1b[0m error: out of memory\n";
    for (const auto& text : {low, high, without_mark, "\xef\xbb\xbf" + plain, coloured})
        EXPECT_EQ(readable(text), plain);
    EXPECT_EQ(readable("a%20b%3A"), "a b:");
    EXPECT_EQ(readable("100%20 of"), "100%20 of");
    EXPECT_EQ(readable("couldn\xe2\x80\x99t \\'x\\'"), "couldn't 'x'");
    EXPECT_EQ(readable("\x1b]0;title\aword \x1b"), "word ");
}

TEST(Unknown, SaysWhatTheTextLooksLike) {
    EXPECT_NE(what_it_looks_like("RuntimeError: MPS backend out of memory").find("Apple"), std::string::npos);
    EXPECT_NE(what_it_looks_like("HIP out of memory. Tried").find("AMD"), std::string::npos);
    EXPECT_NE(what_it_looks_like("HIP error: invalid device function").find("OVERRIDE_GFX"), std::string::npos);
    EXPECT_NE(what_it_looks_like("why is my tensor on the CPU?\n").find("tocuda list"), std::string::npos);
    EXPECT_NE(what_it_looks_like(" \n").find("empty"), std::string::npos);
    EXPECT_NE(
        what_it_looks_like("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n").find("last line"),
        std::string::npos);
    EXPECT_NE(what_it_looks_like("SyntaxError: invalid syntax\n").find("nothing to do with a GPU"), std::string::npos);
    for (const std::string of_gpu : {"RuntimeError: cuda thing\n", "[rank0]: RuntimeError: a THC thing\n"})
        EXPECT_NE(what_it_looks_like(of_gpu).find("does not know"), std::string::npos) << of_gpu;
    EXPECT_NE(what_it_looks_like("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nTypeError: f() "
                                 "got an unexpected keyword argument 'x'\n")
                  .find("do not fit"),
              std::string::npos);
    EXPECT_NE(what_it_looks_like("  File \"a.py\", line 3, in f\nKeyError: 'x'\n").find("nothing to do"),
              std::string::npos);
    EXPECT_NE(what_it_looks_like("out of resource: shared memory, with AMD Mi308").find("AMD"), std::string::npos);
    EXPECT_NE(what_it_looks_like("torch.OutOfMemoryError: NPU out of memory.").find("Ascend"), std::string::npos);
    EXPECT_NE(what_it_looks_like("RuntimeError: level_zero backend failed").find("Intel"), std::string::npos);
    EXPECT_NE(what_it_looks_like("tensorflow/core/platform: optimized with oneAPI").find("TensorFlow"),
              std::string::npos);
    EXPECT_EQ(what_it_looks_like("Warning: Permanently added the host\n").find("Python"), std::string::npos);
    EXPECT_NE(what_it_looks_like("fatal: Could not read from remote repository.\n").find("no word of a GPU"),
              std::string::npos);
    EXPECT_NE(what_it_looks_like("It rained on Tuesday.").find("nvidia-smi"), std::string::npos);
}

TEST(Explain, ReadsBinaryTextsAndEndlessLines) {
    std::string text(std::size_t{3} << 20, '\0');
    text += "CUDA error: an illegal memory access was encountered";
    const auto told = explain(text);
    EXPECT_EQ(told->error, "illegal memory access");
    EXPECT_EQ(told->line, 1U);
    EXPECT_LE(told->quoted.size(), 306U);
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
