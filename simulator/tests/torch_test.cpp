// tocuda, Apache-2.0.
// LibTorch's real allocator and copies on simulated GPUs, with exact numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>

#include "runtime/on_machine_test.hpp"

namespace tocuda::simulator {
namespace {

const SimulatedMachine eight_gibibytes = machine_of({.memory_bytes = 8589934592});
const std::string simulated = "LD_LIBRARY_PATH=" TOCUDA_SIMULATOR_FOLDER "/simulated LD_PRELOAD='";
const std::string runtime = TOCUDA_SIMULATOR_FOLDER "/simulated/libcudart.so.13";

std::string output_of(const std::string& line) {
    std::FILE* pipe = ::popen((line + " 2>&1").c_str(), "r");
    std::string text;
    std::array<char, 256> piece{};
    while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
    EXPECT_EQ(::pclose(pipe), 0) << text;
    return text;
}

// Runs a command on a simulated machine, with the recorder in front of the runtime.
std::string run(const SimulatedMachine& machine, const std::string& environment, const std::string& command,
                const std::string& more = "") {
    const MachineFile file(machine);
    return output_of("env " + environment + " TOCUDA_SIMULATION=" + file.path() + " " + simulated +
                     TOCUDA_SIMULATOR_FOLDER + "/recorder/libtocuda_recorder.so " + runtime + more + "' " + command);
}

std::string recipe(const std::string& name, const std::string& environment = "",
                   const SimulatedMachine& machine = eight_gibibytes) {
    return run(machine, environment, TOCUDA_TORCH_PROGRAM " " + name);
}

TEST(Torch, InterleavedFreesFragmentOneSegment) {
    EXPECT_EQ(recipe("interleaved"),
              "every other one freed: segments 1 allocated 512 reserved 1024 inactive_split 512 retries 0 ooms 0\n"
              "128: refused\n128 after emptyCache: refused\n128 with all freed: granted\n"
              "end: segments 1 allocated 0 reserved 1024 inactive_split 0 retries 2 ooms 2\n");
}

TEST(Torch, MaxSplitSizeAvoidsFragmentation) {
    EXPECT_EQ(recipe("interleaved", "PYTORCH_ALLOC_CONF=max_split_size_mb:20"),
              "every other one freed: segments 16 allocated 512 reserved 1024 inactive_split 0 retries 0 ooms 0\n"
              "128: granted\n128 after emptyCache: granted\n128 with all freed: granted\n"
              "end: segments 9 allocated 0 reserved 640 inactive_split 0 retries 0 ooms 0\n");
}

TEST(Torch, GarbageCollectionDoesNotAvoidFragmentation) {
    const std::string text = recipe("interleaved", "PYTORCH_ALLOC_CONF=garbage_collection_threshold:0.5");
    EXPECT_NE(text.find("128: refused\n128 after emptyCache: refused\n"), std::string::npos) << text;
}

TEST(Torch, ExpandableSegmentsAvoidFragmentationAndGrowInStepsOf20) {
    const std::string text = recipe("interleaved_in_steps_of_20", "PYTORCH_ALLOC_CONF=expandable_segments:True");
    EXPECT_NE(text.find("allocated 512 reserved 1040 inactive_split 0 retries 0 ooms 0\n128: granted\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("retries 1 ooms 0\n"), std::string::npos) << text;
}

TEST(Torch, StreamOrderedAllocatorAvoidsFragmentation) {
    const std::string text = recipe("interleaved", "PYTORCH_ALLOC_CONF=backend:cudaMallocAsync");
    EXPECT_NE(text.find("128: granted\n128 after emptyCache: granted\n128 with all freed: granted\n"),
              std::string::npos)
        << text;
}

TEST(Torch, UnsplitSegmentsAreReleased) {
    EXPECT_EQ(recipe("unsplit"),
              "128: granted\nend: segments 33 allocated 512 reserved 640 inactive_split 0 retries 1 ooms 0\n");
}

TEST(Torch, SmallAllocationsShareSegmentsOf20) {
    EXPECT_EQ(recipe("small_ones"),
              "fifty: segments 10 allocated 200 reserved 200 inactive_split 0 retries 0 ooms 0\n"
              "every fifth kept: segments 10 allocated 40 reserved 200 inactive_split 160 retries 0 ooms 0\n"
              "16: granted\n20: refused\n32: refused\n");
}

TEST(Torch, LoopOfOneSizeReusesOneSegment) {
    EXPECT_EQ(recipe("same_size_loop"), "end: segments 1 allocated 0 reserved 20 inactive_split 0 retries 0 ooms 0\n");
}

TEST(Torch, SecondGpuWorksAndErrorsAreLibTorchsOwn) {
    const std::string text = recipe("second_gpu", "", two_gpus);
    EXPECT_NE(text.find("devices 2 on cuda:1 equal 1\n"), std::string::npos) << text;
    EXPECT_NE(text.find("cuda:7: CUDA error: invalid device ordinal\n"), std::string::npos) << text;
    const char* out_of_memory =
        "CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 1024.00 MiB of which 1024.00 "
        "MiB is free.";
    EXPECT_NE(text.find(out_of_memory), std::string::npos) << text;
    EXPECT_NE(text.find("Expected all tensors to be on the same device, but found at least two devices"),
              std::string::npos)
        << text;
}

TEST(Torch, LoadsOnlySimulatedDriverRuntimeAndNvml) {
    std::istringstream lines(recipe("libraries"));
    std::set<std::string> names;
    const std::string folder = TOCUDA_SIMULATOR_FOLDER "/simulated/";
    for (std::string path; std::getline(lines, path);) {
        ASSERT_TRUE(path.starts_with(folder)) << path;
        names.insert(path.substr(folder.size()));
    }
    EXPECT_TRUE(names.contains("libcuda.so.1"));
    EXPECT_TRUE(names.contains("libcudart.so.13"));
}

TEST(Torch, PlainPythonCopiesToSecondGpuAndBack) {
    const MachineFile program(
        "import torch\n"
        "sent = torch.randn(1000)\n"
        "there = sent.to('cuda:1')\n"
        "print(torch.cuda.device_count(), there.device, torch.equal(there.cpu(), sent))\n");
    const std::string command = std::string(TOCUDA_PYTHON_PROGRAM " ") + program.path();
    EXPECT_EQ(run(two_gpus, "PYTHONPATH=" TOCUDA_TORCH_PARENT, command), "2 cuda:1 True\n");
}

// The memory of the value that is computed instead is refused as well.
TEST(Torch, ExpandableSegmentsWithoutVirtualMemoryAreRefusedByTheDriver) {
    const MachineFile program(
        "import torch\n"
        "try:\n"
        "    torch.zeros(4, device='cuda')\n"
        "except RuntimeError as error:\n"
        "    print(str(error).splitlines()[0])\n");
    const std::string command = std::string(TOCUDA_PYTHON_PROGRAM " ") + program.path();
    const auto text =
        run(with(one_gpu, {{&GpuFigures::virtual_memory, 0}}),
            "TOCUDA_COMPUTE=1 PYTORCH_ALLOC_CONF=expandable_segments:True PYTHONPATH=" TOCUDA_TORCH_PARENT, command);
    EXPECT_NE(text.find("CUDA driver error: operation not supported\n"), std::string::npos) << text;
}

TEST(Torch, ReplayedGraphMovesBytesAgainAndRefusalsAreLibTorchsOwn) {
    const MachineFile program(
        "import torch\n"
        "sent = torch.zeros(4, pin_memory=True)\n"
        "there = torch.zeros(4, device='cuda')\n"
        "model = torch.nn.Linear(4, 4).cuda()\n"
        "graphed = torch.cuda.make_graphed_callables(model, (there.clone().requires_grad_(),))\n"
        "graph = torch.cuda.CUDAGraph()\n"
        "with torch.cuda.graph(graph):\n"
        "    there.copy_(sent, non_blocking=True)\n"
        "    there + 1\n"
        "for value in (5., 6.):\n"
        "    sent.fill_(value)\n"
        "    graph.replay()\n"
        "    print(there.tolist())\n"
        "try:\n"
        "    with torch.cuda.graph(torch.cuda.CUDAGraph()):\n"
        "        there.fill_(1)\n"
        "        torch.cuda.synchronize()\n"
        "except RuntimeError as error:\n"
        "    print(str(error).splitlines()[0])\n"
        "    print(str(error.__context__).splitlines()[0])\n");
    const std::string libraries = " " TOCUDA_SIMULATOR_FOLDER "/simulated/libcublas.so.13 " TOCUDA_SIMULATOR_FOLDER
                                  "/simulated/libcublasLt.so.13";
    const std::string command = std::string(TOCUDA_PYTHON_PROGRAM " -W ignore ") + program.path();
    EXPECT_EQ(run(eight_gibibytes, "PYTHONPATH=" TOCUDA_TORCH_PARENT, command, libraries),
              "[5.0, 5.0, 5.0, 5.0]\n[6.0, 6.0, 6.0, 6.0]\n"
              "CUDA error: operation failed due to a previous error during capture\n"
              "CUDA error: operation not permitted when stream is capturing\n");
}

TEST(Torch, ProfilerReportsTheHostsActivityWithOneWarning) {
    const MachineFile program(
        "import torch\n"
        "from torch.profiler import ProfilerActivity, profile\n"
        "for _ in range(2):\n"
        "    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:\n"
        "        torch.zeros(4, device='cuda') + 1\n"
        "print('adds', sum(row.count for row in profiled.key_averages() if row.key == 'aten::add'))\n");
    const std::string text = run(eight_gibibytes, "PYTHONPATH=" TOCUDA_TORCH_PARENT,
                                 std::string(TOCUDA_PYTHON_PROGRAM " ") + program.path());
    EXPECT_NE(text.find("adds 1\n"), std::string::npos) << text;
    const auto warning = text.find("tocuda: simulated GPUs: CUPTI ");
    if (warning == std::string::npos) {  // LibTorch 2.11 warns by itself
        EXPECT_NE(text.find("CUPTI initialization failed"), std::string::npos) << text;
    } else {
        EXPECT_EQ(text.find("tocuda: simulated GPUs: ", warning + 1), std::string::npos) << text;
    }
}

TEST(Torch, KernelsCompiledAtRunTimeAreLaunched) {
    const MachineFile program(
        "import torch\n"
        "print(torch.special.airy_ai(torch.zeros(4, device='cuda')).shape)\n"
        "twice = torch.cuda.jiterator._create_jit_fn('template <typename T> T twice(T x) { return x + x; }')\n"
        "print(twice(torch.ones(5, device='cuda')).shape)\n");
    EXPECT_EQ(run(eight_gibibytes, "PYTHONPATH=" TOCUDA_TORCH_PARENT,
                  std::string(TOCUDA_PYTHON_PROGRAM " ") + program.path()),
              "torch.Size([4])\ntorch.Size([5])\n");
}

TEST(Torch, RanksOfTwoProcessesTrainTogether) {
    const MachineFile program(
        "import torch, torch.distributed as dist, torch.multiprocessing as mp, sys\n"
        "def rank_of(rank, store):\n"
        "    torch.cuda.set_device(rank)\n"
        "    dist.init_process_group('nccl', init_method='file://' + store, rank=rank, world_size=2)\n"
        "    mine = torch.tensor([1. + rank, 2.]).to(rank)\n"
        "    dist.all_reduce(mine)\n"
        "    other = torch.empty(2, device=rank)\n"
        "    dist.all_to_all_single(other, torch.tensor([10. * rank, 10. * rank + 1]).to(rank))\n"
        "    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).to(rank), [rank])\n"
        "    model(mine).sum().backward()\n"
        "    dist.barrier()\n"
        "    assert mine.tolist() == [3, 4] and other.tolist() == [rank, 10 + rank], (mine, other)\n"
        "    dist.destroy_process_group()\n"
        "if __name__ == '__main__':\n"
        "    mp.spawn(rank_of, (sys.argv[0] + '.store',), nprocs=2)\n"
        "    print('both', end='')\n");
    const std::string folder = " " TOCUDA_SIMULATOR_FOLDER "/simulated/";
    const std::string libraries = folder + "libcublas.so.13" + folder + "libcublasLt.so.13" + folder + "libnccl.so.2";
    const std::string text = run(two_gpus, "PYTHONPATH=" TOCUDA_TORCH_PARENT,
                                 std::string(TOCUDA_PYTHON_PROGRAM " -W ignore ") + program.path(), libraries);
    ::unlink((std::string(program.path()) + ".store").c_str());
    EXPECT_TRUE(text.ends_with("both")) << text;
}

TEST(Torch, MatrixProductFailsWithoutSimulatedCublas) {
    EXPECT_EQ(recipe("product").substr(0, 55), "refused: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when");
}

TEST(Torch, MatrixProductOfSimulatedCublasCountsAsNotExecuted) {
    const std::string folder = " " TOCUDA_SIMULATOR_FOLDER "/simulated/";
    const std::string libraries = folder + "libcublas.so.13" + folder + "libcublasLt.so.13";
    EXPECT_EQ(run(eight_gibibytes, "", TOCUDA_TORCH_PROGRAM " product", libraries), "shape 10 30, not executed 1\n");
}

TEST(Torch, SleepTakesCyclesAtClockOfProfile) {
    const Figures figures{{&GpuFigures::clock_khz, 1500000}, {&GpuFigures::kernel_ns, 0}, {&GpuFigures::call_ns, 0}};
    const auto clocked = with(eight_gibibytes, figures);
    EXPECT_EQ(recipe("sleep", "", clocked), "at once: not ready\nslept 1.000 ms\n");
}

struct Broken {
    int version;
    int init;
    const char* says;
    bool warns;  // already when the devices are counted
};

class BrokenTorch : public testing::TestWithParam<Broken> {};

TEST_P(BrokenTorch, ReportsWhatLibTorchReportsOnSuchMachine) {
    const std::string init = GetParam().init == 0 ? "" : "TOCUDA_DRIVER_INIT=" + std::to_string(GetParam().init) + " ";
    const std::string folder = "LD_LIBRARY_PATH=" TOCUDA_SIMULATOR_FOLDER "/driver ";
    const std::string driver = folder + "TOCUDA_DRIVER=" + std::to_string(GetParam().version) + " " + init;
    const std::string text = output_of(driver + TOCUDA_TORCH_PROGRAM " first_touch");
    EXPECT_NE(text.find("devices 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find(std::string("says: ") + GetParam().says), std::string::npos) << text;
    EXPECT_EQ(text.find("CUDA initialization: ") != std::string::npos, GetParam().warns) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Torch, BrokenTorch,
    testing::Values(Broken{11020, 0, "The NVIDIA driver on your system is too old (found version 11020)", true},
                    Broken{12080, 0, "The NVIDIA driver on your system is too old (found version 12080)", true},
                    Broken{13000, 100, "No CUDA GPUs are available", false},
                    Broken{13000, 3, "CUDA driver initialization failed, you might not have a CUDA gpu.", true},
                    Broken{13000, 999, "CUDA unknown error - this may be due to an incorrectly set up environment",
                           true},
                    Broken{13000, 46, "Unexpected error from cudaGetDeviceCount()", true},
                    Broken{13000, 803, "Unexpected error from cudaGetDeviceCount()", true},
                    Broken{13000, 804, "Unexpected error from cudaGetDeviceCount()", true},
                    Broken{13000, 0, "Unexpected error from cudaGetDeviceCount()", true}),
    [](const auto& test) {
        const auto version = std::to_string(test.param.version);
        return test.param.init == 0 ? version : version + "_init_" + std::to_string(test.param.init);
    });

TEST(Torch, ReportsMissingDriver) {
    const std::string text =
        output_of("LD_LIBRARY_PATH=" TOCUDA_SIMULATOR_FOLDER "/absent " TOCUDA_TORCH_PROGRAM " first_touch");
    EXPECT_EQ(text.substr(0, text.find("on your system")), "devices 0\nsays: Found no NVIDIA driver ");
}

TEST(Torch, RecorderCountsBusTrafficToTheByte) {
    const std::string text = recipe("traffic");
    for (const char* line : {
             "double: to device 8388608 in 1, to host 0, launches 0, waits 1, events 0\n",
             "bfloat16 blocking: to device 2097152 in 1, to host 0, launches 0, waits 1, events 0\n",
             "bfloat16 non_blocking: to device 8388608 in 1, to host 0, launches 1, waits 0, events 0\n",
             "made on the host: to device 40 in 1, to host 0, launches 0, waits 1, events 0\n",
             "made on the device: to device 0 in 0, to host 0, launches 1, waits 0, events 0\n",
             "transposed: to device 40000 in 1, to host 0, launches 0, waits 1, events 0\n",
             "every second row and column: to device 10000 in 1, to host 0, launches 0, waits 1, events 0\n",
             "expanded: to device 4000 in 1, to host 0, launches 0, waits 1, events 0\n",
             "pinned non_blocking: to device 40000 in 1, to host 0, launches 0, waits 0, events 1\n",
             "sum to a number: to device 0 in 0, to host 4, ",
             "sparse: to device 80 in 2, ",
         }) {
        EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
    }
}

}  // namespace
}  // namespace tocuda::simulator
