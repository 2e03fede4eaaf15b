// tocuda, Apache-2.0.
#include <array>

#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr bool on_torch = true;

constexpr auto servers = std::to_array<Setting>(
    {{"text-generation-inference",
      {"text_generation_launcher", "text_generation_server", "text-generation-inference", "text-generation-launcher"},
      "text-generation-launcher ...",
      "text-generation-launcher --num-shard 2 ...   (over all GPUs of the machine; one GPU alone: --quantize "
      "bitsandbytes-nf4)",
      "",
      on_torch},
     {"LMDeploy",
      {"lmdeploy", "turbomind", "[TM]["},
      "lmdeploy serve api_server ...",
      "lmdeploy serve api_server ... --cache-max-entry-count 0.4 --session-len 8192   (or --tp 2)",
      "",
      on_torch},
     {"Horovod", {"horovod", "Horovod"}, "horovodrun -np 8 python ...", "", "", on_torch},
     {"nccl-tests", {"nccl-tests", "Test NCCL failure", "all_reduce_perf"}, "./build/all_reduce_perf -g 8"},
     {"Forge",
      {"webui-forge", "webui_forge", "\\Forge\\", "WebUI Forge"},
      "python launch.py ...",
      "lower \"GPU Weights (MB)\" at the top of the page, or a smaller picture",
      "",
      on_torch},
     {"web UI",
      {"stable-diffusion-webui", "modules/call_queue.py", "modules\\call_queue.py", "webui-user"},
      "python launch.py ...",
      "--medvram, then --lowvram   (in COMMANDLINE_ARGS of webui-user), or a smaller picture",
      "",
      on_torch},
     {"kohya's scripts",
      {"sd-scripts", "kohya_ss", "train_network.py", "sdxl_train"},
      "accelerate launch ...",
      "--train_batch_size 1 --gradient_checkpointing --cache_latents --optimizer_type AdamW8bit",
      "",
      on_torch},
     {"CTranslate2",
      {"ctranslate2", "faster_whisper", "faster-whisper", "CTranslate2"},
      "",
      "compute_type='int8'   (or a smaller model; whisperX: --batch_size 4, too)",
      "python3 -m venv fresh && fresh/bin/pip install faster-whisper nvidia-cublas-cu12 nvidia-cudnn-cu12   (a new "
      "environment; CTranslate2 4.5 and newer: CUDA 12 and cuDNN 9)"},
     {"Whisper",
      {"whisper/transcribe.py", "whisper/decoding.py", "whisper\\transcribe.py", "whisper\\decoding.py"},
      "",
      "whisper --model small ...   (medium takes 5 GB, turbo 6, large 10)",
      "",
      on_torch},
     {"Ultralytics",
      {"ultralytics", "Ultralytics", "yolov5", "YOLOv5"},
      "",
      "batch=4 imgsz=640   (less than now; batch=-1 measures what fits; YOLOv5: --batch-size, --img)",
      "",
      on_torch},
     {"SGLang",
      {"sglang", "SGLang", "sgl_kernel"},
      "python -m sglang.launch_server ...",
      "python -m sglang.launch_server --mem-fraction-static 0.8 --cuda-graph-max-bs 16 ...   (or --tp 2)",
      "",
      on_torch},
     {"vLLM",
      {"vllm/", "vllm serve", "vllm.entrypoints", "Vllm"},
      "vllm serve ...",
      "vllm serve ... --gpu-memory-utilization 0.85 --max-num-seqs 32   (or a quantized model)",
      "",
      on_torch},
     {"ComfyUI",
      {"ComfyUI", "comfyui"},
      "python main.py ...",
      "python main.py --lowvram ..., or a smaller picture",
      "",
      on_torch},
     {"Ollama",
      {"ollama", "OLLAMA_"},
      "ollama serve",
      "use a smaller model or context   (num_ctx), or fewer layers on the GPU (num_gpu)"},
     {"KoboldCpp",
      {"koboldcpp", "KoboldCpp", "Kobold"},
      "koboldcpp ...",
      "koboldcpp --gpulayers 20 --contextsize 4096 ...   (fewer layers on the GPU, a smaller context)",
      "use another of its files: koboldcpp-oldpc for older GPUs and drivers, else the newest release"},
     {"LM Studio",
      {"LM Studio", "lmstudio", "lm-studio"},
      "",
      "lower \"GPU offload\" and the context length   (in the model's settings)",
      "choose another runtime: Settings, Runtime   (CUDA 12, CUDA, Vulkan or CPU llama.cpp)"},
     {"whisper.cpp",
      {"whisper_init", "whisper.cpp", "whisper_model_load", "whisper_backend"},
      "whisper-cli ...",
      "use a smaller or quantized model   (ggml-small, ggml-large-v3-q5_0)",
      "cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native && cmake --build build   (built here)"},
     {"llama.cpp",
      {"ggml", "llama_cpp", "llama-server"},
      "llama-server ...",
      "llama-server -c 4096 -ngl 20 ...   (a smaller context, fewer layers on the GPU)"}});

// What a program of one's own calls.
constexpr auto torch_libraries = std::to_array<Setting>(
    {{"Trainer",
      {"transformers/trainer.py", "transformers\\trainer.py", "TrainingArguments", "trl/trainer"},
      "",
      "per_device_train_batch_size=1, gradient_accumulation_steps=16, gradient_checkpointing=True",
      "",
      on_torch},
     {"diffusers",
      {"DiffusionPipeline", "diffusers/pipelines", "diffusers\\pipelines", "enable_model_cpu_offload"},
      "",
      "pipe.enable_model_cpu_offload(); pipe.vae.enable_tiling()   (instead of .to('cuda')), or a smaller picture",
      "",
      on_torch},
     {"3D Gaussian splatting",
      {"diff_gaussian_rasterization", "gaussian-splatting", "gaussian_renderer", "diff-gaussian"},
      "",
      "--data_device cpu --resolution 2, or a higher --densify_grad_threshold   (fewer points)",
      "",
      on_torch},
     {"transformers",
      {"transformers/modeling_utils", "transformers\\modeling_utils", "transformers/generation",
       "load_checkpoint_in_model"},
      "",
      "use a smaller model, or 4 bits: quantization_config=BitsAndBytesConfig(load_in_4bit=True)",
      "",
      on_torch}});

constexpr auto frameworks = std::to_array<Setting>(
    {{"TensorRT",
      {"[TRT]", "[TensorRT]", "NvDsInfer", "trtexec", "TRT]: ", "nvinfer1"},
      "",
      "trtexec ... --memPoolSize=workspace:1024   (MiB; a smaller workspace, batch or picture)",
      "docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3   (a TensorRT of the driver's age that knows the GPU)"},
     {"ONNX Runtime",
      {"onnxruntime", "OnnxRuntime", "ONNXRuntime"},
      "",
      "providers=[('CUDAExecutionProvider', {'gpu_mem_limit': 4 << 30, 'arena_extend_strategy': 'kSameAsRequested'})]  "
      " (takes less; or a smaller batch)",
      "python3 -m venv fresh && fresh/bin/pip install 'onnxruntime-gpu[cuda,cudnn]'   (a new environment, with its "
      "libraries)"},
     {"PaddlePaddle",
      {"paddle", "Paddle"},
      "",
      "FLAGS_fraction_of_gpu_memory_to_use=0.5 python ...   (takes less at its start; or a smaller batch or picture)",
      "python3 -m venv fresh && fresh/bin/pip install paddlepaddle-gpu -i "
      "https://www.paddlepaddle.org.cn/packages/stable/cu126/   (a new environment; cu118, cu126 and cu129 differ in "
      "their GPUs: RTX 50 needs cu129)"},
     {"JAX",
      {"jaxlib", "jax/_src", "external/org_tensorflow/", "XlaRuntimeError", "jax_plugins", "import jax"},
      "",
      "",
      "python3 -m venv fresh && fresh/bin/pip install 'jax[cuda12]'   (a new environment; jax[cuda13] needs driver "
      "580)"},
     {"RAPIDS",
      {"cudf", "cuml", "rapids", "/rmm/", "cugraph"},
      "",
      "CUDF_SPILL=on python ...   (cuDF moves what is not in use to the host; or fewer rows at a time)",
      "conda create -n fresh -c rapidsai -c conda-forge cudf cuml 'cuda-version>=12,<13'   (a new environment; RAPIDS "
      "needs compute capability 7.0 and newer)"},
     {"XGBoost",
      {"xgboost", "XGBoost"},
      "",
      "xgb.QuantileDMatrix(X, y, max_bin=64)   (needs less memory; or a smaller max_depth)",
      "python3 -m venv fresh && fresh/bin/pip install xgboost   (a new environment: the newest; 3.1 and newer need "
      "CUDA 12)"},
     {"LightGBM", {"lightgbm", "LightGBM"}, "", "max_bin=63   (needs less memory)", ""},
     {"CatBoost",
      {"catboost", "Catboost", "CatBoost"},
      "",
      "gpu_ram_part=0.5, border_count=32, depth=6   (needs less memory)",
      "python3 -m venv fresh && fresh/bin/pip install catboost   (a new environment: the newest)"},
     {"MXNet",
      {"mxnet", "MXNet"},
      "",
      "",
      "python3 -m venv fresh && fresh/bin/pip install mxnet-cu112   (a new environment; mxnet-cuXY for the CUDA XY of "
      "the toolkit; MXNet is no longer developed and knows no GPU newer than Ampere)"},
     {"PyCUDA",
      {"pycuda", "PyCUDA"},
      "",
      "",
      "python3 -m venv fresh && fresh/bin/pip install pycuda   (built here, with nvcc)"},
     {"CuPy",
      {"cupy", "CuPy"},
      "",
      "cupy.get_default_memory_pool().free_all_blocks()   (gives cached memory back; or smaller arrays)",
      "python3 -m venv fresh && fresh/bin/pip install 'cupy-cuda12x[ctk]'   (a new environment; cuda11x or cuda13x for "
      "a driver for CUDA 11 or 13)"},
     {"Numba",
      {"numba"},
      "",
      "",
      "python3 -m venv fresh && fresh/bin/pip install 'numba-cuda[cu12]'   (a new environment; cu13 for a driver of "
      "CUDA 13)"},
     {"TensorFlow.js", {"tfjs"}, "node ...", "", "npm install @tensorflow/tfjs-node   (the same without GPU)"},
     {"TensorFlow",
      {"tensorflow", "TensorFlow", "Tensorflow", "keras", "_bfc", "bfc_alloc"},
      "",
      "",
      "python3 -m venv fresh && fresh/bin/pip install 'tensorflow[and-cuda]'   (a new environment, with the libraries "
      "of CUDA that this TensorFlow needs)"},
     {"OpenCV",
      {"OpenCV(", "cv::Exception", "cv::cuda", "/opencv-", "OpenCV Error", "cv2.error"},
      "",
      "",
      "cmake -DWITH_CUDA=ON -DCUDA_ARCH_BIN=X.Y -DCUDA_ARCH_PTX= ...   (OpenCV and opencv_contrib built again, for the "
      "X.Y of this GPU)"}});

constexpr auto programs = std::to_array<Setting>(
    {{"OpenPose",
      {"OpenPose", "openpose/", "openpose\\"},
      "OpenPoseDemo ...",
      "OpenPoseDemo --net_resolution -1x256 ...   (a smaller picture for the network)",
      "build OpenPose again with its own Caffe, by a CUDA and cuDNN that know this GPU   (Windows: or the portable "
      "binaries of github.com/CMU-Perceptual-Computing-Lab/openpose/releases)"},
     {"Isaac Sim", {"isaacsim", "isaac-sim", "Isaac Sim", "omni.kit", "carb.graphics", "gpu.foundation"}, "", "", ""},
     {"GROMACS",
      {"gromacs", "GROMACS", "gmx ", "mdrun"},
      "gmx mdrun ...",
      "",
      "conda create -n fresh -c conda-forge 'gromacs=*=nompi_cuda*'   (a build with CUDA), or build it: cmake "
      "-DGMX_GPU=CUDA ..."},
     {"OpenMM",
      {"openmm", "OpenMM"},
      "",
      "",
      "conda create -n fresh -c conda-forge openmm cuda-version=12.4   (the CUDA of the driver or an older one; or pip "
      "install 'openmm[cuda12]')"},
     {"NAMD", {"NAMD", "namd3", "namd2"}, "namd3 ...", "", "use the newest NAMD for Linux-x86_64-multicore-CUDA"},
     {"LAMMPS",
      {"LAMMPS", "lammps", "geryon", "Kokkos::"},
      "lmp ...",
      "",
      "cmake -DPKG_GPU=on -DGPU_API=cuda -DGPU_ARCH=sm_XY ...   (with Kokkos: -DKokkos_ARCH_AMPERE86=on or that of "
      "the GPU)"},
     {"Amber",
      {"pmemd", "AMBER", "AmberTools"},
      "pmemd.cuda ...",
      "",
      "build pmemd.cuda again, with a toolkit that knows the GPU"},
     {"Blender",
      {"lender", "Cycles", "cycles/"},
      "blender -b ...",
      "use smaller textures, fewer samples in one tile, or Persistent Data off   (Render, Performance)",
      "use a Blender of the driver's age   (or update the driver; older GPUs need an older Blender)"},
     {"hashcat",
      {"hashcat"},
      "hashcat ...",
      "",
      "use the newest hashcat, with a current driver and a CUDA toolkit not newer than the driver"},
     {"FFmpeg", {"nvenc", "ffmpeg", "cuvid", "nvdec"}, "ffmpeg ...", "", ""},
     {"Julia",
      {".julia/", ".julia\\", "CUDA.jl", "julia>", "CUDAdrv"},
      "julia ...",
      "GC.gc(); CUDA.reclaim()   (or smaller arrays)",
      "julia -e 'using CUDA; CUDA.set_runtime_version!(v\"12.6\")'   (a CUDA that the driver runs; in this project)"},
     {"a program in Rust",
      {"cudarc", "candle-", "candle_", "burn-cuda", "cargo run", ".cargo/"},
      "cargo run ...",
      "",
      "CUDA_COMPUTE_CAP=XY cargo build ...   (by a toolkit that the driver runs: 86 for 8.6; after cargo clean)"},
     {"a miner",
      {" miner ", "ethminer", "xmrig", "ashrate", "for mining"},
      "",
      "",
      "use a newer release of the miner   (RTX 50: one that was built with CUDA 12.8 or newer)"},
     {"Kaldi", {"kaldi", "Kaldi", "nnet3-", "cu-device.cc"}, "", "", ""},
     {"MATLAB",
      {"MATLAB", "gpuDevice", "parallel.gpu", "parallel:gpu"},
      "",
      "reset(gpuDevice)   (frees what is left; or smaller arrays)",
      ""}});

constexpr Setting of_cpp{.name = "the program",
                         .signs = {"terminate called", "GPUassert", ".cu:", ".cu(", ".cu ", "CUDA error at ",
                                   "CUDA_EXCEPTION_", "driver API error"},
                         .typed = "PROGRAM ...",
                         .anew = "nvcc -arch=native ...   (builds it for this GPU; by a toolkit that the driver runs)"};

// What PyTorch's own code and packages are called in tracebacks, lists and commands.
bool shows_torch(std::string_view text) {
    return contains_any(text, {"torch/", "torch\\", "torch.", "import torch", "aten::", "c10::", "torch==", "Torch not",
                               "pytorch/aten", "ATen/native", "PyTorch version", "libtorch", "torch_", "ProcessGroup"});
}

}  // namespace

const Setting* program_of(std::string_view text) {
    if (const auto* const server = setting_in(text, servers))
        return server->torch || !contains(text, "torch/") ? server : nullptr;
    if (const auto* const library = setting_in(text, torch_libraries)) return library;
    if (shows_torch(text)) return nullptr;
    if (const auto* const framework = setting_in(text, frameworks)) return framework;
    if (const auto* const program = setting_in(text, programs)) return program;
    const bool of_python = contains_any(text, {"python", "Python", ".py", "Traceback", "import ", "pip "});
    // Not what a compiler says of a source.
    const bool of_source = contains_any(text, {".cpp:", ".hpp:"}) &&
                           !contains_any(text, {"orch", "c10", "affe2", "THC", "error: ", "warning: "});
    return !of_python && (of_source || setting_in(text, std::array{of_cpp})) ? &of_cpp : nullptr;
}

}  // namespace tocuda::doctor
