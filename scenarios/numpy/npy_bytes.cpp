// tocuda, Apache-2.0.
// Twenty arrays as NumPy saved them. Arrays that can become tensors move: row-major, column-major, empty,
// zero-dimensional or on read-only pages. The others (objects, structures, dates, text, foreign byte order, negative
// strides) are refused before a tensor exists.
#include <ATen/ATen.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "libtorch/attempt.hpp"
#include "libtorch/many_moves.hpp"
#include "libtorch/npy.hpp"
#include "libtorch/specimens.hpp"
#include "npy_samples.hpp"
#include "worker/registered.hpp"

namespace tocuda::numpy::npy_bytes {
namespace {

constexpr auto refuted = tocuda::Verdict::refuted;

// A file on read-only pages, as NumPy maps one.
class ReadOnlyPages {
public:
    explicit ReadOnlyPages(const std::string& bytes) : size(bytes.size()) {
        memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
        std::memcpy(memory, bytes.data(), size);
        ::mprotect(memory, size, PROT_READ);
    }
    ~ReadOnlyPages() { ::munmap(memory, size); }
    ReadOnlyPages(const ReadOnlyPages&) = delete;
    ReadOnlyPages& operator=(const ReadOnlyPages&) = delete;

    std::string_view bytes() const { return {static_cast<const char*>(memory), size}; }

private:
    std::size_t size;
    void* memory = nullptr;
};

// Returns the file with its numbers in this machine's byte order, as array.astype('<f8') saves it.
std::string in_native_order(std::string file) {
    const auto header = tocuda::read_npy_header(file).value();
    const auto item = static_cast<std::size_t>(header.descr.back() - '0');
    for (auto begin = file.begin() + static_cast<std::ptrdiff_t>(header.data_begin); begin < file.end();
         begin += static_cast<std::ptrdiff_t>(item))
        std::reverse(begin, begin + static_cast<std::ptrdiff_t>(item));
    file[file.find("'>") + 1] = '<';
    return file;
}

class Reader {
public:
    void read(const std::string& name, std::string_view file) {
        const auto made = tocuda::tensor_over(file);
        if (made.tensor.defined()) tensors.emplace(name, made.tensor);
        else refused.emplace_back(name + ": " + made.refused);
    }
    std::map<std::string, at::Tensor> tensors;
    tocuda::Values refused;
};

// Returns the arrays that hold 1 to 12 in three rows but do not read that way.
tocuda::Values misread(const Reader& reader) {
    const auto numbers = at::arange(1, 13, at::kDouble).reshape({3, 4});
    tocuda::Values names;
    for (const std::string name : {"row_major", "column_major", "float16", "big_endian in native order", "read_only"}) {
        const auto found = reader.tensors.find(name);
        if (found == reader.tensors.end() || !at::equal(found->second.to(at::kDouble), numbers))
            names.emplace_back(name);
    }
    return names;
}

// Reverses live memory, which no file can hold. (Not by from_blob: LibTorch 2.11 aborts the process there.)
void observe_backwards(Observer& see) {
    const auto forwards = at::arange(1, 5, at::kDouble);
    say(see, "backwards", tocuda::attempt([&] { forwards.as_strided({4}, {-1}, 3); }));
}

void observe(Observer& see) {
    std::map<std::string, std::string> files;
    for (const auto& sample : npy_samples::samples) files.emplace(sample.name, npy_samples::file_of(sample));
    for (const std::string name : {"big_endian", "big_endian_int16"})
        files.emplace(name + " in native order", in_native_order(files.at(name)));
    const ReadOnlyPages pages(files.at("column_major"));
    Reader reader;
    for (const auto& [name, file] : files) reader.read(name, file);
    reader.read("read_only", pages.bytes());
    see("files", static_cast<std::int64_t>(files.size()) + 1);
    see("wrapped", static_cast<std::int64_t>(reader.tensors.size()));
    see("refused", reader.refused);
    see("misread", misread(reader));
    observe_backwards(see);
    const bool moves = see.variant() == "moved";
    see("moves", moves);
    if (!moves) return;
    tocuda::ManyMoves tried;
    for (const auto& [name, tensor] : reader.tensors)
        for (const auto way : {tocuda::Way::blocking, tocuda::Way::non_blocking, tocuda::Way::pinned})
            tried.move(tensor, name, way);
    tried.say(see, "move");
}

void judge(const Evidence& evidence, Judgement& say) {
    const bool moves = evidence.flag("moves");
    const auto wrapped = evidence.integer("wrapped");
    const auto refused_files = static_cast<std::int64_t>(evidence.list("refused").size());
    if (wrapped < 1 || wrapped + refused_files != evidence.integer("files")) return;
    if (const auto wrong = evidence.list("misread").size(); wrong > 0)
        return say.reproduced("002-E3", "arrays that do not read as written: " + std::to_string(wrong));
    if (!evidence.flag("backwards.threw")) return;
    if (!moves)
        return say.refuted("002-E3", std::to_string(wrapped) + " arrays read as written, " +
                                         std::to_string(refused_files) + " are refused before any move");
    tocuda::ManyMoves::require_no_fault(evidence, "move");
    const auto tried = evidence.integer("move.tried");
    const auto moved = evidence.integer("move.moved");
    const auto words = std::to_string(moved) + " of " + std::to_string(tried) + " moves of " + std::to_string(wrapped) +
                       " arrays arrive";
    if (!evidence.list("move.stayed").empty() || moved != tried) return say.reproduced("002-E3", words);
    if (tried >= wrapped && evidence.list("move.changed").empty()) say.refuted("002-E3", words + ", equal bit for bit");
}

const Registered npy_bytes{{
    .summary = "read arrays as NumPy saves them, in every layout and kind, and move those that become tensors",
    .observed =
        "which of some twenty saved arrays become tensors, whether they read as written, and their moves in three ways",
    .decisive =
        "an array that reads wrongly or does not move makes it true; errors of the GPU or its memory decide nothing",
    .claims = {{"002-E3", "a tensor from NumPy is risky to move"}},
    .variants = {{.name = "cpu", .expected = {{"002-E3", refuted}}},
                 {.name = "moved", .needs = tocuda::Needs{.gpus = 1}, .expected = {{"002-E3", refuted}}}},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::numpy::npy_bytes
