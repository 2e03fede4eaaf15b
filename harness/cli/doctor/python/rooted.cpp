// tocuda, Apache-2.0.
#include "doctor/python/rooted.hpp"

#include <algorithm>
#include <system_error>

#include "machine/text_file.hpp"

namespace tocuda::doctor {
namespace fs = std::filesystem;

std::string normal(std::string_view path) { return fs::path(path).lexically_normal().string(); }

std::string Rooted::followed(const std::string& path) const {
    auto rest = fs::path(normal(path));
    fs::path done = "/";
    constexpr int links_most = 40;
    for (int links = 0; links <= links_most;) {
        auto next = rest.begin();
        if (next != rest.end() && *next == "/") ++next;
        if (next == rest.end()) break;
        const auto name = *next;
        fs::path after;
        for (++next; next != rest.end(); ++next) after /= *next;
        std::error_code failed;
        const auto target = fs::read_symlink(root / (done / name).relative_path(), failed);
        if (failed) {
            done /= name;
            rest = after;
            continue;
        }
        ++links;
        rest = (target.is_absolute() ? target : done / target) / after;
        rest = rest.lexically_normal();
        done = "/";
    }
    return done.string();
}

fs::path Rooted::here(const std::string& path) const {
    if (root == "/") return path;  // the kernel follows links itself, and faster
    return root / fs::path(followed(path)).relative_path();
}

std::optional<std::string> Rooted::real(const std::string& path) const {
    auto found = followed(path);
    std::error_code failed;
    if (!fs::exists(root / fs::path(found).relative_path(), failed)) return std::nullopt;
    return found;
}

bool Rooted::exists(const std::string& path) const {
    std::error_code failed;
    return fs::exists(here(path), failed);
}

bool Rooted::is_folder(const std::string& path) const {
    std::error_code failed;
    return fs::is_directory(here(path), failed);
}

std::optional<std::string> Rooted::text(const std::string& path) const { return read_text(here(path)); }

std::vector<std::string> Rooted::names(const std::string& folder) const {
    std::vector<std::string> all;
    std::error_code failed;
    for (fs::directory_iterator each(here(folder), failed), end; !failed && each != end; each.increment(failed))
        all.push_back(each->path().filename().string());
    std::ranges::sort(all);
    return all;
}

}  // namespace tocuda::doctor
