// tocuda, Apache-2.0.
#include "collectives/board.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tocuda::simulator {

Block::Block(Block&& other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), base(std::exchange(other.base, nullptr)),
      mapped(std::exchange(other.mapped, 0)) {}

Block::~Block() {
    if (base) ::munmap(base, mapped);
    if (descriptor >= 0) ::close(descriptor);
}

Block Block::make() { return Block(::memfd_create("tocuda-nccl", MFD_CLOEXEC)); }

Block Block::of(int process, int file) {
    const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
    return Block(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

std::byte* Block::map(std::size_t bytes) {
    if (bytes <= mapped) return base;
    if (base) ::munmap(base, mapped);
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    base = at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
    mapped = base ? bytes : 0;
    return base;
}

std::byte* Block::room(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    // Also when it was longer: readers know by its length how much was written.
    if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) return nullptr;
    return map(bytes);
}

const std::byte* Block::read(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    struct stat written{};
    const bool there = ::fstat(descriptor, &written) == 0 && static_cast<std::size_t>(written.st_size) >= bytes;
    return there ? map(bytes) : nullptr;
}

Board::Board(const std::string& name, int ranks)
    : shm_name("/" + name), rank_count(ranks),
      size(sizeof(BoardHead) +
           static_cast<std::size_t>(ranks) * (sizeof(Place) + static_cast<std::size_t>(ranks) * sizeof(Letterbox))) {
    const int file = ::shm_open(shm_name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return;
    void* at = MAP_FAILED;
    if (::ftruncate(file, static_cast<off_t>(size)) == 0)
        at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (at == MAP_FAILED) return;
    // A new file is all zeros, which is where every counter begins.
    header = static_cast<BoardHead*>(at);
    places = reinterpret_cast<Place*>(header + 1);
    boxes = reinterpret_cast<Letterbox*>(places + ranks);
}

Board::~Board() {
    if (header) ::munmap(header, size);
}

void Board::remove_name() const { ::shm_unlink(shm_name.c_str()); }

}  // namespace tocuda::simulator
