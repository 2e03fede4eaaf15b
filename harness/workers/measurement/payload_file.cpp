// tocuda, Apache-2.0.
#include "measurement/payload_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "measurement/payload.hpp"

namespace tocuda {
namespace {

constexpr std::size_t piece = std::size_t{8} << 20;

[[noreturn]] void refuse_file(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

int new_file(const std::string& folder) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
    auto name = folder + "/tocuda-load-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named < 0) refuse_file("no file can be made in " + folder);
    ::unlink(name.c_str());
    return named;
}

constexpr std::uint32_t tmpfs = 0x01021994;
constexpr std::uint32_t ramfs = 0x858458f6;
struct FileSystem {
    std::uint32_t magic;
    const char* name;
};
// Their pages are the file, or are cached elsewhere too.
constexpr auto never_cold = std::to_array<FileSystem>({
    {tmpfs, "tmpfs"},
    {ramfs, "ramfs"},
    {0x2fc12fc1, "ZFS"},
    {0x6969, "NFS"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB"},
    {0x65735546, "FUSE"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x01021997, "9p"},
    {0x5346414f, "AFS"},
});

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    std::ifstream from(file);
    return std::string(std::istreambuf_iterator<char>(from), {});
}

// Virtual disks by the names that their drivers give them, and by the models that those of usual names report.
constexpr auto virtual_names = std::to_array<std::string_view>({"vd", "xvd"});
constexpr auto virtual_models = std::to_array<std::string_view>(
    {"QEMU", "VMware", "VBOX", "Virtual", "Virtio", "PersistentDisk", "Amazon Elastic Block Store", "MSFT NVMe"});

// Returns the name of the virtual disk that holds this device, a disk, a part of one or a device made of others; empty
// if it is none.
std::string virtual_disk(const fs::path& device) {
    std::error_code none;
    for (const auto& one : fs::directory_iterator(device / "slaves", none))
        if (auto found = virtual_disk(fs::canonical(one.path(), none)); !found.empty()) return found;
    const auto disk = fs::exists(device / "partition", none) ? device.parent_path() : device;
    const auto name = disk.filename().string();
    const auto model = text_of(disk / "device/vendor") + text_of(disk / "device/model");
    const auto begins = [&](std::string_view with) { return name.starts_with(with); };
    const auto holds = [&](std::string_view word) { return model.find(word) != std::string::npos; };
    const bool found = std::ranges::any_of(virtual_names, begins) || std::ranges::any_of(virtual_models, holds);
    return found ? name : "";
}

std::optional<std::uint32_t> magic_of(const std::string& folder) {
    struct statfs about{};
    if (::statfs(folder.c_str(), &about) != 0) return std::nullopt;
    return static_cast<std::uint32_t>(about.f_type);
}

}  // namespace

PayloadFile::PayloadFile(const std::string& folder) : file(new_file(folder)) {}

PayloadFile::PayloadFile(const std::string& folder, std::size_t bytes, std::size_t place) : PayloadFile(folder) {
    std::vector<std::byte> part(std::min(bytes, piece));
    for (std::size_t at = 0; at < bytes;) {
        const std::span now(part.data(), std::min(piece, bytes - at));
        write_payload(now, place + at);
        write_to(file, now.data(), at, now.size());
        at += now.size();
    }
    sync();
}

void PayloadFile::sync() const {
    if (::fsync(file) != 0) refuse_file("the file cannot be written to the disk");
}

std::size_t PayloadFile::size() const {
    struct stat about{};
    if (::fstat(file, &about) != 0) refuse_file("fstat");
    return static_cast<std::size_t>(about.st_size);
}

void PayloadFile::write_to(int descriptor, const std::byte* from, std::size_t place, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes;) {
        const auto written = ::pwrite(descriptor, from + at, bytes - at, static_cast<off_t>(place + at));
        if (written == 0) errno = EIO;
        if (written > 0) at += static_cast<std::size_t>(written);
        else if (errno != EINTR) refuse_file(std::to_string(bytes - at) + " bytes of the file cannot be written");
    }
}

PayloadFile::~PayloadFile() { ::close(file); }

std::string PayloadFile::path() const { return "/proc/self/fd/" + std::to_string(file); }

void PayloadFile::read_from(int descriptor, std::byte* to, std::size_t place, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes;) {
        const auto got = ::pread(descriptor, to + at, bytes - at, static_cast<off_t>(place + at));
        if (got > 0) at += static_cast<std::size_t>(got);
        else if (got == 0) throw std::runtime_error("the file ends too early");
        else if (errno != EINTR) refuse_file("the file cannot be read");
    }
}

void PayloadFile::advise(int advice) const {
    const int error = ::posix_fadvise(file, 0, 0, advice);
    if (error != 0) throw std::runtime_error(std::string("posix_fadvise: ") + std::strerror(error));
}

void PayloadFile::drop() const { advise(POSIX_FADV_DONTNEED); }
void PayloadFile::read_ahead(bool on) const { advise(on ? POSIX_FADV_NORMAL : POSIX_FADV_RANDOM); }

void PayloadFile::load(std::size_t bytes) const {
    std::vector<std::byte> part(std::min(bytes, piece));
    for (std::size_t at = 0; at < bytes; at += piece) read(part.data(), at, std::min(piece, bytes - at));
}

std::size_t PayloadFile::cached_bytes(std::size_t bytes) const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const MappedFile mapped(*this, bytes);
    std::vector<unsigned char> in_memory((bytes + page - 1) / page);
    if (::mincore(const_cast<std::byte*>(mapped.get()), bytes, in_memory.data()) != 0) refuse_file("mincore");
    const auto pages = std::count_if(in_memory.begin(), in_memory.end(), [](unsigned char one) { return one & 1; });
    return std::min(bytes, page * static_cast<std::size_t>(pages));
}

DirectFile::DirectFile(const PayloadFile& file, Way way)
    : number(::open(file.path().c_str(), (way == Way::read ? O_RDONLY : O_WRONLY) | O_DIRECT | O_CLOEXEC)) {
    if (number >= 0) return;
    const std::string what = way == Way::read ? "read" : "write";
    throw std::runtime_error("the file system does not " + what + " past the page cache (O_DIRECT)");
}
DirectFile::~DirectFile() { ::close(number); }

MappedFile::MappedFile(const PayloadFile& file, std::size_t bytes) : size(bytes) {
    auto* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
    if (mapped == MAP_FAILED) refuse_file("the file cannot be mapped");
    memory = static_cast<std::byte*>(mapped);
}
MappedFile::~MappedFile() { ::munmap(memory, size); }

std::string folder_of_files() {
    const char* folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

std::string why_never_cold(const std::string& folder) {
    const auto magic = magic_of(folder);
    if (!magic) return folder + ": " + std::strerror(errno);
    const auto found =
        std::find_if(never_cold.begin(), never_cold.end(), [&](const FileSystem& one) { return one.magic == *magic; });
    if (found != never_cold.end())
        return folder + " is on " + found->name +
               ", whose files cannot be shown to be out of the page cache; set TMPDIR";
    return bytes_read_from_disks() ? "" : "/proc/self/io does not say what was read from disks";
}

bool is_in_memory(const std::string& folder) {
    const auto magic = magic_of(folder);
    return magic == tmpfs || magic == ramfs;
}

std::string virtual_disk_flag(const std::string& folder) {
    struct stat about{};
    return ::stat(folder.c_str(), &about) == 0 ? virtual_disk_flag(major(about.st_dev), minor(about.st_dev)) : "";
}

std::string virtual_disk_flag(unsigned device_major, unsigned device_minor, const fs::path& system) {
    const auto number = std::to_string(device_major) + ":" + std::to_string(device_minor);
    std::error_code failed;
    const auto device = fs::canonical(system / "sys/dev/block" / number, failed);
    if (!failed) {
        const auto found = virtual_disk(device);
        return found.empty() ? "" : "the disk (" + found + ") is virtual: its host may have the file in a cache";
    }
    return text_of(system / "proc/cpuinfo").find(" hypervisor") == std::string::npos
               ? ""
               : "this is a virtual machine and its disk is not known: the host may have the file in a cache";
}

FolderRoom::FolderRoom(std::string path) : folder(std::move(path)) {
    struct statvfs about{};
    if (::statvfs(folder.c_str(), &about) == 0) free = static_cast<std::size_t>(about.f_bavail) * about.f_frsize;
    else unknown = folder + ": " + std::strerror(errno);
}

std::string FolderRoom::why_too_small(std::size_t bytes) const {
    constexpr std::size_t left = std::size_t{1} << 30;
    if (!unknown.empty() || bytes + left <= free) return unknown;
    return std::to_string(bytes + left) + " bytes of " + folder + " are needed; " + std::to_string(free) + " are free";
}

std::optional<std::uint64_t> bytes_read_from_disks() {
    std::ifstream file("/proc/self/io");
    return bytes_read_from_disks(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::optional<std::uint64_t> bytes_read_since(std::optional<std::uint64_t> before) {
    const auto now = bytes_read_from_disks();
    return before && now ? std::optional(*now - *before) : std::nullopt;
}

std::optional<std::uint64_t> bytes_read_from_disks(const std::string& text) {
    std::istringstream lines(text);
    std::string key;
    for (std::uint64_t value = 0; lines >> key >> value;)
        if (key == "read_bytes:") return value;
    return std::nullopt;
}

std::string why_not_cold(std::size_t bytes, std::size_t cached_before, std::optional<std::uint64_t> read) {
    const auto of = " of " + std::to_string(bytes) + " bytes ";
    if (cached_before > bytes / 100)
        return std::to_string(cached_before) + of + "were in the page cache, though the file had been dropped from it";
    if (!read) return "/proc/self/io did not say what was read from disks, so the file may not have been cold";
    if (*read < bytes - bytes / 20)
        return "only " + std::to_string(*read) + of + "were read from a disk: the file was not as cold as it seemed";
    return "";
}

std::string why_not_warm(std::size_t bytes, std::optional<std::uint64_t> read) {
    constexpr std::uint64_t other_reads = std::uint64_t{1} << 20;  // of the program's own code, for example
    if (!read || *read <= bytes / 100 + other_reads) return "";
    return std::to_string(*read) + " of " + std::to_string(bytes) +
           " bytes were read from a disk: the page cache does not hold the file";
}

}  // namespace tocuda
