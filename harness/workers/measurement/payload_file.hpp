// tocuda, Apache-2.0.
// A file that holds the payload, and whether the page cache holds it. No folder names the file, so it vanishes with the
// process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tocuda {

class PayloadFile {
public:
    // Writes the payload from offset `place` on into a new file of this folder, and waits until the disk has it. Throws
    // std::runtime_error.
    PayloadFile(const std::string& folder, std::size_t bytes, std::size_t place);
    explicit PayloadFile(const std::string& folder);  // an empty file, to be written
    PayloadFile(const PayloadFile&) = delete;
    PayloadFile& operator=(const PayloadFile&) = delete;
    ~PayloadFile();

    int descriptor() const { return file; }
    std::string path() const;  // for this process only
    void sync() const;         // returns when the disk has it
    std::size_t size() const;
    void read(std::byte* to, std::size_t place, std::size_t bytes) const { read_from(file, to, place, bytes); }

    // Drops the file from the page cache: all of it, because the cache may hold it in pieces of any size, which are not
    // dropped in part. What is mapped into a process stays.
    void drop() const;
    // Whether the system may read ahead of what it is asked for, which goes on after the last read has returned.
    void read_ahead(bool on) const;
    void load(std::size_t bytes) const;                 // the first `bytes` into the page cache
    std::size_t cached_bytes(std::size_t bytes) const;  // of the first `bytes`

    static void read_from(int descriptor, std::byte* to, std::size_t place, std::size_t bytes);
    static void write_to(int descriptor, const std::byte* from, std::size_t place, std::size_t bytes);

private:
    void advise(int advice) const;

    int file = -1;
};

// The file opened once more, past the page cache. Throws std::runtime_error where the file system does not do that.
class DirectFile {
public:
    enum class Way { read, write };
    explicit DirectFile(const PayloadFile& file, Way way = Way::read);
    DirectFile(const DirectFile&) = delete;
    DirectFile& operator=(const DirectFile&) = delete;
    ~DirectFile();
    int descriptor() const { return number; }

    // Addresses, places and sizes must be multiples of this, which is one of what disks move at once.
    static constexpr std::size_t block = 4096;

private:
    int number;
};

// Maps the first bytes of a file for reading.
class MappedFile {
public:
    MappedFile(const PayloadFile& file, std::size_t bytes);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    const std::byte* get() const { return memory; }

private:
    std::byte* memory = nullptr;
    std::size_t size;
};

// TMPDIR, or /tmp.
std::string folder_of_files();

// Empty if a file of this folder can be dropped from the page cache, and can be seen to be read from a disk again.
std::string why_never_cold(const std::string& folder);
bool is_in_memory(const std::string& folder);

// The flag of cold rows whose file is on a virtual disk, or on one that cannot be identified in a virtual machine: the
// host may cache it. Empty otherwise.
std::string virtual_disk_flag(const std::string& folder);
std::string virtual_disk_flag(unsigned device_major, unsigned device_minor, const std::filesystem::path& system = "/");

// The room of a folder, read once: later, a file that is there already would count as well.
class FolderRoom {
public:
    explicit FolderRoom(std::string path);
    std::string why_too_small(std::size_t bytes) const;  // for a file of this size; empty if it is not

private:
    std::string folder;
    std::size_t free = 0;
    std::string unknown{};
};

// How many bytes this process has caused to be read from disks; nullopt if the system does not say.
std::optional<std::uint64_t> bytes_read_from_disks();
std::optional<std::uint64_t> bytes_read_since(std::optional<std::uint64_t> before);
// Of the text of /proc/self/io.
std::optional<std::uint64_t> bytes_read_from_disks(const std::string& text);

// What is wrong with a sample of a cold file, from what was in the page cache before and what was read from disks
// meanwhile: at most 1 % and at least 95 % are right. Empty if nothing is wrong.
std::string why_not_cold(std::size_t bytes, std::size_t cached_before, std::optional<std::uint64_t> read);
// The same of a warm file, of which at most 1 % may be read, and 1 MiB of anything else. If it is not known what was
// read, nothing is found, and a row deserves the flag.
std::string why_not_warm(std::size_t bytes, std::optional<std::uint64_t> read);
inline constexpr const char* not_shown_to_be_warm = "not shown to be warm: /proc/self/io does not say what was read";

}  // namespace tocuda
