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
    : file_(std::exchange(other.file_, -1)), at_(std::exchange(other.at_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Block::~Block() {
    if (at_) ::munmap(at_, mapped_);
    if (file_ >= 0) ::close(file_);
}

Block Block::make() { return Block(::memfd_create("tocuda-nccl", MFD_CLOEXEC)); }

Block Block::of(int process, int file) {
    const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
    return Block(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

std::byte* Block::map(std::size_t bytes) {
    if (bytes <= mapped_) return at_;
    if (at_) ::munmap(at_, mapped_);
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    at_ = at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
    mapped_ = at_ ? bytes : 0;
    return at_;
}

std::byte* Block::room(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    // Also when it was longer: readers know by its length how much was written.
    if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0) return nullptr;
    return map(bytes);
}

const std::byte* Block::read(std::size_t bytes) {
    bytes = std::max<std::size_t>(bytes, 1);
    struct stat written{};
    const bool there = ::fstat(file_, &written) == 0 && static_cast<std::size_t>(written.st_size) >= bytes;
    return there ? map(bytes) : nullptr;
}

Board::Board(const std::string& name, int ranks)
    : name_("/" + name), ranks_(ranks),
      bytes_(sizeof(BoardHead) +
             static_cast<std::size_t>(ranks) * (sizeof(Place) + static_cast<std::size_t>(ranks) * sizeof(Letterbox))) {
    const int file = ::shm_open(name_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return;
    void* at = MAP_FAILED;
    if (::ftruncate(file, static_cast<off_t>(bytes_)) == 0)
        at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (at == MAP_FAILED) return;
    // A new file is all zeros, which is where every counter begins.
    head_ = static_cast<BoardHead*>(at);
    places_ = reinterpret_cast<Place*>(head_ + 1);
    boxes_ = reinterpret_cast<Letterbox*>(places_ + ranks);
}

Board::~Board() {
    if (head_) ::munmap(head_, bytes_);
}

void Board::remove_name() const { ::shm_unlink(name_.c_str()); }

}  // namespace tocuda::simulator
