// tocuda, Apache-2.0.
// What a kernel does wrong with its data and memory: assertions, addresses that are not its own.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// In place of a general first advice.
void look_first(const char* what, Explanation& told) {
    told.remedies = {{what, Scope::look},
                     "run the same line on the CPU   (its message names the value)",
                     "CUDA_LAUNCH_BLOCKING=1 python ...   (then the traceback shows the line)"};
}

// The assertion is printed before the error, or after its traceback.
void read_assertion(std::string_view text, std::size_t at, Explanation& told) {
    auto assertion = between(text_near(text, at, 300, 300), "Assertion `", "` failed");
    if (!assertion) assertion = between(text, "Assertion `", "` failed");
    if (!assertion || assertion->size() > 300) return;
    told.arithmetic.push_back(fmt::format("the kernel asserted {}", *assertion));
    if (contains(*assertion, "ndex") || contains(*assertion, "sizes[i]")) {
        told.arithmetic.emplace_back(
            "an index is outside the tensor: compare its minimum and maximum with the size (token ids with the "
            "embedding's rows)");
        look_first("print(index.min(), index.max(), x.shape)   (before the indexing)", told);
    }
    if (contains(*assertion, "input[0] != 0"))
        told.arithmetic.emplace_back(
            "it is torch._assert_async, a check of the program: most often probabilities with NaN");
    if (contains(*assertion, "n_classes")) {
        told.arithmetic.emplace_back(
            "a label is not below the number of classes, or negative: masks of 0 and 255 are a frequent case");
        look_first("print(target.unique())   (before the loss: from 0 to the number of classes - 1?)", told);
    }
    if (contains(*assertion, "input_val >= zero") || contains(*assertion, "<= 1")) {
        told.arithmetic.emplace_back("a probability is not between 0 and 1: often NaN, or no sigmoid before the loss");
        look_first("print(x.min(), x.max(), x.isnan().any())   (before the loss: between 0 and 1?)", told);
        told.remedies.emplace_back(
            "torch.nn.BCEWithLogitsLoss()   (takes any number, without a sigmoid; if it is NaN: a lower learning "
            "rate)");
    }
}

// A label or a class of a data set of one's own: which files say it.
void read_assert(std::string_view text, std::size_t at, Explanation& told) {
    read_assertion(text, at, told);
    if (contains_any(text, {"ipython-input", "Cell In[", "Cell In ["}))
        told.arithmetic.emplace_back(
            "in a notebook another cell may have failed first: restart the kernel before each new try");
    if (!contains_any(text, {"n_classes", "input_val"})) tell_of_vocabulary(text, told);
    if (contains(text, "torch_geometric"))
        look_first(
            "data.validate(raise_on_error=True)   (PyG: is an index of edge_index as large as the number of nodes?)",
            told);
    if (!origin_of(text).runs("Ultralytics")) return;
    told.arithmetic.emplace_back(
        "in YOLO most often a class number in the label files is not below nc of the data set");
    told.remedies = {
        {"cut -d' ' -f1 LABELS/*.txt | sort -n | uniq -c   (each must be below nc in data.yaml)", Scope::look},
        "delete labels*.cache beside the labels   (after a change of them)",
        "CUDA_LAUNCH_BLOCKING=1 python ...   (then the traceback shows the line)"};
}

// "spconv/pytorch/ops.py", "rasterize_points.cu": whose kernel it may be.
void read_illegal_access(std::string_view text, std::size_t at, Explanation& told) {
    const auto package = package_with_kernels(text_near(text, at, 3000, 300));
    if (package.empty()) {
        if (origin_of(text).runs("the program"))
            told.remedies = {
                "compute-sanitizer --tool memcheck python ...   (names the kernel, the address and, built "
                "with nvcc -lineinfo, the line)",
                "CUDA_LAUNCH_BLOCKING=1 python ...   (then the call that reports it is the one that "
                "failed)",
                "update the program   (or report it there: a bug of its own kernel)"};
        return;
    }
    told.arithmetic.push_back(
        fmt::format("{} is in the text, which has kernels of its own: an input that it does not expect (empty, of "
                    "another type, not contiguous), or its build for another GPU or PyTorch",
                    package));
    told.remedies = {
        "CUDA_LAUNCH_BLOCKING=1 python ...   (then the traceback shows the call)",
        fmt::format("print(x.shape, x.dtype, x.is_contiguous())   (what {} is given there)", package),
        {fmt::format("pip install --force-reinstall --no-cache-dir --no-build-isolation --no-deps EXTENSION "
                     "  (builds {} anew for this torch; undo: the version that was there)",
                     package),
         Scope::environment},
        "compute-sanitizer --tool memcheck python ...   (names the kernel and the address)"};
}

// The program's own assert() closes its expression with an apostrophe, and knows no threads.
bool is_of_device(std::string_view text, std::size_t at) {
    return !text.substr(at).starts_with("` failed") || contains(text_near(text, at, 300, 0), "thread: [");
}

}  // namespace

Functions access_functions() {
    return {.readings = {{"read_assert", read_assert}, {"read_illegal_access", read_illegal_access}},
            .conditions = {{"is_of_device", is_of_device}}};
}

}  // namespace tocuda::doctor
