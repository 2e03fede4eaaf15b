// tocuda, Apache-2.0.
// What several processes share: memory of GPUs and events, each in a file without a name, which a process opens under
// the descriptor of the one that made it. Handles say which descriptor; the file's own name says whether it is still
// the one that was meant.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/virtual_stream.hpp"

namespace tocuda::simulator {

struct FileName {
    int gpu = 0;  // by its index in the machine; negative: events
    int process = 0;
    std::uint64_t key = 0;  // of the process: numbers of processes are used again
    std::uint64_t number = 0;
    bool operator==(const FileName&) const = default;
};

bool is_of_this_process(const FileName& name);

// What a handle for another process holds.
struct FileHandle {
    static constexpr std::uint64_t of_memory = 0x6d656d2d61747563, of_event = 0x6576742d61747563;
    std::uint64_t mark = 0;  // that it is one, and of what
    FileName name{};
    int file = -1;
    std::uint32_t place = 0;  // of an event in its file
};

// A file that this process has open.
class SharedFile {
public:
    SharedFile() = default;
    SharedFile(SharedFile&& other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
    SharedFile& operator=(SharedFile&& other) noexcept {
        std::swap(descriptor, other.descriptor);
        return *this;
    }
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;
    ~SharedFile();

    static SharedFile make(int gpu, std::size_t bytes);  // not valid: the machine has no more files
    static SharedFile of(const FileHandle& handle);      // not valid: it is gone
    static SharedFile copy_of(int file);                 // not valid: no such file

    bool valid() const { return descriptor >= 0; }
    int file() const { return descriptor; }
    std::optional<FileName> name() const;  // none: not made by simulated GPUs
    std::size_t bytes() const;

private:
    explicit SharedFile(int file) : descriptor(file) {}
    int descriptor = -1;
};

// Under the simulation's lock.
class SharedMemory {
public:
    static SharedMemory& here();

    struct Imported {
        FileName name{};
        int opened = 1;  // so many times
    };
    std::map<std::uintptr_t, SharedFile> exported;  // by the address of their allocation
    std::map<std::uintptr_t, Imported> imported;
};

// An event that several processes can record and wait for: its recordings are counted.
struct EventPlace {
    std::atomic<std::uint64_t> recorded;
    std::atomic<std::uint64_t> passed;
    std::atomic<int> process;  // that recorded it last: what dies does not come to pass
};

class SharedEvent {
public:
    // Null: the machine refuses. The place of an earlier event counts on, because others may still wait for that one.
    static std::shared_ptr<SharedEvent> make();
    static std::shared_ptr<SharedEvent> of(const FileHandle& handle);
    SharedEvent(const SharedEvent&) = delete;
    SharedEvent& operator=(const SharedEvent&) = delete;
    ~SharedEvent();

    FileHandle handle() const;
    std::uint64_t record();
    void pass(std::uint64_t recording);
    std::uint64_t recorded() const { return place().recorded; }
    bool has_passed(std::uint64_t recording) const;

private:
    struct Places;
    SharedEvent(std::shared_ptr<Places> places, std::uint32_t number) : table(std::move(places)), position(number) {}
    EventPlace& place() const;

    std::shared_ptr<Places> table;
    std::uint32_t position;
};

// Whether another process recorded it after this one.
inline bool is_recorded_elsewhere(const Event& event) {
    return event.shared && event.shared->recorded() != event.recording;
}

}  // namespace tocuda::simulator
