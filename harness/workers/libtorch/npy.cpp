// tocuda, Apache-2.0.
// Reads the .npy format: magic bytes, version, header length, header (a Python dictionary as text), data.
#include "libtorch/npy.hpp"

#include <charconv>
#include <utility>

namespace tocuda {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number * 256 + static_cast<unsigned char>(bytes[i]);
    return number;
}

// Returns the text after 'key': in the dictionary, up to the end.
std::optional<std::string_view> after_key(std::string_view text, std::string_view key) {
    const auto quoted = "'" + std::string(key) + "':";
    const auto found = text.find(quoted);
    if (found == std::string_view::npos) return std::nullopt;
    text.remove_prefix(found + quoted.size());
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// Returns a quoted text without its quotes, or a list with its brackets.
std::optional<std::string> description(std::string_view text) {
    if (text.starts_with('\'')) {
        const auto end = text.find('\'', 1);
        if (end != std::string_view::npos) return std::string(text.substr(1, end - 1));
    }
    if (text.starts_with('[')) {
        const auto end = text.find("],");
        if (end != std::string_view::npos) return std::string(text.substr(0, end + 1));
    }
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
    const auto closed = text.find(')');
    if (!text.starts_with('(') || closed == std::string_view::npos) return std::nullopt;
    text = text.substr(1, closed - 1);
    std::vector<std::int64_t> shape;
    while (!text.empty()) {
        if (text.front() == ' ' || text.front() == ',') {
            text.remove_prefix(1);
            continue;
        }
        std::int64_t length = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
        if (error != std::errc() || length < 0) return std::nullopt;
        shape.push_back(length);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return shape;
}

std::optional<at::ScalarType> scalar_type(std::string_view kind_and_size) {
    constexpr std::pair<std::string_view, at::ScalarType> known[] = {
        {"b1", at::kBool},         {"i1", at::kChar},          {"i2", at::kShort},  {"i4", at::kInt},
        {"i8", at::kLong},         {"u1", at::kByte},          {"u2", at::kUInt16}, {"u4", at::kUInt32},
        {"u8", at::kUInt64},       {"f2", at::kHalf},          {"f4", at::kFloat},  {"f8", at::kDouble},
        {"c8", at::kComplexFloat}, {"c16", at::kComplexDouble}};
    for (const auto& [name, type] : known)
        if (name == kind_and_size) return type;
    return std::nullopt;
}

std::string why_refused(const std::string& descr) {
    if (descr.starts_with('[')) return "structured";
    if (descr.size() < 2) return "unknown dtype " + descr;
    const auto kind = descr[1];
    if (kind == 'O') return "Python objects";
    if (kind == 'M' || kind == 'm') return "dates";
    if (kind == 'U' || kind == 'S') return "texts";
    if (!scalar_type(descr.substr(1))) return "unknown dtype " + descr;
    if (descr[0] == '>') return "another byte order";
    return "";
}

std::vector<std::int64_t> strides_of(const NpyHeader& header) {
    std::vector<std::int64_t> strides(header.shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const auto dimension = header.fortran_order ? i : strides.size() - 1 - i;
        strides[dimension] = stride;
        stride *= header.shape[dimension];
    }
    return strides;
}

}  // namespace

Expected<NpyHeader> read_npy_header(std::string_view bytes) {
    constexpr std::size_t before_length = 8;
    if (!bytes.starts_with(magic) || bytes.size() < before_length + 4) return problem("not a .npy file");
    const auto version = static_cast<unsigned char>(bytes[6]);
    if (version < 1 || version > 3) return problem("unknown version " + std::to_string(version));
    const std::size_t width = version == 1 ? 2 : 4;
    const auto length = little_endian(bytes.substr(before_length, width));
    const auto begin = before_length + width;
    if (bytes.size() < begin + length) return problem("the header is cut short");
    const auto text = bytes.substr(begin, length);
    const auto descr = after_key(text, "descr");
    const auto order = after_key(text, "fortran_order");
    const auto shape = after_key(text, "shape");
    if (!descr || !order || !shape) return problem("the header lacks a key");
    const auto what = description(*descr);
    const auto sizes = shape_of(*shape);
    if (!what || !sizes || !(order->starts_with("True") || order->starts_with("False")))
        return problem("the header cannot be read");
    return NpyHeader{*what, order->starts_with("True"), *sizes, begin + length};
}

NpyTensor tensor_over(std::string_view bytes) {
    const auto header = read_npy_header(bytes);
    if (!header) return {.refused = header.error().what};
    if (auto refused = why_refused(header->descr); !refused.empty()) return {.refused = std::move(refused)};
    const auto type = *scalar_type(header->descr.substr(1));
    std::size_t needed = c10::elementSize(type);
    for (const auto length : header->shape) needed *= static_cast<std::size_t>(length);
    if (bytes.size() - header->data_begin < needed) return {.refused = "the data is cut short"};
    // LibTorch has no tensor over read-only memory; nothing here writes.
    auto* data = const_cast<char*>(bytes.data()) + header->data_begin;
    return {.tensor = at::from_blob(data, header->shape, strides_of(*header), at::dtype(type))};
}

}  // namespace tocuda
