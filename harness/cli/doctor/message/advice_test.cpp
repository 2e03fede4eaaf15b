// tocuda, Apache-2.0.
// What to type is that of the program, system and step that a text shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/mentions_test.hpp"
#include "doctor/message/message.hpp"

namespace tocuda::doctor {
namespace {

TEST(ExplainAdvice, FitsItsRemediesToWhatTheTextNames) {
    const std::string no_gpu = "RuntimeError: Found no NVIDIA driver on your system.";
    const std::string ordinal = "RuntimeError: CUDA error: invalid device ordinal";
    const std::string code_35 =
        "CUDA error 35 at ggml-cuda.cu:5522: CUDA driver version is insufficient for CUDA runtime version";
    const std::string cpu_build = "AssertionError: Torch not compiled with CUDA enabled";
    const std::string cublas =
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`";
    for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
             {"File \"/Users/me/train.py\", line 3\n" + cpu_build, "macOS has no CUDA"},
             {"docker run --gpus 0 me/image\n" + no_gpu, "0 is none"},
             {"$ podman run me/image\n" + no_gpu, "podman run --device nvidia.com/gpu=all"},
             {"#SBATCH --nodes=1\n" + no_gpu, "sbatch --gres=gpu:1"},
             {"File \"/kaggle/working/a.py\", line 1\n" + no_gpu, "Settings, Accelerator"},
             {"Proxmox, LXC\n" + no_gpu, "--no-kernel-module"},
             {"torchrun --nproc_per_node=8 a.py\n" + ordinal, "8 processes are started"},
             {"CUDA_VISIBLE_DEVICES=1,2 python -m torch.distributed.launch --nproc_per_node 4\n" + ordinal,
              "per-node=2 "},
             {"os.environ['CUDA_VISIBLE_DEVICES'] = '7'\n" + ordinal, "CUDA_VISIBLE_DEVICES=7 in the text"},
             {"os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"\"\nRuntimeError: No CUDA GPUs are available", "hides all"},
             {"| NVIDIA-SMI 450.80   Driver Version: 450.80.02 |\n" + code_35, "11000 is CUDA 11.0"},
             {"on Google Colab\n" + code_35, "LD_LIBRARY_PATH=/usr/lib64-nvidia llama-server ..."},
             {"File \"/opt/vllm/worker.py\", line 1\n" + cublas, "--gpu-memory-utilization 0.85"},
             {"Jetson Orin NX\n" + cublas, "tegrastats"},
             {"5.15.148-tegra\n" + cublas, "tegrastats"},
             {"File \"engine_integration/a.py\", line 1\n" + cublas, "nvidia-smi"},
             {"ggml_cuda_init: found 1\nCUDA error: no kernel image is available for execution on the device",
              "-DCMAKE_CUDA_ARCHITECTURES=XY"},
             {"cublasGemmEx(handle, CUDA_R_16BF) CUBLAS_STATUS_NOT_SUPPORTED", "dtype=torch.float16"},
             {"C:\\a\\triton\\build.py\nRuntimeError: Failed to find C compiler. Please specify via CC",
              "triton-windows"},
             {"RuntimeError: Internal Triton PTX codegen error: Feature '.bf16' requires .target sm_80",
              "capability 8.0"},
             {"Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file",
              "ln -s"},
             {"WSL2, Tesla M40 in TCC mode\nRuntimeError: No CUDA GPUs are available", "-dm 0"},
             {"Input type (torch.cuda.HalfTensor) and weight type (torch.HalfTensor) should be the same",
              "model.to('cuda')"},
             {"Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same",
              "x = x.to('cuda')"},
             {"Input type (torch.FloatTensor) and weight type (torch.HalfTensor) should be the same", "--no-half"},
             {"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!",
              "{'': 0}"},
             {"D:\\ComfyUI\\main.py\nRuntimeError: CUDA error: operation not supported", "--disable-cuda-malloc"},
             {"nvidia-container-cli: mount error: file creation failed: /merged/libnvidia-ml.so.1: file exists",
              "Dockerfile"},
             {"msg=\"unable to load cuda driver library\" error=\"cuda driver library init failure: 999\"",
              "nvidia-modprobe"},
             {"deepspeed==0.14.2\nRuntimeError: Error building extension 'fused_adam'", "ds_report"},
             {"LightGBMError: GPU Tree Learner was not enabled in this build", "cmake.define.USE_CUDA=ON"},
             {"D:\\sd\nRuntimeError: CUDA error: the launch timed out and was terminated", "TdrDelay"},
             {"torch: failed (exitcode: -7) local_rank: 0", "--shm-size"},
             {"GTX 1660\nRuntimeError: NaN detected in latents: 1.png", "--no-half-vae"},
             {"Error no kernel image is available for execution on the device in file csrc\\ops.cu", "bitsandbytes"},
             {"[WinError 126] x. Error loading\n \"P:\\venv\\lib\\site-packages\\torch\\lib\\fbgemm.dll\"",
              "libomp140"},
             {"Loaded runtime CuDNN library: 7003 (compatibility version 7000) but source was compiled with 6021 "
              "(compatibility version 6000).",
              "another major version"},
             {"File \"a.py\", line 3, in backward\nRuntimeError: CUDA error: unknown error\nCUDA kernel errors might "
              "be asynchronously reported at some other API call",
              "while the program ran"},
             {"WSL2\nRuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment",
              "/dev/dxg"},
             {"Ollama on NixOS is not using GPU", "pkgs.ollama-cuda"},
             {"[ErrorCode:RuntimeException] LoadLibrary failed with error 126 when trying to load "
              "\"C:\\app\\onnxruntime_providers_cuda.dll\"",
              "zlibwapi"},
             {"D:\\ComfyUI\\python_embeded\\Lib\\site-packages\\torch\\cuda\\__init__.py\n" + cpu_build,
              "python_embeded\\python -c"},
             {"TCC   |\nFailed to initialize NVML: GPU access blocked by the operating system", "-dm 0"},
             {"ValueError: FP8 quantized models is only supported on GPUs with compute capability >= 8.9", "INT4"}}) {
        const auto told = explain(text);
        EXPECT_TRUE(told && mentions(*told, words)) << text << " " << words;
    }
}

// What runs on Windows or is written in C++ was not forked, and no file of Python's is a fault of CUDA.
TEST(ExplainAdvice, DoesNotAdviseWhatTheTextRulesOut) {
    for (const auto& [text, words] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"C:\\a\\b.py\nCUDA error: initialization error", "set_start_method"},
             {"GPUassert: initialization error main.cu 42", "set_start_method"},
             {"Jetson Orin\nCUDA error: initialization error", "uvm_disable_hmm"},
             {"Linux pc 4.4.0-19041-Microsoft\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
              "driver.",
              "dkms autoinstall"},
             {"C:\\a\\triton\\build.py\nPyTorch version: 2.5.1\nFailed to find C compiler. Please specify via CC",
              "triton-windows<"},
             {"ModuleNotFoundError: No module named 'torch.nn'; 'torch' is not a package", "pip install torch"}}) {
        const auto told = explain(text);
        ASSERT_TRUE(told) << text;
        EXPECT_FALSE(mentions(*told, words)) << text << " " << words;
    }
    EXPECT_FALSE(explain("TypeError: C function scipy.x has wrong signature (expected int, got long)"));
}

TEST(ExplainAdvice, KnowsWhatPeopleAskWithoutAnError) {
    EXPECT_EQ(explain("nvidia-smi works, but torch.cuda.is_available() returns False")->error, "PyTorch sees no GPU");
    EXPECT_EQ(explain(">>> torch.cuda.is_available()\nFalse")->error, "PyTorch sees no GPU");
    EXPECT_FALSE(explain(">>> torch.cuda.is_available()\nTrue"));
    EXPECT_FALSE(explain("device = 'cuda' if torch.cuda.is_available() else 'cpu'"));
    EXPECT_EQ(explain("TypeError: to() received an invalid combination of arguments - got (int)")->error,
              "unknown device");
}

// As the sources of PyTorch, bitsandbytes and apex word them.
TEST(ExplainAdvice, KnowsWhatTrainingRaises) {
    const std::vector<std::pair<std::string_view, std::string_view>> texts{
        {"expected type torch.cuda.FloatTensor but got torch.FloatTensor", "tensors on different devices"},
        {"got an invalid combination of arguments - got (int, torch.FloatTensor, torch.FloatTensor)", ""},
        {"RuntimeError: Found dtype Double but expected Float", "tensors of different types"},
        {"RuntimeError: \"softmax_lastdim_kernel_impl\" not implemented for 'Half'", "half precision on the CPU"},
        {"RuntimeError: \"GeluCUDAKernelImpl\" not implemented for 'Half'", "operation without this type"},
        {"RNG state must be a torch.ByteTensor", "random state on the GPU"},
        {"torch.cuda.OutOfMemoryError: CUDA out of memory.", "CUDA out of memory"},
        {"DataLoader worker (pid 12) is killed by signal: Segmentation fault.", "worker of the DataLoader ended"},
        {"in dataloader.py\nAttributeError: Can't pickle local object 'f.<lambda>'",
         "data set that does not go to workers"},
        {"AttributeError: Can't pickle local object 'f.<lambda>'", ""},
        {"'NoneType' object has no attribute 'cquantize_blockwise_fp16_nf4'", "bitsandbytes without its library"},
        {"unscale_() has already been called on this optimizer since", "steps of mixed precision out of order"},
        {"\"_amp_foreach_non_finite_check_and_unscale_cuda\" not implemented for 'BFloat16'",
         "scaler with bfloat16 gradients"},
        {"distribution Normal(loc: ...) to satisfy Real(), but found invalid values:", "loss is not a number"},
        {"'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor", "lengths on the GPU"},
        {"cannot import name 'GradScaler' from 'torch.amp'", "PyTorch older than the program"},
        {"No module named 'torch._six'", "PyTorch newer than the program"},
        {"module 'torchvision.models' has no attribute 'x'", ""},
        {"Can't get attribute 'C3k2' on <module 'ultralytics.nn.modules.block'", "weights of a newer package"},
        {"cuFFT only supports dimensions whose sizes are powers of two", "cuFFT in half precision"},
        {"cuda execution failed with error 209", "no kernel for this GPU"},
    };
    for (const auto& [text, error] : texts) {
        const auto told = explain(text);
        EXPECT_EQ(told ? told->error : "", error) << text;
    }
}

TEST(ExplainAdvice, DoesNotAskForTheCaseThatAProgramWrites) {
    EXPECT_EQ(explain("Failed to initialize NVML: Driver/Library version mismatch")->error,
              explain("Failed to initialize NVML: Driver/library version mismatch")->error);
    EXPECT_EQ(explain("runtimeerror: cuda error: device-side assert triggered")->error, "device-side assert");
}

TEST(ExplainAdvice, MovesWhatStayedOnTheCpu) {
    const std::string two = "Expected all tensors to be on the same device, but found at least two devices, ";
    const std::string got = "Expected all tensors to be on the same device, but got mat1 is on ";
    for (const auto& [text, first] : std::vector<std::pair<std::string, std::string>>{
             {two + "cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)",
              "model.to"},
             {two + "cpu and cuda:1! (when checking argument for argument index in method wrapper_CUDA__index_select)",
              "model.to('cuda:1')"},
             {two + "cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_addmm)",
              "model.to"},
             {two + "cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)",
              "x = x.to"},
             {two + "cpu and cuda:0! (when checking argument for argument mat2 in method wrapper_CUDA_mm)", "x = x.to"},
             {two + "cpu and cuda:0! (when checking argument for argument mat2 in method wrapper_CUDA_bmm)",
              "x = x.to"},
             {got + "cuda:0, different from other tensors on cpu", "model.to('cuda')"},
             {got + "cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)",
              "x = x.to"}})
        EXPECT_TRUE(explain(text)->remedies.front().what.starts_with(first)) << text;
}

TEST(ExplainAdvice, TakesWhatTheProgramsOwnPythonNeeds) {
    const auto told = explain(
        "File \"/home/me/ComfyUI/venv/lib/python3.12/site-packages/torch/cuda/__init__.py\", line 235\nNVIDIA GeForce "
        "RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\nThe current "
        "PyTorch install supports CUDA capabilities sm_50 sm_90.\nFile \"/home/me/ComfyUI/execution.py\", line 349");
    EXPECT_TRUE(
        mentions(*told, "(installs into the program's own Python; cu128 has code for this GPU and needs driver"));
    EXPECT_TRUE(mentions(*told, "; undo: the versions that pip list showed before)"));
}

TEST(ExplainCut, FindsTheErrorThatATextEndsOrBeginsWithin) {
    for (const auto& [text, error] : std::vector<std::pair<std::string, std::string>>{
             {"AssertionError: Torch not compiled wi", "PyTorch without CUDA"},
             {"AssertionError: Torch not compiled with C", "PyTorch without CUDA"},
             {"step 3\nRuntimeError: Expected all tensors to be on", "tensors on different devices"},
             {"rror: Expected all tensors to be on the same dev", "tensors on different devices"},
             {"CUDA error: all CUDA-capable devices are busy or", "GPU busy or unavailable"},
             {"RuntimeError: CUDA error: no kernel image is avail...", "no kernel for this GPU"},
             {"kernel image is available for exec", "no kernel for this GPU"},
             {"CUDA out of mem", "CUDA out of memory"},
             {"memory. Tried to allocate 20.00 MiB. GPU 0 has a total", "CUDA out of memory"},
             {"Found no NVIDIA driv", "no NVIDIA driver"},
             {"evice-side assert triggered", "device-side assert"}}) {
        EXPECT_TRUE(!explain(text) || explain(text)->error == error) << text;
        const auto told = explain_cut(text);
        ASSERT_TRUE(told) << text;
        EXPECT_EQ(told->error, error) << text;
        EXPECT_FALSE(told->certain) << text;
        EXPECT_TRUE(told->meaning.starts_with("The text seems cut; it looks like this: ")) << text;
    }
    EXPECT_EQ(explain("RuntimeError: CUDA error: device-side")->error, "device-side assert");
    EXPECT_EQ(explain_cut("step 3\nRuntimeError: Expected all tensors to be on")->quoted,
              "RuntimeError: Expected all tensors to be on");
}

TEST(ExplainCut, LeavesWholeTextsAlone) {
    for (const auto* text :
         {"", "\n", "CUDA", "It rained on Tuesday.", "SyntaxError: invalid syntax", "ls: No such file or directory",
          "./viewer: error while loading shared libraries: libssl.so: cannot open shared object file: No such file or "
          "directory",
          "/usr/local/cuda/include/cuda_fp8.hpp(750): error: identifier", "AssertionError",
          "MemoryError: Unable to allocate 3.2 GiB for an array with shape (20000, 20000)", "error: out of memory"})
        EXPECT_FALSE(explain_cut(text)) << text;
}

TEST(ExplainCut, SaysWhereTooLittleIsLeft) {
    for (const auto* text : {"RuntimeError: Expec", "RuntimeError: CUD"})
        EXPECT_NE(what_it_looks_like(text).find("seems cut after"), std::string::npos) << text;
    EXPECT_EQ(what_it_looks_like("AssertionError: Torch is odd").find("nothing to do"), std::string::npos);
    EXPECT_EQ(what_it_looks_like("RuntimeError: The tensor is odd").find("nothing to do"), std::string::npos);
    EXPECT_NE(what_it_looks_like("x.to(\"cuda\") has no effect, x.device still says cpu").find("tocuda list"),
              std::string::npos);
}

TEST(ExplainAdvice, WhatIsHarmlessIsNoError) {
    EXPECT_TRUE(explain("ldconfig: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link")->harmless);
    EXPECT_FALSE(explain("CUDA error: out of memory")->harmless);
}

TEST(ExplainAdvice, DoesNotStartAgainWhatPrintedTheText) {
    const auto told = explain("Failed to initialize NVML: N/A");
    EXPECT_TRUE(std::ranges::none_of(told->remedies, [](const Remedy& one) { return one.what == "nvidia-smi"; }));
}

TEST(ExplainAdvice, BlamesNobodyWhereTheTextIsCutBeforeItSaysWhoHoldsTheMemory) {
    const std::string begin =
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 7.75 "
        "GiB of which 11.50 MiB is free.";
    for (const std::string rest : {"", " Including non-PyTorch memory, this process has 7.7", " Process 4711 has",
                                   " Process 4711 has 7.70 GiB "
                                   "memory in use. Including",
                                   " Including non-PyTorch memory, this proc"}) {
        const auto told = explain(begin + rest);
        EXPECT_TRUE(mentions(*told, "7.74 GiB of 7.75 GiB are in use; by whom is not in the text")) << rest;
        EXPECT_FALSE(mentions(*told, "ther processes")) << rest;
        EXPECT_FALSE(mentions(*told, "this process")) << rest;
        EXPECT_TRUE(std::ranges::none_of(told->figures, [](const Figure& one) {
            return one.name == "outside this process";
        })) << rest;
    }
    const auto whole =
        explain(begin + " Including non-PyTorch memory, this process has 7.70 GiB memory in use. Of the");
    EXPECT_TRUE(mentions(*whole, "this process 7.70 GiB"));
    EXPECT_FALSE(mentions(*whole, "of PyTorch"));
    const auto old = explain(
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 4.49 GiB already allocated; "
        "8.00 MiB free; 9.53 GiB reser");
    EXPECT_TRUE(mentions(*old, "by whom is not in the text"));
}

TEST(ExplainAdvice, OffersWaysAroundOthersBesideThoseAgainstGaps) {
    const auto told = explain(
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.12 GiB is "
        "free. Process 48211 has 41.50 GiB memory in use. Including non-PyTorch memory, this process has 36.60 GiB "
        "memory in use. Of the allocated memory 27.01 GiB is allocated by PyTorch, and 8.95 GiB is reserved by PyTorch "
        "but unallocated.");
    EXPECT_TRUE(contains(told->remedies.front().what, "expandable_segments:True"));
    EXPECT_TRUE(mentions(*told, "CUDA_VISIBLE_DEVICES=1"));
    EXPECT_EQ(told->remedies.back().scope, Scope::others);
}

TEST(ExplainAdvice, NamesWhoFillsAGpuAndWhichOtherOneCanBeUsed) {
    const std::string head = "| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |\n";
    const std::string line = "+-----------------------------------------+------------------------+------+\n";
    const std::string list =
        "| Processes:                                                     |\n|  GPU   GI   CI   PID   Type   Process "
        "name   GPU Memory |\n|=================|\n";
    const auto told = judge_pasted(
        head +
        "|   0  NVIDIA A100-SXM4-80GB   On  |   00000000:07:00.0 Off |                    0 |\n| N/A   34C    P0   62W "
        "/ "
        " 400W |   78541MiB /  81920MiB |      0%      Default |\n|      |      |             Disabled |\n" +
        line +
        "|   1  NVIDIA A100-SXM4-80GB   On  |   00000000:0F:00.0 Off |                   On |\n| N/A   33C    P0   60W "
        "/ "
        " 400W |       0MiB /  81920MiB |     N/A      Default |\n|      |      |              Enabled |\n" +
        line +
        "|   2  NVIDIA A100-SXM4-80GB   On  |   00000000:47:00.0 Off |                    2 |\n| N/A   33C    P0   60W "
        "/ "
        " 400W |       4MiB /  81920MiB |      0%   E. Process |\n|      |      |             Disabled |\n" +
        line + list + "|    0   N/A  N/A     48211      C   /opt/my env/bin/python         78530MiB |\n" + line);
    const auto& found = told->findings;
    const auto has = [&](std::string_view check, std::string_view evidence, std::string_view remedy, Scope reach) {
        return std::ranges::any_of(found, [&](const Finding& one) {
            return one.check == check && contains(one.evidence, evidence) && contains(one.remedy, remedy) &&
                   one.reach == reach;
        });
    };
    EXPECT_TRUE(has("which GPU",
                    "GPU 0: full; GPU 1: through MIG instances only; GPU 2: one process at a time, memory errors", "",
                    Scope::command));
    EXPECT_TRUE(has("GPU memory", "in use: pid 48211 (python) holds 76.69 GiB", "-p 48211   (GPU 0: ", Scope::command));
    EXPECT_TRUE(has("GPU health", "2 uncorrected", "(GPU 2: let what it lists end", Scope::others));
    EXPECT_TRUE(has("compute mode", "GPU 2", "(lets several processes use GPU 2)", Scope::machine));
    const auto windows = judge_pasted(
        head +
        "|   0  NVIDIA GeForce RTX 3060   WDDM  |   00000000:01:00.0  On |                  N/A |\n| N/A   34C    P0   "
        "62W /  170W |   11900MiB /  12288MiB |      0%      Default |\n" +
        line + list + "|    0   N/A  N/A     4711    C+G   ...iles\\Blender\\blender.exe         N/A |\n" + line);
    for (const auto& one : windows->findings) EXPECT_FALSE(contains(one.remedy, "--query-compute-apps")) << one.remedy;
}

TEST(ExplainAdvice, SaysWhyAnotherBuildRunsOnAnOldDriver) {
    const auto told = judge_pasted(
        "PyTorch version: 2.9.0+cu130\nCUDA used to build PyTorch: 13.0\nIs CUDA available: False\nGPU models and "
        "configuration: GPU 0: NVIDIA A100-SXM4-80GB\nNvidia driver version: 550.54.15\n");
    const auto fault = std::ranges::find(told->findings, State::fault, &Finding::state);
    EXPECT_TRUE(contains(fault->remedy, "(builds for CUDA 12.x run with driver 550.54.15; the other way: driver 580"))
        << fault->remedy;
}

}  // namespace
}  // namespace tocuda::doctor
