// tocuda, Apache-2.0.
// A library that the tests preload: the page cache keeps what it is asked to drop and, with LYING_CACHE=mincore, says
// that it holds nothing.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" {

int posix_fadvise(int, off_t, off_t, int) noexcept { return 0; }

int mincore(void* start, size_t bytes, unsigned char* pages) noexcept {
    static const auto ask = reinterpret_cast<decltype(&mincore)>(dlsym(RTLD_NEXT, "mincore"));
    const int answer = ask(start, bytes, pages);
    constexpr std::size_t page = 4096;  // at least: larger pages have fewer bytes to clear, and these stay as they are
    const char* lies = std::getenv("LYING_CACHE");
    if (lies && std::strcmp(lies, "mincore") == 0) std::memset(pages, 0, bytes / page);
    return answer;
}
}
