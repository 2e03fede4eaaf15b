// tocuda, Apache-2.0.
// The JSON of another tool, read with simdjson, because there may be hundreds of megabytes. Warnings that the tool
// printed before and after it are skipped, and of a document that was cut off the whole values are kept. Only files of
// this room include it.
#pragma once

#include <fmt/core.h>
#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tocuda::imported {

using Element = simdjson::dom::element;
using Object = simdjson::dom::object;

// Never leaves this room: what was expected, and where.
struct Unreadable : std::runtime_error {
    Unreadable(const std::string& where, const std::string& what)
        : std::runtime_error(where + what), place(where), rest(what) {}
    Unreadable within(const std::string& outer) const;

    std::string place;  // "testcases[3].name"; for text ":LINE"
    std::string rest;   // ": a text is expected"
};

class Document {
public:
    explicit Document(std::string_view text);

    Object root() const { return top; }
    // Where a document ends that was cut off.
    const std::optional<std::size_t>& cut_at() const { return cut; }

private:
    bool parse(std::string_view text);

    std::string padded{};
    simdjson::dom::parser parser{};
    Object top{};
    std::optional<std::size_t> cut{};
};

// A missing field and null are nothing; any other type throws.
std::optional<Element> find(const Object& object, std::string_view name);
std::optional<std::string> text_if_any(const Object& object, std::string_view name);
std::string text(const Object& object, std::string_view name);
std::optional<double> number_if_any(const Object& object, std::string_view name);  // also of a text such as "0.5"
double number(const Object& object, std::string_view name);
std::optional<std::int64_t> whole_if_any(const Object& object, std::string_view name);
std::int64_t whole(const Object& object, std::string_view name);
std::optional<double> number_in(std::string_view text);

[[noreturn]] void lacks(std::string_view name);                            // "NAME is missing"
[[noreturn]] void expect(std::string_view name, const std::string& what);  // "NAME: WHAT is expected"

// Calls `read` with an object, or with each element of a list, and names the place of what it throws.
template <class Read>
void inside(const Object& object, std::string_view name, Read read) {
    const auto found = find(object, name);
    if (!found) lacks(name);
    if (!found->is_object()) expect(name, "an object");
    try {
        read(Object(*found));
    } catch (const Unreadable& wrong) {
        throw wrong.within(std::string(name));
    }
}

// The last element may be cut off: what is missing in it is then no error.
template <class Read>
void each(const Document& document, const Object& object, std::string_view name, Read read) {
    const auto found = find(object, name);
    if (!found && document.cut_at()) return;
    if (!found) lacks(name);
    if (!found->is_array()) expect(name, "a list");
    const simdjson::dom::array list(*found);
    std::size_t place = 0;
    for (const Element one : list) {
        try {
            read(one, place);
        } catch (const Unreadable& wrong) {
            if (!document.cut_at() || place + 1 < list.size()) throw wrong.within(fmt::format("{}[{}]", name, place));
        }
        ++place;
    }
}

Object object_in(const Element& element);  // throws

}  // namespace tocuda::imported
