// tocuda, Apache-2.0.
// A library that the tests preload: the page cache keeps what it is asked to drop and, with LYING_CACHE=mincore, says
// that it holds nothing. With LYING_CACHE=lost some small writes are not done, with astray they go to another place.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

bool lies(const char* how) {
    const char* asked = std::getenv("LYING_CACHE");
    return asked && std::strcmp(asked, how) == 0;
}

template <class Function>
Function* real(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int posix_fadvise(int file, off_t start, off_t bytes, int advice) noexcept {
    static const auto advise = real(&posix_fadvise, "posix_fadvise");
    return lies("lost") || lies("astray") ? advise(file, start, bytes, advice) : 0;
}

int mincore(void* start, size_t bytes, unsigned char* pages) noexcept {
    static const auto ask = real(&mincore, "mincore");
    const int answer = ask(start, bytes, pages);
    constexpr std::size_t page = 4096;  // at least: larger pages have fewer bytes to clear, and these stay as they are
    if (lies("mincore")) std::memset(pages, 0, bytes / page);
    return answer;
}

ssize_t pwrite(int file, const void* from, size_t bytes, off_t place) {
    static const auto write = real(&pwrite, "pwrite");
    constexpr off_t block = 4096;
    const bool wrong = bytes == block && place / block % 8 == 0;
    if (wrong && lies("lost")) return block;
    return write(file, from, bytes, wrong && lies("astray") ? place + block : place);
}
}
