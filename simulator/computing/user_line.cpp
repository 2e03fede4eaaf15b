// tocuda, Apache-2.0.
// Python's functions are looked up, because the program may be written in C++.
#include "computing/user_line.hpp"

#include <dlfcn.h>

#include <utility>

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
