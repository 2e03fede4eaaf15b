// tocuda, Apache-2.0.
// Reads /proc. If the kernel does not list each thread's children, every process is asked for its parent.
#include "process/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include "process/spawning.hpp"

namespace tocuda {
namespace {

std::string file_text(const std::string& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    std::array<char, 4096> chunk;
    while (file.open()) {
        const auto count = read(file.get(), chunk.data(), chunk.size());
        if (count <= 0) break;
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    return text;
}

std::vector<std::int64_t> whole_numbers(std::string_view text) {
    std::vector<std::int64_t> numbers;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        std::int64_t number = 0;
        const auto [after, problem] = std::from_chars(at, end, number);
        if (problem == std::errc{}) numbers.push_back(number);
        at = problem == std::errc{} ? after : at + 1;
    }
    return numbers;
}

std::vector<pid_t> processes_named_in(const std::string& folder) {
    const auto close_folder = [](DIR* open_folder) { closedir(open_folder); };
    const std::unique_ptr<DIR, decltype(close_folder)> open_folder(opendir(folder.c_str()), close_folder);
    std::vector<pid_t> processes;
    while (open_folder) {
        const auto* entry = readdir(open_folder.get());
        if (!entry) break;
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            for (const auto number : whole_numbers(entry->d_name)) processes.push_back(static_cast<pid_t>(number));
    }
    return processes;
}

struct State {
    char letter = 'X';
    pid_t parent = 0;
};

State state_of(pid_t process) {
    const auto text = file_text("/proc/" + std::to_string(process) + "/stat");
    const auto name_end = text.rfind(") ");  // the name may contain spaces and parentheses
    if (name_end == std::string::npos || name_end + 4 > text.size()) return {};
    const auto numbers = whole_numbers(std::string_view(text).substr(name_end + 4, 24));
    return {text[name_end + 2], numbers.empty() ? 0 : static_cast<pid_t>(numbers.front())};
}

bool kernel_lists_children() {
    static const bool listed = access("/proc/thread-self/children", R_OK) == 0;
    return listed;
}

}  // namespace

std::vector<pid_t> children_by_asking_all(pid_t process) {
    std::vector<pid_t> children;
    for (const auto other : processes_named_in("/proc"))
        if (state_of(other).parent == process) children.push_back(other);
    return children;
}

std::vector<pid_t> children_of(pid_t process) {
    if (!kernel_lists_children()) return children_by_asking_all(process);
    std::vector<pid_t> children;
    const auto threads = "/proc/" + std::to_string(process) + "/task";
    for (const auto thread : processes_named_in(threads))
        for (const auto child : whole_numbers(file_text(threads + "/" + std::to_string(thread) + "/children")))
            children.push_back(static_cast<pid_t>(child));
    return children;
}

std::vector<pid_t> descendants_of(pid_t process) {
    auto found = children_of(process);
    for (std::size_t next = 0; next < found.size(); ++next)
        for (const auto child : children_of(found[next])) found.push_back(child);
    return found;
}

bool runs(pid_t process) {
    const auto letter = state_of(process).letter;
    return letter != 'X' && letter != 'Z';
}

std::int64_t resident_bytes_of(pid_t process) {
    const auto pages = whole_numbers(file_text("/proc/" + std::to_string(process) + "/statm"));
    return pages.size() < 2 ? 0 : pages[1] * sysconf(_SC_PAGESIZE);
}

}  // namespace tocuda
