// tocuda, Apache-2.0.
// Errors whose cause is in the words behind them: a library after "Error:", that of the linker, what xformers says.
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

TEST(ExplainReasons, NamesTheLibraryBehindTheOneThatDoesNotLoad) {
    const auto told = [](const std::string& behind) {
        return *explain("Could not load library libcudnn_cnn_infer.so.8. Error: " + behind);
    };
    const std::string missing = ": cannot open shared object file: No such file or directory\n";
    EXPECT_TRUE(mentions(told("libnvrtc.so.12" + missing), "pip install nvidia-cuda-nvrtc-cu12"));
    EXPECT_TRUE(mentions(told("libcublasLt.so.11" + missing), "pip install nvidia-cublas-cu11"));
    EXPECT_TRUE(mentions(told("libz.so.1" + missing), "libz.so.1 is not found"));
    EXPECT_EQ(told("libcudnn_ops_infer.so.8" + missing).error, "cuDNN not found");
    EXPECT_EQ(explain("Could not load library cudnn_cnn_infer64_8.dll. Error code 1455")->error,
              "page file of Windows too small");
    EXPECT_EQ(explain("Could not load library cudnn_cnn_infer64_8.dll. Error code 126")->error, "cuDNN not found");
}

TEST(ExplainReasons, NamesTheLibraryThatTheLinkerLacks) {
    EXPECT_TRUE(mentions(*explain("/usr/bin/ld: cannot find -lnccl: No such file"), "sudo apt install libnccl-dev"));
    EXPECT_TRUE(mentions(*explain("/usr/bin/ld: cannot find -lcublas\n"), "no libcublas.so"));
    EXPECT_TRUE(mentions(*explain("/usr/bin/ld: cannot find -lcuda\n"), "stub"));
}

TEST(ExplainReasons, TellsXformersReasonsApart) {
    const auto told = [](const std::string& reason) {
        return *explain(
            "No operator found for `memory_efficient_attention_forward` with inputs:\n`cutlassF` is not supported "
            "because:\n    " +
            reason + "\n");
    };
    EXPECT_EQ(told("device=cpu (supported: {'cuda'})").error, "xformers: tensors on the CPU");
    EXPECT_EQ(told("attn_bias.stride(-2) % 8 != 0").error, "xformers: attn_bias is misaligned");
    EXPECT_EQ(told("xFormers wasn't build with CUDA support").error, "xformers does not fit");
}

TEST(ExplainReasons, OfANearlyFullGpuSaysThatItIsFull) {
    const auto full = explain(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacity of 4.00 "
        "GiB of which 41.56 MiB is free. Including non-PyTorch memory, this process has 3.44 GiB memory in use. Of the "
        "allocated memory 3.36 GiB is allocated by PyTorch, and 11.60 MiB is reserved by PyTorch but unallocated.");
    ASSERT_TRUE(full);
    EXPECT_TRUE(mentions(*full, "the GPU is full"));
    EXPECT_FALSE(mentions(*full, "another limit"));
}

// What each says besides, and an error's name that looks like it but is another.
TEST(ExplainReasons, FollowWhatStandsBesideTheFirstWords) {
    struct Told {
        std::string text;
        std::string error;
        std::string mentioned;
    };
    const std::string no_target = "RuntimeError: No supported CUDA architectures found for major versions [12].\n";
    const std::string nvml = "Failed to initialize NVML: ";
    const std::string lost = "Unable to determine the device handle for GPU";
    for (
        const auto& [text, error, mentioned] : {
            // lum3on/comfyui_HiDream-Sampler#102: LLVM runs before ptxas
            Told{"'sm_120' is not a recognized processor for this target (ignoring processor)\nLLVM ERROR: Cannot "
                 "select: intrinsic %llvm.nvvm.shfl.sync.bfly.i32\n",
                 "Triton does not know this GPU", "a newer PyTorch brings a newer Triton"},
            // lmdeploy#3806
            Told{"ptxas /tmp/sm90_q64n32.ptx, line 10531; error   : Instruction 'tensormap.replace' not supported on "
                 ".target 'sm_120'\n",
                 "kernel written for another GPU", "update the package"},
            // vllm#50705, vllm#44305
            Told{"flashinfer/fused_moe/core.py\n" + no_target, "toolkit too old for FlashInfer", "12.9"},
            Told{"Failed to get device capability: SM 12.x requires CUDA >= 12.9\nFLASHINFER_CUDA_VERSION: 12.8\n",
                 "toolkit too old for FlashInfer", "nvcc --version"},
            Told{no_target, "package without code for this GPU", "toolkit is older"},
            // vllm#36077
            Told{"[1/11] :/usr/local/cuda-12.8/bin/nvcc --generate-dependencies-with-compile\n", "toolkit not found",
                 "without a colon"},
            // flash-attention#1763
            Told{"CUDA error (/__w/xformers/third_party/flash-attention/hopper/flash_fwd_launch_template.h:188): "
                 "invalid argument\n",
                 "kernel of Hopper on another GPU", "9.0 alone"},
            // torchtune#2556
            Told{"init.cc:416 NCCL WARN Cuda failure 'operation not supported'\n",
                 "not supported by this GPU or driver", "NCCL_CUMEM_ENABLE=0"},
            // conda-forge/jaxlib-feedstock#285
            Told{"RuntimeError: Unable to use CUDA because of the following issues with CUDA components:\nUnable to "
                 "load cuFFT. Is it installed?\n  in jax\nRuntimeError: operation cufftGetVersion(&version) failed: "
                 "cuFFT internal error\n",
                 "JAX cannot use a CUDA library", "cuFFT internal error"},
            // jax#30874
            Told{"cuda_dnn.cc:407] There was an error before creating cudnn handle (302): cudaGetErrorName symbol "
                 "not found.\n",
                 "cuDNN handle refused", "another version"},
            // nvidia-container-toolkit#381
            Told{"$ docker run --rm --gpus all nvidia/cuda nvidia-smi\n" + nvml + "Unknown Error\n",
                 "container without access to the GPU", "no-cgroups"},
            Told{nvml + "Unknown Error\n", "GPU lost in a container", "daemon-reload"},
            // nvidia-container-toolkit#210
            Told{
                "podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi\n" + nvml + "Insufficient Permissions\n",
                "no permission for the GPU", "keep-groups"},
            // WSL#13027
            Told{lost + "0: 0000:C1:00.0: Unknown Error\n" + lost + "1: 0000:E1:00.0: Unknown Error\n", "GPU lost",
                 "several GPUs at once"},
            // open-gpu-kernel-modules#1230
            Told{"NVRM: GPU 0000:a1:00.0: RmInitAdapter failed! (0x62:0x40:2168)\nNVRM: GPU6 _kgspBootGspRm: "
                 "unexpected WPR2 already up, cannot proceed with booting GSP\n",
                 "GPU's system processor still runs", "--gpu-reset"},
            // llama.cpp#17542
            Told{"ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected\n"
                 "whisper_backend_init_gpu: no GPU found\n",
                 "no GPU visible", "nvidia-smi -L"},
            Told{
                "gmx mdrun: Cannot compute PME interactions on a GPU, because: PME GPU does not support: Lennard-Jones",
                "GROMACS: what the GPU cannot do", "-pme auto"},
            Told{"ggml_cuda_init: failed to initialize CUDA: system has unsupported display driver / cuda driver "
                 "combination\n",
                 "driver and library do not match", "grep -v compat"},
            // bytedance/UNO#56
            Told{"cuDNN Frontend error: [cudnn_frontend] Error: No execution plans support the graph.\n",
                 "no cuDNN algorithm", "enable_cudnn_sdp(False)"},
            // recOrder#482, puppet-magic_castle#27
            Told{"srun: error: Unable to create step for job 1: Invalid generic resource (gres) specification\n",
                 "Slurm does not know the GPU", "inside a job"},
            Told{"slurmd[5]: fatal: gres.conf duplicate records for gpu\n", "GPUs twice in gres.conf", "AutoDetect"},
            // NVIDIA/tensorflow#110
            Told{"Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared "
                 "object file: No such file or directory\n",
                 "TensorFlow finds no CUDA", "libnvJitLink.so.12 is missing"},
            // LlamaFactory#1794
            Told{"ValueError: FP16 Mixed precision training with AMP or APEX (--fp16) can only be used on CUDA or NPU "
                 "devices or certain XPU devices (with IPEX).\n",
                 "CUDA not available", "torch.version.cuda"},
            // tita_rl_sim2sim2real#7
            Told{"Error Code 9: API Usage Error (Target GPU SM 120 is not supported by this TensorRT release.)\n",
                 "GPU newer than TensorRT", "10.8"},
            // ollama#9842
            Told{"source=server.go:259 msg=\"compatible gpu libraries\" compatible=[]\n",
                 "Ollama without its GPU libraries", "lib/ollama"},
            // illinois-scicomp/machine-shop-maintenance#70
            Told{nvml + "Driver/library version mismatch\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  520.56.06\n"
                        "ii  nvidia-smi     525.85.12-1  amd64\n",
                 "NVML: driver and library do not match", "libraries are of 525.85.12, the loaded module of 520.56.06"},
            // Time-LLM#158
            Told{"torch.distributed.DistNetworkError: The server socket has failed to listen on any local network "
                 "address. The server socket has failed to bind to [::]:98 (errno: 13 - Permission denied).\n",
                 "port of the rendezvous for root alone", "port 98"},
            // pytorch#104152
            Told{"CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 101: invalid device "
                 "ordinal\n",
                 "CUDA cannot start", "counted the GPUs"},
            // TensorRT#2793
            Told{"CUDA initialization failure with error: 222. Please check your CUDA installation\nSegmentation "
                 "fault (core dumped)\n",
                 "TensorRT cannot start CUDA", "222: the driver is older"},
            // flash-attention#246
            Told{"RuntimeError: The current installed version of g++ (4.8.5) is less than the minimum required "
                 "version by CUDA 11.7 (6.0.0).\n",
                 "host compiler of the wrong age", "gcc-11"},
            // sglang#8432
            Told{"ImportError: sgl_kernel/common_ops.abi3.so: undefined symbol: cuGreenCtxDestroy\n",
                 "driver too old for an extension", "newer driver"},
            // llama.cpp#15589
            Told{"common.cuh:112: ggml was not compiled with any CUDA arch <= 750\n", "no kernel for this GPU",
                 "update llama.cpp"},
            // jax#22626
            Told{"cuda_dnn.cc:502] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n",
                 "cuDNN handle refused", "XLA_PYTHON_CLIENT_MEM_FRACTION"},
            // FlexLLMGen#47
            Told{"cpu_buf = torch.empty((1 * GB,), dtype=torch.float16, pin_memory=True)\nRuntimeError: CUDA error: "
                 "out of memory\n",
                 "no host memory to pin", ".wslconfig"},
            // returnn#1802
            Told{"ImportError: torch/lib/libtorch_cuda.so: undefined symbol: ncclMemFree\nnvidia-nccl-cu11==2.14.3\n"
                 "nvidia-nccl-cu12==2.27.3\n",
                 "undefined symbol in a CUDA library", "pip uninstall nvidia-nccl-cu11"},
            // flash-attention#1691
            Told{"pip install flash_attn-2.7.4.post1+cu12torch2.4cxx11abiTRUE-cp310-cp310-linux_x86_64.whl\n"
                 "ImportError: flash_attn_2_cuda.so: undefined symbol: "
                 "_ZN3c105ErrorC2ENS_14SourceLocationENSt7__cxx1112basic_stringIcEE\n",
                 "extension built for another PyTorch", "cxx11abiFALSE"},
            // conda-forge/pytorch-cpu-feedstock#166
            Told{"site-packages/torch/_dynamo/utils.py\n/tmp/tmpx/main.c:1:10: fatal error: cuda.h: No such file or "
                 "directory\n",
                 "headers of the toolkit missing", "CPATH=FOLDER python"},
            // ComfyUI#7677, seait#53: its launcher takes no other Python
            Told{"# ComfyUI Error Report\nCUDA error: no kernel image is available for execution on the device\n",
                 "no kernel for this GPU", "PYTHON -m pip install --upgrade torch torchvision torchaudio"},
            Told{"  File \"C:\\me\\ComfyUI\\venv\\Lib\\site-packages\\torch\\cuda\\__init__.py\", line 363\n"
                 "AssertionError: Torch not compiled with CUDA enabled\n",
                 "PyTorch without CUDA", "C:\\me\\ComfyUI\\venv\\Scripts\\python -m pip install --upgrade torch"},
            // comfyui-nix#80
            Told{"CUDA error (/build/flash-attention/hopper/flash_fwd_launch_template.h:167): no kernel image is "
                 "available for execution on the device\n",
                 "kernel of Hopper on another GPU", "--use-pytorch-cross-attention"},
            // nvidia-smi without a module for this kernel
            Told{"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
                 "nvidia-smi finds no driver", "dkms autoinstall"},
            Told{"    self._pin_memory_int_workspace_buffer = torch.empty(\ntorch.AcceleratorError: CUDA error: OS "
                 "call failed or operation not supported on this OS\n",
                 "no host memory to pin", "ulimit -l"},
            // thrust#1329
            Told{"CMake Error at CMakeTestCUDACompiler.cmake:52\nhost_config.h:139:2: error: #error -- unsupported GNU "
                 "version! gcc versions later than 9 are not supported!\n",
                 "compiler too new for nvcc", "-DCMAKE_CUDA_HOST_COMPILER=g++-9"},
            Told{"  File \"/usr/lib/python3/dist-packages/vllm/v1/worker/gpu_model_runner.py\", line 3252\n"
                 "torch.AcceleratorError: CUDA error: device-side assert triggered\n",
                 "device-side assert", "grep -n 'Assertion'"},
            Told{"ImportError: libcudart.so.12: cannot open shared object file: No such file or directory\n"
                 "[pip3] nvidia-nccl-cu12==2.27.5\n[pip3] nvidia-nccl-cu13==2.28.9\n[conda] Could not collect\n"
                 "vLLM Version : 0.16.0\n",
                 "CUDA library not found", "venv fresh && fresh/bin/pip install torch vllm"},
            // docker/docs#19365
            Told{"PS C:\\> docker run --gpus 2 nvidia/cuda nvidia-smi\ndocker: Error response from daemon: could not "
                 "select device driver \"\" with capabilities: [[gpu]].\n",
                 "container runtime without NVIDIA", "WSL 2 based engine"},
            Told{"ImportError: /x/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: "
                 "_ZNK3c1010TensorImpl23shallow_copy\n",
                 "two copies of PyTorch's libraries", "env -u LD_LIBRARY_PATH"},
            Told{"torch/distributed\nAttributeError: 'DistributedDataParallel' object has no attribute 'config'\n",
                 "wrapped model asked for its own", "model.module.ATTRIBUTE"},
            Told{"RuntimeError: Error(s) in loading state_dict for ResNet:\n\tUnexpected key(s) in state_dict: "
                 "\"module.conv1.weight\".\n",
                 "checkpoint of a wrapped model", "consume_prefix_in_state_dict_if_present"},
            Told{"torch.distributed.DistStoreError: use_libuv was requested but PyTorch was built without libuv "
                 "support\n",
                 "PyTorch without libuv", "USE_LIBUV=0"},
            Told{"ray::RolloutWorker.__init__() (pid=1)\nRuntimeError: No CUDA GPUs are available\n", "no GPU visible",
                 "@ray.remote(num_gpus=1)"},
            Told{"RuntimeError: Using async gradient all reduce requires setting the environment variable "
                 "CUDA_DEVICE_MAX_CONNECTIONS to 1\n",
                 "Megatron: order of kernels not set", "CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun"},
            Told{"NCCL WARN Invalid config blocking attribute value -2147483648\n", "NCCLs of several versions",
                 "one image or environment"},
            // xorbitsai/inference#4637: a share that would hold nothing is not advised
            Told{"ValueError: Free memory on device (1.52/23.52 GiB) on startup is less than desired GPU memory "
                 "utilization "
                 "(0.9, 21.16 GiB).\n",
                 "vLLM: others hold the memory", "a server that did not end whole"},
            // bitsandbytes in a folder of its sources
            Told{"Could not load bitsandbytes native library: /notebooks/bitsandbytes/bitsandbytes/"
                 "libbitsandbytes_cpu.so: cannot open shared object file: No such file or directory\n",
                 "bitsandbytes without its library", "cd / && python -m bitsandbytes"},
            // Bumblebee#455
            Told{"NVRM: GPU at 0000:01:00.0 has fallen off the bus.\nbbswitch: disabling discrete graphics\n",
                 "GPU lost", "/proc/acpi/bbswitch"},
            Told{"ggml_cuda_init: found 1 CUDA devices:\nCUDA error: the provided PTX was compiled with an unsupported "
                 "toolchain.\n",
                 "PTX cannot be compiled", "update the driver"},
            Told{"AssertionError: \nThe NVIDIA driver on your system is too old (found version 9000).\n",
                 "driver too old", "update the driver"},
            // MSHE: RTX 3080 with cudatoolkit 10.0
            Told{"RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm( handle)`\n"
                 "Geforce RTX 3080,cudatoolkit 10.0,pytorch 1.3.1\n",
                 "cuBLAS fails", "compute capability 8.6 needs CUDA 11.1"},
            // open-gpu-kernel-modules: the modules of another version than the run file
            Told{"bash ./NVIDIA-Linux-x86_64-570.124.04.run --no-kernel-modules\ncd "
                 "open-gpu-kernel-modules-570.124.06-p2p/\n" +
                     nvml + "Driver/library version mismatch\nNVML library version: 570.124\n",
                 "NVML: driver and library do not match", "NVIDIA-Linux-x86_64-570.124.06.run"},
            Told{nvml + "Driver/library version mismatch\nNVML library version: 570.124\nNVRM: API mismatch: the "
                        "client has the version 570.124.04, but this kernel module has the version 570.124.06.\n",
                 "NVML: driver and library do not match",
                 "libraries are of 570.124.04, the loaded module of "
                 "570.124.06"},
            // nvidia-docker#1671
            Told{"docker run --gpus all -it nvidia/cuda bash\n| NVIDIA-SMI 510.68.02    Driver Version: 510.68.02 |\n" +
                     nvml + "Unknown Error\n",
                 "GPU lost in a container", "daemon-reload"},
            // ollama#758
            Told{"llama.go:252: 15101 MiB VRAM available, loading up to 113 GPU layers\nCUDA error 35 at "
                 "ollama/llm/llama.cpp/ggml-cuda.cu:5522: CUDA driver version is insufficient for CUDA runtime "
                 "version\n",
                 "driver too old", "/usr/lib64-nvidia ollama serve"},
            Told{"onnxruntime/provider_bridge_ort.cc:1193 Failed to load library "
                 "libonnxruntime_providers_cuda.so with error: libcufft.so.10: cannot open shared object file: No such "
                 "file or directory\n",
                 "CUDA library not found", "built for CUDA 11.x"},
            Told{"Failed to build `flash-attn==2.7.4.post1`\nThe build backend returned an error\ntorch.__version__  "
                 "= 2.7.0+rocm6.3\n",
                 "extension could not be built", "ROCm"},
            // sdnext#3531
            Told{"RuntimeError: operator torchvision::nms does not exist\nName: torch\nVersion: 2.4.0+cu121\nName: "
                 "torchvision\nVersion: 0.20.1+cu124\n",
                 "torchvision does not match PyTorch", "published with torchvision 0.19"},
            // stable-diffusion-webui#9402
            Told{"Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/rocm5.2\n"
                 "AssertionError: Torch is not able to use GPU; add --skip-torch-cuda-test\n",
                 "CUDA not available", "index for ROCm"},
            Told{"Command 'nvidia-smi' not found, but can be installed with:\nsudo apt install nvidia-utils-535\n",
                 "nvidia-smi without the driver", "names the driver package"},
            Told{"'nvidia-smi' is not recognized as an internal or external command,\n",
                 "nvidia-smi without the driver", "Device Manager"},
            Told{"xid 79", "Xid: reboot the machine, or power it off and on", "fallen off the bus"},
            Told{"WARNING: infoROM is corrupted at gpu 0000:3B:00.0\n", "InfoROM of a GPU is corrupted", "maker"},
            Told{"A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.0.1 as it may crash.\n  File "
                 "\"torch/__init__.py\"\n",
                 "PyTorch older than NumPy 2", "numpy<2"},
            Told{"RuntimeError: unable to open shared memory object </torch_1_2_3> in read-write mode: Too many open "
                 "files (24)\n",
                 "too many open files", "ulimit -n 65535"},
            Told{"GPU 00000000:3B:00.0 requires reset\n", "GPU waits for a reset", "--gpu-reset"},
            Told{"torch 2.9.1+cu130\nImportError: libcudnn.so.9: cannot open shared object file: No such file or "
                 "directory\nonnxruntime/capi/onnxruntime_pybind11_state.so\n",
                 "CUDA library not found", "nvidia-cudnn-cu13"},
            // talking-head-anime-demo#38
            Told{"  File \"D:\\py\\lib\\site-packages\\torch\\cuda\\__init__.py\", line 101\nAssertionError: \nFound "
                 "no NVIDIA "
                 "driver on your system.\n",
                 "no NVIDIA driver", "Device Manager"},
            // caffe, by CMake
            Told{"-- CUDA detected: 11.0\n[  6%] Building NVCC (Device) object a.cu.o\nnvcc fatal   : Unsupported gpu "
                 "architecture 'compute_86'\n",
                 "nvcc does not know this GPU", "-DCUDA_TOOLKIT_ROOT_DIR=/usr/local/cuda-11.1"},
            // nvidia-docker#501
            Told{"docker: Error response from daemon: Unknown runtime specified nvidia.\nii  nvidia-docker2  2.0.0\n",
                 "container runtime without NVIDIA", "cat /etc/docker/daemon.json"},
            Told{"Allocatable:\n  nvidia.com/gpu:   1\nWarning  FailedScheduling  0/1 nodes are available: 1 "
                 "Insufficient nvidia.com/gpu.\n",
                 "no GPU on the Kubernetes node", "Allocated resources"},
            Told{"NVRM: Xid (PCI:0000:0a:00): 31, pid=13332, name=plot\nNVRM: Xid (PCI:0000:0a:00): 62, "
                 "pid='<unknown>'\n",
                 "Xid: reset the GPU", "the first was Xid 31"},
            Told{"torch/cuda/__init__.py:52: UserWarning: CUDA initialization: CUDA driver initialization failed, you "
                 "might not have a CUDA gpu. (Triggered internally)\n  return torch._C._cuda_getDeviceCount() > 0\n",
                 "CUDA initialization failed", "nvidia-modprobe"},
            Told{"CUDA error: no kernel image is available for execution on the device\nC:\\x\\llama_cpp_python-0.3.9\\"
                 "vendor\\llama.cpp\\ggml\\src\\ggml-cuda.cu:75\n",
                 "no kernel for this GPU", "llama-cpp-python"},
            // cudarc#296
            Told{"Unable to find cuda lib under the names [\"cuda\", \"nvcuda\"]. Please open GitHub issue.\n",
                 "no NVIDIA driver", "docker run --gpus all"},
            Told{"torch/include/c10/util/C++17.h:13:2: error: #error \"You're trying to build PyTorch with a too old "
                 "version of GCC. We need GCC 9 or later.\"\n",
                 "host compiler of the wrong age", "CXX=g++-11"},
            // dolly#119
            Told{"ImportError: /root/.cache/torch_extensions/py310_cu116/fused_adam/fused_adam.so: cannot open shared "
                 "object file: No such file or directory\n",
                 "extension that was never built", "rm -r ~/.cache/torch_extensions"},
            Told{
                "vllm/executor/worker.py while processing method load_model.\ntorch.OutOfMemoryError: CUDA out of "
                "memory. Tried to allocate 20.00 MiB. GPU 2 has a total capacity of 14.62 GiB of which 3.00 MiB is "
                "free. Of the allocated memory 14.42 GiB is allocated by PyTorch, and 23.00 MiB is reserved by PyTorch "
                "but unallocated.\n",
                "CUDA out of memory", "--tensor-parallel-size"},
            Told{nvml + "Driver/library version mismatch\nnvidia/570.133.07: installed\nNVRM: API mismatch: client "
                        "version 570.133.07, kernel module version 570.124.06\n",
                 "NVML: driver and library do not match",
                 "libraries are of 570.133.07, the loaded module of "
                 "570.124.06"},
            // tiny-cuda-nn
            Told{"Cuda compilation tools, release 11.6, V11.6.55\nOSError: CUDA_HOME environment variable is not set. "
                 "Please set it to your CUDA install root.\n",
                 "toolkit not found", "build for the CPU"},
            Told{"C:\\x\\framepack\\system\\python\\lib\\site-packages\\torch\\cuda\\__init__.py:235: UserWarning:\n"
                 "NVIDIA GeForce RTX 5070 Ti with CUDA capability sm_120 is not compatible with the current PyTorch "
                 "installation.\n",
                 "no kernel for this GPU", "system\\python\\python -m pip install"},
            // mmcv#470
            Told{"ImportError: libcudart.so.10.1: cannot open shared object file: No such file or directory\n  File "
                 "\"mmcv/ops/__init__.py\"\n",
                 "CUDA library not found", "the one that the traceback names"},
            Told{"'CUDA-capable device(s) is/are busy or unavailable'\nNVRM: nvAssertOkFailedNoLog: Assertion failed: "
                 "Reset required [NV_ERR_RESET_REQUIRED] (0x00000062)\n",
                 "GPU waits for a reset", "--gpu-reset"},
            Told{"D:\\ComfyUI_windows_portable>.\\python_embeded\\python.exe -s ComfyUI\\main.py\nNVIDIA GeForce RTX "
                 "5070 "
                 "with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n",
                 "no kernel for this GPU", ".\\python_embeded\\python -m pip install --upgrade torch"},
            Told{"  File \"C:\\My AI\\ComfyUI\\venv\\Lib\\site-packages\\torch\\cuda\\__init__.py\", line 363\n"
                 "AssertionError: Torch not compiled with CUDA enabled\n",
                 "PyTorch without CUDA", "\"C:\\My AI\\ComfyUI\\venv\\Scripts\\python\" -m pip install"},
            // jetson-containers#100
            Told{"FROM dustynv/ros:noetic-pytorch-l4t-r32.5.0\nOSError: libcurand.so.10: cannot open shared object "
                 "file: "
                 "No such file or directory\nimport torch\n",
                 "CUDA library not found", "docker run --runtime nvidia"},
            Told{"| NVIDIA-SMI 470.256    Driver Version: 470.256    CUDA Version: 11.4 |\nAssertionError: Torch not "
                 "compiled with CUDA enabled\n",
                 "PyTorch without CUDA", "whl/cu118"},
            Told{"torch 2.9.0+cpu\n| NVIDIA-SMI 550.120    Driver Version: 550.120    CUDA Version: 12.4 "
                 "|\nAssertionError: "
                 "Torch not compiled with CUDA enabled\n",
                 "PyTorch without CUDA", "whl/cu126"},
            Told{
                "could not load NVML library: libnvidia-ml.so.1\nIf this is a GPU node, did you set the docker default "
                "runtime to `nvidia`?\n",
                "no GPU on the Kubernetes node", "--runtime=containerd --set-as-default"},
            Told{"$ pip install flash-attn --no-build-isolation\nModuleNotFoundError: No module named 'wheel'\n",
                 "package that a build needs is missing", "pip install wheel packaging"},
            Told{"RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the "
                 "version "
                 "used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 10.0.130.\n",
                 "toolkit and PyTorch differ", "CUDA_HOME=/usr/local/cuda-10.0 pip"},
            Told{"    Reason: OOMKilled\n    Exit Code: 137\n", "job killed for its memory", "kubectl describe pod"},
        }) {
        const auto told = explain(text);
        ASSERT_TRUE(told) << text;
        EXPECT_EQ(told->error, error) << text;
        EXPECT_TRUE(mentions(*told, mentioned)) << text;
    }
}

}  // namespace
}  // namespace tocuda::doctor
