// tocuda, Apache-2.0.
// The fields of a line are listed once; the same list writes them as JSON and reads them. Only files of this room
// include it. A list is a function:
//
//     void fields(auto& io, Of<Needs> auto& needs) {
//         io("gpus", needs.gpus);                 // must be there, unless it is a std::optional
//         io.or_else("free_gib", needs.free_gib); // always written; keeps its default if it is absent
//         io.unless_empty("note", needs.note);    // the same, but an empty one is not written
//     }
//
// What the types of the model cannot tell stands after the value (`As`), or is checked by `must` and `within`, which
// only act when reading.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "json_lines/dom.hpp"
#include "json_lines/json.hpp"
#include "json_lines/visible.hpp"
#include "model/benchmark.hpp"
#include "model/row.hpp"

namespace tocuda {

// A part that is written from a constant and read into a variable.
template <class Type, class Part>
concept Of = std::same_as<std::remove_const_t<Type>, Part>;

template <class Type>
inline constexpr bool is_list = false;
template <class Type>
inline constexpr bool is_list<std::vector<Type>> = true;
template <class Type>
inline constexpr bool is_map = false;
template <class Type>
inline constexpr bool is_map<std::map<std::string, Type>> = true;
template <class Type>
inline constexpr bool is_optional = false;
template <class Type>
inline constexpr bool is_optional<std::optional<Type>> = true;
template <class Type>  // has a list of fields
inline constexpr bool is_part =
    std::is_class_v<Type> && !is_list<Type> && !is_map<Type> && !is_optional<Type> &&
    !std::same_as<Type, std::string> && !std::same_as<Type, Value> && !std::same_as<Type, Flag>;

template <class Word>
inline constexpr std::span<const std::string_view> words_of_type{};
template <>
inline constexpr std::span<const std::string_view> words_of_type<Clock>{clock_words};
template <>
inline constexpr std::span<const std::string_view> words_of_type<Handling>{handling_words};
template <>
inline constexpr std::span<const std::string_view> words_of_type<Status>{status_words};
template <>
inline constexpr std::span<const std::string_view> words_of_type<Counted>{counted_words};
template <>
inline constexpr std::span<const std::string_view> words_of_type<Device>{device_words};
template <>
inline constexpr std::span<const std::string_view> words_of_type<Verdict>{verdict_words};

namespace json {

template <class Type>
Json of(const Type& value);

class Writer {
public:
    static constexpr bool reads = false;

    Writer() { object.get_ref<Json::object_t&>().reserve(32); }  // growing would copy what is there

    // An optional value that is unknown is an absent field, never null.
    template <class Type>
    void operator()(const char* name, const Type& value, As how = As::is) {
        if constexpr (is_optional<Type>) {
            if (value) object[name] = of(*value);
        } else if constexpr (std::same_as<Type, std::string>) {
            object[name] = how == As::written ? visible(value) : value;
        } else {
            object[name] = of(value);
        }
    }
    template <class Type>
    void or_else(const char* name, const Type& value, As how = As::is) {
        (*this)(name, value, how);
    }
    template <class Type>
    void unless_empty(const char* name, const Type& value, As how = As::is) {
        if constexpr (requires { value.empty(); }) {
            if (!value.empty()) (*this)(name, value, how);
        } else {
            if (value != Type{}) (*this)(name, value, how);
        }
    }
    void constant(const char* name, const char* value) { object[name] = value; }
    void must(bool, const std::string&) {}
    template <class Number>
    void within(const char*, Number, Number, Number) {}

    Json object = Json::object();
};

template <class Type>
Json of(const Type& value) {
    if constexpr (std::is_enum_v<Type>) {
        return word(value);
    } else if constexpr (std::same_as<Type, Value>) {
        return from_value(value);
    } else if constexpr (std::same_as<Type, Flag>) {
        return value.text();
    } else if constexpr (is_optional<Type>) {
        return value ? of(*value) : Json(nullptr);
    } else if constexpr (is_list<Type>) {
        auto list = Json::array();
        for (const auto& one : value) list.push_back(of(one));
        return list;
    } else if constexpr (is_map<Type>) {
        auto object = Json::object();
        for (const auto& [name, one] : value) object[name] = of(one);
        return object;
    } else if constexpr (is_part<Type>) {
        Writer io;
        fields(io, value);
        return std::move(io.object);
    } else {
        return value;
    }
}

template <class Type>
std::string line(const char* kind, const Type& value) {
    Json object{{"kind", kind}};
    object.update(of(value));
    return text(object);
}

}  // namespace json

namespace dom {

template <class Type>
void read(const Element& element, std::string_view name, Type& value, As how = As::is);

class Reader {
public:
    static constexpr bool reads = true;

    explicit Reader(const Fields& fields) : from(fields) {}

    template <class Type>
    void operator()(const char* name, Type& value, As how = As::is) {
        const auto* found = from.find(name);
        if constexpr (is_optional<Type>) {
            if (found) read(*found, name, value.emplace(), how);
        } else if (found) {
            read(*found, name, value, how);
        } else {
            refuse(name, is_list<Type>                   ? "is not a list"
                         : is_map<Type> || is_part<Type> ? "is not an object"
                                                         : "is missing");
        }
    }
    template <class Type>
    void or_else(const char* name, Type& value, As how = As::is) {
        if (const auto* found = from.find(name)) read(*found, name, value, how);
    }
    template <class Type>
    void unless_empty(const char* name, Type& value, As how = As::is) {
        or_else(name, value, how);
    }
    void constant(const char* name, const char* value) {
        if (field<std::string_view>(from, name) != value)
            throw Malformed("'" + std::string(name) + "' is not '" + value + "'");
    }
    void must(bool holds, const std::string& otherwise) {
        if (!holds) throw Malformed(otherwise);
    }
    template <class Number>
    void within(const char* name, Number value, Number least, Number most) {
        if (!(value >= least && value <= most)) refuse(name, "is out of range");
    }

    const Fields& from;
};

template <class Type>
void read_fields(const Fields& from, std::string_view name, Type& value, As how = As::is) {
    if constexpr (is_map<Type>) {
        for (const auto& [key, element] : from) {
            if (how == As::name) refuse_control_characters(key, name);
            const bool as_it_is = how == As::is || how == As::name;
            read(element, key, value[as_it_is ? std::string(key) : visible(key)], how);
        }
    } else {
        Reader io(from);
        fields(io, value);
    }
}

template <class Type>
void read_list(const Element& element, std::string_view name, Type& list, As how) {
    using One = typename Type::value_type;
    simdjson::dom::array array;
    if (element.get(array) != simdjson::SUCCESS) refuse(name, "is not a list");
    list.clear();
    for (const Element one : array) {
        if ((std::same_as<One, std::string> || std::same_as<One, Flag>) && !one.is_string())
            refuse(name, "contains something other than text");
        if (is_part<One> && !one.is_object()) refuse(name, "contains something other than an object");
        read(one, name, list.emplace_back(), how);
    }
}

template <class Type>
void read(const Element& element, std::string_view name, Type& value, As how) {
    if constexpr (is_optional<Type>) {
        if (element.is_null()) value.reset();
        else read(element, name, value.emplace(), how);
    } else if constexpr (std::same_as<Type, Value>) {
        value = to_value(element, name, how);
    } else if constexpr (std::same_as<Type, Flag>) {
        value = to_text(element, name, how);
    } else if constexpr (std::same_as<Type, std::vector<double>>) {
        value = to_seconds(element, name);
    } else if constexpr (is_list<Type>) {
        read_list(element, name, value, how);
    } else if constexpr (is_map<Type> || is_part<Type>) {
        simdjson::dom::object object;
        if (element.get(object) != simdjson::SUCCESS) refuse(name, "is not an object");
        read_fields(Fields(object), name, value, how);
    } else if constexpr (std::is_enum_v<Type>) {
        const auto text = as<std::string_view>(element, name);
        const auto found = std::find(words_of_type<Type>.begin(), words_of_type<Type>.end(), text);
        if (found == words_of_type<Type>.end())
            throw Malformed("'" + std::string(text) + "' is not a valid " +
                            std::string(std::same_as<Type, Verdict> ? "verdict" : name));
        value = static_cast<Type>(found - words_of_type<Type>.begin());
    } else if constexpr (std::same_as<Type, std::string>) {
        value = to_text(element, name, how);
    } else {
        value = as<Type>(element, name);
        if (how == As::amount && value < Type{}) refuse(name, "is negative");
    }
}

template <class Type>
Type to(const Fields& from) {
    Type value{};
    read_fields(from, "", value);
    return value;
}

// Reads a line of this kind.
template <class Type>
Expected<Type> line(const char* kind, std::string_view text) {
    return parsed<Type>(text, [&](const Fields& from) {
        Reader(from).constant("kind", kind);
        return to<Type>(from);
    });
}

}  // namespace dom
}  // namespace tocuda
