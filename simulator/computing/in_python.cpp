// tocuda, Apache-2.0.
#include "computing/in_python.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "computing/memory_history.hpp"
#include "simulator/schema/counts.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::computing {
namespace {

SharedCounts& counts() { return *static_cast<SharedCounts*>(tocuda_simulation_counts()); }

template <typename Function>
Function* of_python(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

// `call` then runs in Python's main thread, with its lock.
void call_later(int (*call)(void*)) {
    if (auto* const later = of_python<int(int (*)(void*), void*)>("Py_AddPendingCall")) later(call, nullptr);
}

int raise_system_exit(void*) {
    auto* const exit = static_cast<void**>(::dlsym(RTLD_DEFAULT, "PyExc_SystemExit"));
    of_python<void(void*)>("PyErr_SetNone")(*exit);
    return -1;
}

void count_question() { ++counts().memory_questions; }

void count_compiled(const char* dropped) {
    static std::atomic<bool> said = false;
    ++counts().compiled;
    if (said.exchange(true)) return;
    std::fprintf(stderr,
                 "tocuda: simulated GPUs: torch.compile: its graphs run operator by operator, not through Inductor: "
                 "rounding and memory differ from a GPU's%s%s\n",
                 *dropped == '\0' ? "" : "; without effect: ", dropped);
}

// `total_memory` is a field, which is read without a call that could be seen.
constexpr auto program = R"python(
import ctypes, sys

def watch_properties(torch, count):
    properties = torch._C._CudaDeviceProperties
    value = properties.total_memory
    properties.total_memory = property(lambda one: (count(), value.__get__(one))[1])

def replace_inductor(torch, told, refuses):
    kind = torch._TorchCompileInductorWrapper
    real = kind.__call__

    def uses_gpus(graph, inputs):
        try:
            used = (*inputs, *graph.parameters(), *graph.buffers())
            return any(getattr(getattr(one, "device", None), "type", "") == "cuda" for one in used)
        except Exception:  # another version of PyTorch hands over something else: it has its way
            return False

    def call(self, graph, inputs, *more, **named):
        if not uses_gpus(graph, inputs):
            return real(self, graph, inputs, *more, **named)
        if refuses:
            raise RuntimeError("torch.compile on simulated GPUs was refused (--compile refuse)")
        told(", ".join(sorted(getattr(self, "config", {}))).encode())
        return graph.forward

    kind.__call__ = call

def change():
    torch = sys.modules["torch"]
    if recorded:
        watch_properties(torch, ctypes.CFUNCTYPE(None)(question))
    replace_inductor(torch, ctypes.CFUNCTYPE(None, ctypes.c_char_p)(compiled), refuses)

try:
    cuda = sys.modules["torch.cuda"]
    change() if cuda._initialized else cuda._queued_calls.append((change, []))
except Exception:
    pass
)python";

std::string assigned(const char* name, std::uintptr_t value) {
    return std::string(name) + " = " + std::to_string(value) + "\n";
}

// This may run while PyTorch's `_lazy_init` holds its lock; what it has queued runs once LibTorch has met a GPU.
int change_now(void*) {
    const char* const compile = std::getenv("TOCUDA_COMPILE");
    const bool refuses = compile && std::string_view(compile) == "refuse";
    const auto text = "exec('''" + assigned("recorded", is_recorded() ? 1 : 0) + assigned("refuses", refuses ? 1 : 0) +
                      assigned("question", reinterpret_cast<std::uintptr_t>(&count_question)) +
                      assigned("compiled", reinterpret_cast<std::uintptr_t>(&count_compiled)) + program + "''', {})";
    of_python<int(const char*)>("PyRun_SimpleString")(text.c_str());
    return 0;
}

}  // namespace

void end_program() { call_later(raise_system_exit); }

const void* handled_exception() {
    auto* const take = of_python<int()>("PyGILState_Ensure");
    auto* const give = of_python<void(int)>("PyGILState_Release");
    auto* const handled = of_python<void(void**, void**, void**)>("PyErr_GetExcInfo");
    auto* const drop = of_python<void(void*)>("Py_DecRef");
    if (!take || !give || !handled || !drop) return nullptr;
    const int lock = take();
    void *type = nullptr, *value = nullptr, *trace = nullptr;
    handled(&type, &value, &trace);
    for (auto* const one : {type, value, trace})
        if (one) drop(one);
    give(lock);
    return value == ::dlsym(RTLD_DEFAULT, "_Py_NoneStruct") ? nullptr : value;
}

void change_pytorch() { call_later(change_now); }

}  // namespace tocuda::computing

// Python's functions are looked up, because the program may be written in C++.

namespace tocuda::computing {
namespace {

struct Object;

template <typename Function>
Function* found(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

struct Python {
    int (*initialized)() = found<int()>("Py_IsInitialized");
    int (*ends)() = [] {  // the second name is that of Python before 3.13
        auto* const known = found<int()>("Py_IsFinalizing");
        return known ? known : found<int()>("_Py_IsFinalizing");
    }();
    int (*ensure)() = found<int()>("PyGILState_Ensure");
    void (*release)(int) = found<void(int)>("PyGILState_Release");
    Object* (*this_thread)() = found<Object*()>("PyGILState_GetThisThreadState");
    Object* (*frame)() = found<Object*()>("PyEval_GetFrame");
    Object* (*before)(Object*) = found<Object*(Object*)>("PyFrame_GetBack");
    Object* (*code)(Object*) = found<Object*(Object*)>("PyFrame_GetCode");
    int (*line)(Object*) = found<int(Object*)>("PyFrame_GetLineNumber");
    Object* (*attribute)(Object*, const char*) = found<Object*(Object*, const char*)>("PyObject_GetAttrString");
    const char* (*text)(Object*) = found<const char*(Object*)>("PyUnicode_AsUTF8");
    void (*keep)(Object*) = found<void(Object*)>("Py_IncRef");
    void (*drop)(Object*) = found<void(Object*)>("Py_DecRef");
    Object* (*of_system)(const char*) = found<Object*(const char*)>("PySys_GetObject");
    Object* (*call)(Object*) = found<Object*(Object*)>("PyObject_CallNoArgs");
    int (*next)(Object*, long*, Object**, Object**) = found<int(Object*, long*, Object**, Object**)>("PyDict_Next");

    bool usable() const {
        return initialized && ends && ensure && release && this_thread && frame && before && code && line &&
               attribute && text && keep && drop && of_system && call && next && initialized() != 0 && this_thread() &&
               ends() == 0;  // it would end a thread that asks for its lock then, within C++
    }

    // `what` of the code that a frame runs: "co_filename", "co_name".
    std::string code_of(Object* frame_of, const char* what) const {
        Object* const its_code = code(frame_of);
        Object* const value = attribute(its_code, what);
        const char* const words = value ? text(value) : nullptr;
        std::string found_words = words ? words : "";
        if (value) drop(value);
        drop(its_code);
        return found_words;
    }
};

bool of_pytorch(const std::string& path) {
    return path.find("/torch/") != std::string::npos || path.find("/site-packages/") != std::string::npos;
}

// The innermost place outside of PyTorch of a frame and those around it.
std::string innermost(const Python& python, Object* at) {
    if (at) python.keep(at);
    std::string place;
    while (at && place.empty()) {
        const std::string path = python.code_of(at, "co_filename");
        if (!of_pytorch(path)) place = path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(python.line(at));
        Object* const outer = python.before(at);
        python.drop(at);
        at = outer;
    }
    if (at) python.drop(at);
    return place;
}

// LibTorch's threads, as that of a backward pass, have no frames of Python: there it is the line where the oldest
// thread of Python waits, which Python names last.
std::string waiting(const Python& python) {
    Object* const frames = python.call(python.of_system("_current_frames"));
    if (!frames) return {};
    std::string place;
    long position = 0;
    Object *thread = nullptr, *frame = nullptr;
    while (python.next(frames, &position, &thread, &frame) != 0)
        if (auto its_place = innermost(python, frame); !its_place.empty()) place = std::move(its_place);
    python.drop(frames);
    return place;
}

}  // namespace

std::string user_line() { return user_place().line; }

UserPlace user_place() {
    static const Python python;
    if (!python.usable()) return {};
    const int state = python.ensure();
    Object* const frame = python.frame();
    UserPlace place{.line = frame ? innermost(python, frame) : waiting(python)};
    if (frame) place.function = python.code_of(frame, "co_name");
    python.release(state);
    return place;
}

}  // namespace tocuda::computing
