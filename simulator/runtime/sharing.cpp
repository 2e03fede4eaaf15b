// tocuda, Apache-2.0.
#include "runtime/sharing.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace tocuda::simulator {
namespace {

constexpr std::uint32_t most_events = 65536;

std::uint64_t key_of_process() {
    static const std::uint64_t only = [] {
        std::uint64_t key = 0;
        return ::getrandom(&key, sizeof key, 0) == sizeof key ? key : 0;
    }();
    return only;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

// Also if its parent has not asked for its exit code yet.
bool has_ended(int process) {
    char program[1];
    const std::string path = "/proc/" + std::to_string(process) + "/exe";
    return ::readlink(path.c_str(), program, sizeof program) < 0 && errno == ENOENT;
}

constexpr const char* pattern = "tocuda-%d-%d-%lx-%lu";

}  // namespace

bool is_of_this_process(const FileName& name) { return name.process == ::getpid() && name.key == key_of_process(); }

SharedFile::~SharedFile() {
    if (descriptor >= 0) ::close(descriptor);
}

SharedFile SharedFile::make(int gpu, std::size_t bytes) {
    char name[100];
    std::snprintf(name, sizeof name, pattern, gpu, ::getpid(), key_of_process(), next_number());
    SharedFile made(::memfd_create(name, MFD_CLOEXEC));
    if (made.valid() && ::ftruncate(made.descriptor, static_cast<off_t>(bytes)) != 0) return {};
    return made;
}

SharedFile SharedFile::of(const FileHandle& handle) {
    const std::string path = "/proc/" + std::to_string(handle.name.process) + "/fd/" + std::to_string(handle.file);
    SharedFile found(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!found.valid() || found.name() != handle.name) return {};
    return found;
}

SharedFile SharedFile::copy_of(int file) { return SharedFile(::fcntl(file, F_DUPFD_CLOEXEC, 0)); }

std::optional<FileName> SharedFile::name() const {
    char text[200];
    const auto length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), text, sizeof text - 1);
    if (length < 0) return std::nullopt;
    text[length] = '\0';
    FileName name;
    const std::string expected = "/memfd:" + std::string(pattern);
    const int read = std::sscanf(text, expected.c_str(), &name.gpu, &name.process, &name.key, &name.number);
    return read == 4 ? std::optional(name) : std::nullopt;
}

std::size_t SharedFile::bytes() const {
    struct stat found{};
    return ::fstat(descriptor, &found) == 0 ? static_cast<std::size_t>(found.st_size) : 0;
}

SharedMemory& SharedMemory::here() {
    static SharedMemory* const only = new SharedMemory;
    return *only;
}

// The events of one process: one file, because programs have hundreds of them at a time.
struct SharedEvent::Places {
    explicit Places(SharedFile opened) : file(std::move(opened)) {
        if (!file.valid() || file.bytes() < bytes) return;
        void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.file(), 0);
        if (got != MAP_FAILED) all = static_cast<EventPlace*>(got);
    }
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
    ~Places() {
        if (all) ::munmap(all, bytes);
    }

    static constexpr std::size_t bytes = most_events * sizeof(EventPlace);
    SharedFile file;
    EventPlace* all = nullptr;
    std::vector<std::uint32_t> free;
    std::uint32_t next = 0;
    bool mine = false;
};

std::shared_ptr<SharedEvent> SharedEvent::make() {
    static auto* const own = new std::shared_ptr<Places>;
    if (!*own) {
        *own = std::make_shared<Places>(SharedFile::make(-1, Places::bytes));
        (*own)->mine = true;
    }
    Places& places = **own;
    if (!places.all || (places.free.empty() && places.next == most_events)) return nullptr;
    std::uint32_t number = places.next;
    if (places.free.empty()) {
        ++places.next;
    } else {
        number = places.free.back();
        places.free.pop_back();
    }
    return std::shared_ptr<SharedEvent>(new SharedEvent(*own, number));
}

std::shared_ptr<SharedEvent> SharedEvent::of(const FileHandle& handle) {
    static auto* const known = new std::map<std::pair<int, std::uint64_t>, std::weak_ptr<Places>>;
    auto& remembered = (*known)[{handle.name.process, handle.name.key}];
    auto places = remembered.lock();
    if (!places) remembered = places = std::make_shared<Places>(SharedFile::of(handle));
    if (!places->all || handle.place >= most_events) return nullptr;
    return std::shared_ptr<SharedEvent>(new SharedEvent(places, handle.place));
}

SharedEvent::~SharedEvent() {
    if (table->mine) table->free.push_back(position);
}

EventPlace& SharedEvent::place() const { return table->all[position]; }

FileHandle SharedEvent::handle() const {
    return {FileHandle::of_event, table->file.name().value_or(FileName{}), table->file.file(), position};
}

std::uint64_t SharedEvent::record() {
    place().process = ::getpid();
    return ++place().recorded;
}

void SharedEvent::pass(std::uint64_t recording) {
    std::uint64_t before = place().passed;
    while (before < recording && !place().passed.compare_exchange_weak(before, recording)) {
    }
}

bool SharedEvent::has_passed(std::uint64_t recording) const {
    return place().passed >= recording || has_ended(place().process);
}

}  // namespace tocuda::simulator
