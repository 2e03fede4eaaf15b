// tocuda, Apache-2.0.
// The compiled form of a simulated machine, which the simulator loads (TOCUDA_SIMULATION names the file): each field on
// a line of its own, "key value", in one fixed order. One description serves writer and reader, so that nothing can be
// missing, unknown or left to a default. Nobody writes it by hand: `tocuda __simulation SPEC` does.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "simulator/schema/simulated_machine.hpp"

namespace tocuda {

inline constexpr std::string_view compiled_form_begin = "tocuda_simulation";
inline constexpr int compiled_form_version = 4;

class CompiledWriter {
public:
    void field(std::string_view key, const std::string& value) {
        written += key;
        written += " " + value + "\n";
    }
    void field(std::string_view key, bool value) { field(key, value ? 1 : 0); }
    template <class Number>
        requires(std::integral<Number> || std::floating_point<Number>)
    void field(std::string_view key, Number value) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        field(key, std::string(digits.data(), end));
    }
    template <class Element, class Each>
    void list(std::string_view key, const std::vector<Element>& elements, Each each) {
        field(key, elements.size());
        for (const auto& element : elements) each(*this, element);
    }
    template <class Value>
    void map(std::string_view key, const std::map<int, Value>& values) {
        field(key, values.size());
        for (const auto& [number, value] : values) {
            field("number", number);
            field("value", value);
        }
    }
    template <class Value>
    void optional(std::string_view key, const std::optional<Value>& value) {
        field(key, value.has_value());
        if (value) field("value", *value);
    }
    std::string take() { return std::move(written); }

private:
    std::string written;
};

class CompiledReader {
public:
    explicit CompiledReader(std::string_view text) : rest(text) {}

    void field(std::string_view key, std::string& value) { value = next(key); }
    void field(std::string_view key, bool& value) {
        int number = 0;
        field(key, number);
        if (number != 0 && number != 1) refuse(key);
        value = number == 1;
    }
    template <class Number>
        requires(std::integral<Number> || std::floating_point<Number>)
    void field(std::string_view key, Number& value) {
        const auto digits = next(key);
        if (!first_problem.empty()) return;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size()) refuse(key);
    }
    template <class Element, class Each>
    void list(std::string_view key, std::vector<Element>& elements, Each each) {
        for (auto left = count(key); left > 0 && first_problem.empty(); --left) each(*this, elements.emplace_back());
    }
    template <class Value>
    void map(std::string_view key, std::map<int, Value>& values) {
        for (auto left = count(key); left > 0 && first_problem.empty(); --left) {
            int number = 0;
            field("number", number);
            field("value", values[number]);
        }
    }
    template <class Value>
    void optional(std::string_view key, std::optional<Value>& value) {
        bool there = false;
        field(key, there);
        if (there) field("value", value.emplace());
    }
    // What is wrong first, or nothing.
    std::string finish() {
        if (!rest.empty()) refuse(line_number + 1, "the machine has ended before it");
        return first_problem;
    }

private:
    std::size_t count(std::string_view key) {
        std::size_t count = 0;
        field(key, count);
        return count;
    }
    std::string_view next(std::string_view key) {
        if (!first_problem.empty()) return {};
        ++line_number;
        const auto end = rest.find('\n');
        const auto line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        const bool has_key = line.starts_with(key) && line.substr(key.size()).starts_with(' ');
        if (has_key && end != std::string_view::npos) return line.substr(key.size() + 1);
        refuse(key);
        return {};
    }
    void refuse(std::string_view key) {
        refuse(line_number, "'" + std::string(key) + "' and its value are expected here");
    }
    void refuse(int line, const std::string& what) {
        if (first_problem.empty()) first_problem = "line " + std::to_string(line) + ": " + what;
    }

    std::string_view rest;
    int line_number = 0;
    std::string first_problem;
};

namespace compiled_form {

// The form itself: `form` is the writer or the reader, and what it is given is constant or not.
template <class Form, class Line>
void telemetry(Form& form, Line& line) {
    form.field("reading", line.moment.reading);
    form.optional("of_process", line.moment.process);
    form.field("after_seconds", line.moment.after_seconds);
    form.optional("after_work", line.moment.after_work);
    form.field("while_busy", line.moment.while_busy);
    form.field("field", line.field);
    form.field("number", line.number);
    form.list("processes", line.processes, [](auto& inner, auto& other) {
        inner.field("pid", other.pid);
        inner.field("bytes", other.bytes);
    });
}

template <class Form, class Gpu>
void gpu(Form& form, Gpu& of) {
    form.field("name", of.name);
    form.field("uuid", of.uuid);
    form.field("compute_major", of.compute_major);
    form.field("compute_minor", of.compute_minor);
    form.field("pci_domain", of.pci_domain);
    form.field("pci_bus", of.pci_bus);
    form.field("pci_device", of.pci_device);
    for (const auto& figure : gpu_figures) form.field(figure.name, of.*figure.member);
    for (const auto& condition : gpu_conditions) form.field(condition.name, of.*condition.member);
    for (const auto& variation : gpu_variations) form.field(variation.name, of.*variation.member);
    form.map("attributes", of.attributes);
    form.list("telemetry", of.telemetry, [](auto& inner, auto& line) { telemetry(inner, line); });
}

template <class Form, class Machine>
void machine(Form& form, Machine& of) {
    form.field("driver_version", of.driver_version);
    form.field("driver_name", of.driver_name);
    form.field("seed", of.seed);
    form.field("peer_access", of.peer_access);
    form.field("host_memory_bytes", of.host_memory_bytes);
    form.map("error_texts", of.error_texts);
    form.list("faults", of.faults, [](auto& inner, auto& fault) {
        inner.field("function", fault.function);
        inner.field("call", fault.call);
        inner.field("error", fault.error);
        inner.field("hang", fault.hang);
        inner.field("sticky", fault.sticky);
        inner.field("wrong", fault.wrong);
        inner.field("peer", fault.peer);
        inner.field("from", fault.from);
        inner.field("to", fault.to);
    });
    form.list("links", of.links, [](auto& inner, auto& link) {
        inner.field("from", link.from);
        inner.field("to", link.to);
        inner.field("bytes_per_second", link.bytes_per_second);
        inner.field("latency_ns", link.latency_ns);
    });
    form.list("gpus", of.gpus, [](auto& inner, auto& one) { gpu(inner, one); });
}

}  // namespace compiled_form

inline std::string compiled(const SimulatedMachine& machine) {
    CompiledWriter writer;
    writer.field(compiled_form_begin, compiled_form_version);
    compiled_form::machine(writer, machine);
    return writer.take();
}

struct CompiledReading {
    SimulatedMachine machine{};
    std::string problem{};  // empty: `machine` is whole
};

inline CompiledReading read_compiled(std::string_view text) {
    CompiledReader reader(text);
    CompiledReading reading;
    int version = 0;
    reader.field(compiled_form_begin, version);
    if (version != compiled_form_version) return {{}, "line 1: not what `tocuda __simulation` of this version writes"};
    compiled_form::machine(reader, reading.machine);
    reading.problem = reader.finish();
    return reading;
}

}  // namespace tocuda
