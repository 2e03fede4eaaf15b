// tocuda, Apache-2.0.
// GPUDirect Storage: the part of cuFile's interface that reads a file into the GPU's memory, loaded if the machine has
// the library. Compatibility mode, which reads through the host's memory, is refused.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tocuda {

class CuFile {
public:
    static constexpr const char* usual_name = "libcufile.so.0";

    // Opens the library and its driver, once for a process.
    static const CuFile& here();
    // What is needed and what was found. Empty if files can be read into the GPU's memory directly.
    const std::string& why_not() const { return reason; }

    // A file that is open for reads past the page cache, and can be read directly. Throws std::runtime_error.
    class File {
    public:
        File(const CuFile& cufile, int descriptor);
        File(const File&) = delete;
        File& operator=(const File&) = delete;
        ~File();
        // Reads the first bytes of the file into the GPU's memory.
        void read(std::span<std::byte> to) const;

    private:
        const CuFile& library;
        void* handle = nullptr;
    };

    // The GPU's memory, made known for reads into it. Throws std::runtime_error.
    class Buffer {
    public:
        Buffer(const CuFile& cufile, std::span<std::byte> memory);
        Buffer(const Buffer&) = delete;
        Buffer& operator=(const Buffer&) = delete;
        ~Buffer();

    private:
        const CuFile& library;
        std::byte* start;
    };

private:
    CuFile();
    std::string opened();

    // As the library's documentation has them. An error is a code of the library and one of CUDA's driver; 0: none.
    struct Error {
        int code = 0;
        int driver_code = 0;
    };
    struct Description {
        int type = 1;  // a file descriptor
        union {
            int descriptor;
            void* pointer;
        } handle{.pointer = nullptr};
        const void* operations = nullptr;
    };
    struct Properties {
        unsigned major_version = 0;  // of the kernel module nvidia-fs
        unsigned minor_version = 0;
        std::size_t poll_threshold = 0;
        std::size_t most_direct_bytes = 0;
        unsigned status_bits = 0;
        unsigned control_bits = 0;
        unsigned feature_bits = 0;
        unsigned limits[5]{};
        std::byte room[256]{};  // for what later versions may add
    };
    struct Functions {
        Error (*set_flag)(int parameter, bool value) = nullptr;  // absent in older versions
        Error (*open_driver)() = nullptr;
        Error (*properties)(Properties*) = nullptr;
        Error (*register_file)(void** handle, Description*) = nullptr;
        void (*forget_file)(void* handle) = nullptr;
        Error (*register_memory)(const void*, std::size_t, int flags) = nullptr;
        Error (*forget_memory)(const void*) = nullptr;
        ssize_t (*read)(void* handle, void* memory, std::size_t bytes, off_t file_offset, off_t offset) = nullptr;
    };
    static std::string in_words(const char* call, Error error);

    Functions functions{};
    std::string reason{};
};

}  // namespace tocuda
