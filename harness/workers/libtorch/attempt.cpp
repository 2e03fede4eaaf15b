// tocuda, Apache-2.0.
// Catches the most derived exception type first.
#include "libtorch/attempt.hpp"

#include <c10/util/Exception.h>

#include <exception>

namespace tocuda {
namespace {

Attempt threw(const char* type, const c10::Error& error, int code = 0) {
    return {true, type, code, error.what_without_backtrace()};
}

}  // namespace

Attempt attempt(const std::function<void()>& action) {
    try {
        action();
        return {};
    } catch (const c10::OutOfMemoryError& error) {
        return threw("c10::OutOfMemoryError", error);
    } catch (const c10::AcceleratorError& error) {
        return threw("c10::AcceleratorError", error, static_cast<int>(error.get_error_code()));
    } catch (const c10::NotImplementedError& error) {
        return threw("c10::NotImplementedError", error);
    } catch (const c10::TypeError& error) {
        return threw("c10::TypeError", error);
    } catch (const c10::ValueError& error) {
        return threw("c10::ValueError", error);
    } catch (const c10::IndexError& error) {
        return threw("c10::IndexError", error);
    } catch (const c10::Error& error) {
        return threw("c10::Error", error);
    } catch (const std::exception& error) {
        return {true, "std::exception", 0, error.what()};
    }
}

void say(Observer& see, const std::string& name, const Attempt& attempt) {
    see(name + ".threw", attempt.threw);
    if (!attempt.threw) return;
    see(name + ".type", attempt.type);
    see(name + ".code", attempt.code);
    see(name + ".message", attempt.message);
}

bool threw(const Evidence& evidence, const std::string& name, const std::string& type, const std::string& words) {
    return evidence.flag(name + ".threw") && evidence.text(name + ".type") == type &&
           (words.empty() || evidence.text(name + ".message").find(words) != std::string::npos);
}

bool threw_code(const Evidence& evidence, const std::string& name, int code) {
    return threw(evidence, name, "c10::AcceleratorError") && evidence.integer(name + ".code") == code;
}

bool threw_out_of_memory(const Evidence& evidence, const std::string& name) {
    return threw(evidence, name, "c10::OutOfMemoryError");
}

bool threw_host_is_full(const Evidence& evidence, const std::string& name) {
    return threw(evidence, name, "c10::Error", "DefaultCPUAllocator");
}

std::string error_name(const Evidence& evidence, const std::string& name) {
    const auto& type = evidence.text(name + ".type");
    if (type == "c10::AcceleratorError") return "AcceleratorError " + std::to_string(evidence.integer(name + ".code"));
    constexpr std::string_view space = "c10::";
    return type.starts_with(space) && type != "c10::Error" ? type.substr(space.size()) : type;
}

void require_control(const Evidence& evidence, const std::string& name, const std::string& what) {
    if (evidence.flag(name + ".threw")) throw Undecided(what + " throws " + error_name(evidence, name) + ", too");
}

}  // namespace tocuda
