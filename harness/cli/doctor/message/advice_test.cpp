// tocuda, Apache-2.0.
// What to type is that of the program, system and step that a text shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace
}  // namespace tocuda::doctor
