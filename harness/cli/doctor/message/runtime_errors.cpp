// tocuda, Apache-2.0.
// What programs that use GPUs beside LibTorch have in common: memory that is full, licences, and errors that are not
// known by name.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

void read_request(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 300);
    for (const std::string_view label : {"trying to allocate ", "allocating ", "Attempting to allocate ", "of size "})
        if (const auto bytes = amount_after(message, label); bytes && *bytes > 0) {
            told.figures.push_back({"requested", *bytes, "bytes"});
            told.arithmetic.push_back(fmt::format("{} were requested", amount_text(*bytes)));
            break;
        }
    if (const auto total = amount_after(text_near(text, at, 0, 1500), "total allocation:"); total && *total > 0)
        told.arithmetic.push_back(fmt::format("the program needs {} in all", amount_text(*total)));
}

bool is_on_a_gpu(std::string_view text, std::size_t at) {
    return !contains(line_around(text, at), "by allocator cpu") &&
           contains_any(text_near(text, at, 2000, 2000), {"GPU", "gpu", "cuda", "CUDA", "Cuda", "device ordinal",
                                                          "BufferAssignment", "XlaRuntimeError", "RMM"});
}

// Of Python's imports and objects: such a line may name types of CUDA, and no call of it has failed.
bool is_of_python(std::string_view line) {
    return contains_any(
        line, {"has wrong signature", "does not export expected", "binary incompatibility", "cannot import name",
               "object has no attribute", "unexpected keyword argument", "' is not a package"});
}

bool says(std::string_view text, std::size_t at, const std::vector<std::string_view>& what) {
    const auto line = text_near(line_around(text, at), 0, 0, 600);
    return !is_of_python(line) && contains_any(line, {"CUDA", "cuda", "Cuda", "GPU ", "CUDNN_", "CUBLAS_"}) &&
           std::ranges::any_of(what, [&](auto one) { return contains(line, one); });
}

const std::vector<std::string_view> failed_calls{"CUDA error",    "CUDA Error",     "cudaError",          "CUDA_ERROR_",
                                                 "CUDNN_STATUS_", "CUBLAS_STATUS_", "cuda runtime error", "Cuda error"};
const std::vector<std::string_view> not_built{
    "No CUDA support", "not built",   "not compiled",    "implementation for device cuda",
    "without CUDA",    "without GPU", "compiled without"};
const std::vector<std::string_view> not_there{"not found",   "NOT FOUND", "ot find",  "not available",
                                              "unavailable", "equires",   "required", "not all dependencies"};

void read_words(std::string_view text, std::size_t at, Explanation& told) {
    if (says(text, at, failed_calls))
        told.remedies.emplace_back("CUDA_LAUNCH_BLOCKING=1 python ...   (an earlier call may be it)");
    told.remedies.push_back(
        {"nvidia-smi; nvcc --version; python -c 'import torch; print(torch.version.cuda, "
         "torch.cuda.is_available())'   (driver, toolkit, PyTorch: which is missing?)",
         Scope::look});
    if (!origin_of(text).uses_torch())
        told.remedies.back().what = "nvidia-smi; nvcc --version   (driver and toolkit: which is missing?)";
    if (says(text, at, not_built)) {
        told.meaning = "The program, or a part of it, was built without CUDA, or without code for this GPU.";
        told.remedies.push_back(
            {"pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps PACKAGE   (builds it "
             "here, with nvcc; undo: the version that pip list shows)",
             Scope::environment});
    } else if (says(text, at, not_there)) {
        told.meaning =
            "What this line wants of CUDA is not found: for a build the toolkit with its headers, for a run a GPU with "
            "its driver, or a library.";
        told.remedies.emplace_back(
            "CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH ...   (a toolkit that is there)");
        told.remedies.emplace_back("docker run --gpus all ...   (a run in a container)");
    }
}

// The name of an error of PyTorch stands in the line before, or in the same one.
bool has_no_name(std::string_view text, std::size_t at) {
    return !contains_any(text_near(text, at, 400, 0), {"CUDA error: ", "CUDA error ("});
}

void read_cut_error(std::string_view text, std::size_t, Explanation& told) {
    if (contains_any(text, {"torch/distributed/elastic", "[rank"}))
        told.arithmetic.emplace_back(
            "several ranks print at once: torchrun --tee 3 --log-dir logs keeps the lines of each together, and the "
            "one "
            "that failed first tells why");
}

bool says_that_it_failed(std::string_view text, std::size_t at) {
    return says(text, at, not_built) || says(text, at, not_there) || says(text, at, failed_calls);
}

}  // namespace

Functions runtime_functions() {
    return {
        .readings = {{"read_request", read_request}, {"read_cut_error", read_cut_error}, {"read_words", read_words}},
        .conditions = {
            {"is_on_a_gpu", is_on_a_gpu}, {"has_no_name", has_no_name}, {"says_that_it_failed", says_that_it_failed}}};
}

}  // namespace tocuda::doctor
