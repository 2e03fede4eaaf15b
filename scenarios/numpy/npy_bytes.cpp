// tocuda, Apache-2.0.
// Twenty arrays as NumPy saved them. Arrays that can become tensors move: row-major, column-major, empty,
// zero-dimensional or on read-only pages. The others (objects, structures, dates, text, foreign byte order, negative
// strides) are refused before a tensor exists.
#include <ATen/ATen.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "libtorch/attempt.hpp"
#include "libtorch/many_moves.hpp"
#include "libtorch/npy.hpp"
#include "libtorch/specimens.hpp"
#include "worker/registered.hpp"

// Arrays as numpy.save (NumPy 2.4) wrote them: the header text, and the data in hexadecimal.
namespace npy_samples {

struct Sample {
    std::string_view name;
    std::string_view header;
    std::string_view data;
};

inline constexpr std::array<Sample, 20> samples{{
    {"row_major", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
     "000000000000f03f000000000000004000000000000008400000000000001040000000000000144000000000000018400000000000001c40"
     "00000000000020400000000000002240000000000000244000000000000026400000000000002840"},
    {"column_major", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }",
     "000000000000f03f000000000000144000000000000022400000000000000040000000000000184000000000000024400000000000000840"
     "0000000000001c400000000000002640000000000000104000000000000020400000000000002840"},
    {"float16", "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }",
     "003c0040004200440045004600470048804800498049004a"},
    {"float32_broadcast", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
     "0000c03f0000c03f0000c03f0000c03f0000c03f0000c03f"},
    {"bool", "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 4), }", "000100010001000100010001"},
    {"int8", "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", "000102"},
    {"uint16", "{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }", "0100020003000400"},
    {"complex128", "{'descr': '<c16', 'fortran_order': False, 'shape': (4,), }",
     "000000000000f03f000000000000000000000000000000400000000000000000000000000000084000000000000000000000000000001040"
     "0000000000000000"},
    {"zero_dim", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0000000000000440"},
    {"empty", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", ""},
    {"negative_strides", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
     "000000000000284000000000000026400000000000002440000000000000224000000000000020400000000000001c400000000000001840"
     "0000000000001440000000000000104000000000000008400000000000000040000000000000f03f"},
    {"sliced", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
     "000000000000f03f000000000000084000000000000014400000000000001c4000000000000022400000000000002640"},
    {"big_endian", "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 4), }",
     "3ff000000000000040000000000000004008000000000000401000000000000040140000000000004018000000000000401c000000000000"
     "40200000000000004022000000000000402400000000000040260000000000004028000000000000"},
    {"big_endian_int16", "{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }", "000000010002000300040005"},
    {"long_double", "{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }",
     "000000000000000000007490b67f00000000000000000080ff3f7490b67f0000"},
    {"datetime", "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (2,), }", "0b4d0000000000002d4f000000000000"},
    {"timedelta", "{'descr': '<m8[s]', 'fortran_order': False, 'shape': (2,), }", "01000000000000000200000000000000"},
    {"structured", "{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (2,), }",
     "010000000000000000000440030000000000000000001240"},
    {"object", "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
     "80049590000000000000008c166e756d70792e5f636f72652e6d756c74696172726179948c0c5f7265636f6e7374727563749493948c056e"
     "756d7079948c076e6461727261799493944b0085944301629487945294284b014b02859468038c0564747970659493948c024f3894898887"
     "945294284b038c017c944e4e4e4affffffff4affffffff4b3f749462895d94284b018c016194657494622e"},
    {"text", "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }", "61000000620000006300000000000000"},
}};

// Returns the whole file: the header is padded with spaces so that the data begins at a multiple of 64.
inline std::string file_of(const Sample& sample) {
    constexpr std::size_t before_header = 10;
    std::string header(sample.header);
    header.append((64 - (before_header + header.size() + 1) % 64) % 64, ' ');
    header += '\n';
    std::string bytes{"\x93NUMPY\x01\x00", 8};
    bytes += {static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
    bytes += header;
    const auto digit = [](char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; };
    for (std::size_t i = 0; i + 1 < sample.data.size(); i += 2)
        bytes += static_cast<char>(digit(sample.data[i]) * 16 + digit(sample.data[i + 1]));
    return bytes;
}

}  // namespace npy_samples

namespace tocuda::numpy::npy_bytes {
namespace {

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
