// tocuda, Apache-2.0.
#include "benchmarks/files/cufile.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace tocuda {
namespace {

constexpr int allow_compatibility = 1;  // the library's parameters, by their numbers
constexpr int force_compatibility = 2;
constexpr unsigned compatibility_allowed = 1U << 1;  // a control bit

template <class Function>
bool look_up(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function;
}

}  // namespace

const CuFile& CuFile::here() {
    static const CuFile only;
    return only;
}

CuFile::CuFile() : reason(opened()) {}

// The library stays open, because its threads may outlive every use of it.
std::string CuFile::opened() {
    static_cast<void>(setenv("CUFILE_LOGFILE_PATH", "/dev/null", 0));  // instead of cufile.log in the current folder
    void* const library = dlopen(usual_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return std::string("GPUDirect Storage is needed; ") + usual_name + " was not found on this machine";
    look_up(library, "cuFileSetParameterBool", functions.set_flag);
    if (!look_up(library, "cuFileDriverOpen", functions.open_driver) ||
        !look_up(library, "cuFileDriverGetProperties", functions.properties) ||
        !look_up(library, "cuFileHandleRegister", functions.register_file) ||
        !look_up(library, "cuFileHandleDeregister", functions.forget_file) ||
        !look_up(library, "cuFileBufRegister", functions.register_memory) ||
        !look_up(library, "cuFileBufDeregister", functions.forget_memory) ||
        !look_up(library, "cuFileRead", functions.read))
        return std::string("GPUDirect Storage is needed; ") + usual_name + " lacks some of its functions";
    if (functions.set_flag)
        for (const int flag : {allow_compatibility, force_compatibility})
            if (const auto error = functions.set_flag(flag, false); error.code != 0)
                return "compatibility mode must be off; " + in_words("cuFileSetParameterBool", error) + " is needed";
    if (const auto error = functions.open_driver(); error.code != 0)
        return "GPUDirect Storage is needed; " + in_words("cuFileDriverOpen", error);
    Properties found;
    if (const auto error = functions.properties(&found); error.code != 0)
        return "GPUDirect Storage is needed; " + in_words("cuFileDriverGetProperties", error);
    if ((found.control_bits & compatibility_allowed) != 0)
        return "GPUDirect Storage is needed; the library may fall back to its compatibility mode: set "
               "allow_compat_mode to false in cufile.json";
    return "";
}

std::string CuFile::in_words(const char* call, Error error) {
    auto words = std::string(call) + " answered " + std::to_string(error.code);
    if (error.code == 5001) words += " (nvidia-fs is not loaded)";
    if (error.code == 5008) words += " (not supported for this file)";
    if (error.code == 5009) words += " (not supported by this GPU)";
    if (error.driver_code != 0) words += ", CUDA's driver " + std::to_string(error.driver_code);
    return words;
}

CuFile::File::File(const CuFile& cufile, int descriptor) : library(cufile) {
    Description description;
    description.handle.descriptor = descriptor;
    if (const auto error = library.functions.register_file(&handle, &description); error.code != 0)
        throw std::runtime_error(in_words("cuFileHandleRegister", error));
}

CuFile::File::~File() { library.functions.forget_file(handle); }

void CuFile::File::read(std::span<std::byte> to) const {
    for (std::size_t done = 0; done < to.size();) {
        const auto place = static_cast<off_t>(done);
        const auto got = library.functions.read(handle, to.data(), to.size() - done, place, place);
        if (got == -1) throw std::runtime_error(std::string("cuFileRead: ") + std::strerror(errno));
        if (got <= 0) throw std::runtime_error("cuFileRead answered " + std::to_string(got));
        done += static_cast<std::size_t>(got);
    }
}

CuFile::Buffer::Buffer(const CuFile& cufile, std::span<std::byte> memory) : library(cufile), start(memory.data()) {
    if (const auto error = library.functions.register_memory(start, memory.size(), 0); error.code != 0)
        throw std::runtime_error(in_words("cuFileBufRegister", error));
}

CuFile::Buffer::~Buffer() { library.functions.forget_memory(start); }

}  // namespace tocuda
