// tocuda, Apache-2.0.
// What the ranks of a communicator share, in one process or in several on one machine: counters and blocks of bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tocuda::simulator {

// Bytes that one rank writes and others read. They outlive the process that made them as long as another has them open.
class Block {
public:
    Block() = default;
    Block(Block&& other) noexcept;
    Block& operator=(Block&&) = delete;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();

    static Block make();
    static Block of(int process, int file);  // made by that process

    int file() const { return descriptor; }
    // Room for writing; null if the machine has no memory left.
    std::byte* room(std::size_t bytes);
    // Null if fewer bytes were written, or if the machine has no memory left.
    const std::byte* read(std::size_t bytes);

private:
    explicit Block(int file) : descriptor(file) {}
    std::byte* map(std::size_t bytes);

    int descriptor = -1;
    std::byte* base = nullptr;
    std::size_t mapped = 0;
};

// Of one rank. Only that rank writes it.
struct Place {
    std::atomic<int> process;
    std::atomic<int> position;           // of its GPU in the machine
    std::atomic<int> contribution;       // the file of the block that it contributes to collectives
    std::atomic<std::uint64_t> arrived;  // collectives that it has contributed to
    std::atomic<std::uint64_t> left;     // collectives whose result it has
    std::atomic<int> tainted;            // whether its contribution was not computed
    std::atomic<std::uint64_t> splits;
    int color;
    int key;
};

// From one rank to another.
struct Letterbox {
    std::atomic<int> file;
    std::atomic<int> tainted;  // whether what was sent last was not computed
    std::atomic<std::uint64_t> sent;
    std::atomic<std::uint64_t> received;
};

struct alignas(8) BoardHead {
    std::atomic<int> attached;
    std::atomic<int> opened;
    std::atomic<int> aborted;
};

class Board {
public:
    Board(const std::string& name, int ranks);
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    ~Board();

    bool valid() const { return header; }
    BoardHead& head() const { return *header; }
    Place& place(int rank) const { return places[rank]; }
    Letterbox& letterbox(int from, int to) const { return boxes[from * rank_count + to]; }
    void remove_name() const;  // once all are attached

private:
    std::string shm_name;
    int rank_count;
    std::size_t size;
    BoardHead* header = nullptr;
    Place* places = nullptr;
    Letterbox* boxes = nullptr;
};

}  // namespace tocuda::simulator
