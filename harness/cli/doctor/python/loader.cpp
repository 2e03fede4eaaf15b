// tocuda, Apache-2.0.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "doctor/python/elf.hpp"
#include "doctor/python/files.hpp"

namespace tocuda::doctor {
namespace {

// The format of glibc 2.1 and later; older caches hold it behind another one.
constexpr std::string_view cache_mark = "glibc-ld.so.cache1.1";

struct CacheEntry {
    std::int32_t flags;
    std::uint32_t name;  // offsets from the mark
    std::uint32_t path;
    std::uint32_t kernel;
    std::uint64_t capabilities;
};

std::string_view text_at(std::string_view cache, std::uint32_t at) {
    if (at >= cache.size()) return {};
    return cache.substr(at, cache.find('\0', at) - at);
}

}  // namespace

std::map<std::string, std::string, std::less<>> loader_cache_of(std::string_view text) {
    constexpr std::size_t header = 48;
    constexpr std::uint32_t architecture = 0xff00;  // 3: x86-64, 10: aarch64; 0: 32 bits
    std::map<std::string, std::string, std::less<>> paths;
    const auto begin = text.find(cache_mark);
    if (begin == std::string_view::npos || text.size() - begin < header) return paths;
    text.remove_prefix(begin);
    std::uint32_t count = 0;
    std::memcpy(&count, text.data() + cache_mark.size(), sizeof count);
    for (std::size_t index = 0; index < count && header + (index + 1) * sizeof(CacheEntry) <= text.size(); ++index) {
        CacheEntry entry;
        std::memcpy(&entry, text.data() + header + index * sizeof entry, sizeof entry);
        if ((static_cast<std::uint32_t>(entry.flags) & architecture) == 0) continue;
        paths.emplace(text_at(text, entry.name), text_at(text, entry.path));
    }
    return paths;
}

namespace {

// Not looked at: the system's own, which every program needs, and the driver's, which other checks look for.
constexpr auto system_libraries = std::to_array<std::string_view>(
    {"libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libutil.so", "libgcc_s.so", "libstdc++.so",
     "ld-linux", "libcuda.so", "libnvidia-", "libpython"});

// Symbols without a version, by the library that should have them.
constexpr auto unversioned = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"nccl", "libnccl.so"}, {"cusparseLt", "libcusparseLt.so"}, {"nvshmem", "libnvshmem_host.so"}});

struct Loaded {
    std::string file;
    ElfFile elf;
    std::optional<std::size_t> loader{};  // the index of the library that requested it first
};

struct Place {
    std::string folder;
    std::string through;
};

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/')); }
std::string name_of(const std::string& file) { return file.substr(file.rfind('/') + 1); }

class Import {
public:
    Import(const Rooted& files, const ImportPlan& import_plan)
        : root(files), plan(import_plan), cache(loader_cache_of(files.text("/etc/ld.so.cache").value_or(""))) {
        const auto program = read_elf(root.here(plan.interpreter)).value_or(ElfFile{});
        machine = program.machine;
        if (!program.runpath && program.rpath)
            add_places(*program.rpath, root.real(plan.interpreter).value_or(""), "RPATH of", program_rpath);
        for (const auto& folder : split(variable("LD_LIBRARY_PATH"), ":;"))
            library_path.push_back({folder, "LD_LIBRARY_PATH"});
    }

    std::vector<LibraryTaken> run() {
        for (const auto& preloaded : split(variable("LD_PRELOAD"), ": ")) open(preloaded, "LD_PRELOAD");
        open(plan.library_folder + "/libtorch_global_deps.so", "torch");
        preload_packages();
        for (const auto& name : root.names(plan.torch))
            if (name.starts_with("_C.") && name.ends_with(".so")) open(plan.torch + "/" + name, "torch");
        find_missing_symbols();
        return troubled();
    }

private:
    const Rooted& root;
    const ImportPlan& plan;
    std::map<std::string, std::string, std::less<>> cache;
    std::string machine{};
    std::vector<Place> program_rpath{};
    std::vector<Place> library_path{};
    std::vector<Loaded> loaded{};
    std::map<std::string, std::size_t> by_name{};  // also by SONAME, as the loader knows them
    std::vector<LibraryTaken> taken{};             // as `loaded`, then those that are missing

    std::string variable(const std::string& name) const {
        const auto found = plan.environment.find(name);
        return found == plan.environment.end() ? "" : found->second;
    }

    static void add_places(const std::string& path, const std::string& file, const std::string& through,
                           std::vector<Place>& places) {
        for (auto folder : split(path, ":")) {
            for (const std::string origin : {"$ORIGIN", "${ORIGIN}"})
                if (const auto at = folder.find(origin); at != std::string::npos)
                    folder.replace(at, origin.size(), folder_of(file));
            places.push_back({normal(folder), through + " " + name_of(file)});
        }
    }

    // Where the loader looks for what a library requests: RPATH counts only without a RUNPATH, and then also for the
    // libraries that were loaded on its behalf; a RUNPATH counts for its own library only, after LD_LIBRARY_PATH.
    std::vector<Place> places_for(std::optional<std::size_t> by) const {
        std::vector<Place> places;
        const bool has_runpath = by && loaded[*by].elf.runpath;
        if (!has_runpath) {
            for (auto at = by; at; at = loaded[*at].loader)
                if (loaded[*at].elf.rpath && !loaded[*at].elf.runpath)
                    add_places(*loaded[*at].elf.rpath, loaded[*at].file, "RPATH of", places);
            places.insert(places.end(), program_rpath.begin(), program_rpath.end());
        }
        places.insert(places.end(), library_path.begin(), library_path.end());
        if (has_runpath) add_places(*loaded[*by].elf.runpath, loaded[*by].file, "RUNPATH of", places);
        return places;
    }

    // The file that the loader takes; it passes over files for other machines.
    std::optional<std::pair<std::string, ElfFile>> usable(const std::string& file) const {
        if (!root.exists(file)) return std::nullopt;
        auto elf = read_elf(root.here(file));
        if (!elf || (!machine.empty() && elf->machine != machine)) return std::nullopt;
        return std::pair{file, std::move(*elf)};
    }

    std::optional<std::pair<std::string, ElfFile>> find(const std::string& name, std::optional<std::size_t> by,
                                                        std::string& through) const {
        if (name.find('/') != std::string::npos) return usable(name);
        for (const auto& place : places_for(by)) {
            through = place.through;
            if (auto found = usable(normal(place.folder + "/" + name))) return found;
        }
        through = "ld.so.cache";
        if (const auto cached = cache.find(name); cached != cache.end())
            if (auto found = usable(cached->second)) return found;
        through = "the system's folders";
        for (const std::string folder : {"/lib64/", "/usr/lib64/", "/lib/", "/usr/lib/"})
            if (auto found = usable(folder + name)) return found;
        return std::nullopt;
    }

    void request(const std::string& name, std::optional<std::size_t> by, std::string through) {
        const auto is_of_system = [&](auto each) { return name_of(name).starts_with(each); };
        if (by_name.contains(name) || std::ranges::any_of(system_libraries, is_of_system)) return;
        auto found = find(name, by, through);
        LibraryTaken library{.name = name_of(name), .wanted_by = by ? loaded[*by].file : "", .through = through};
        if (found) {
            library.file = found->first;
            // The same library may be loaded already, under another name.
            if (const auto known = by_name.find(found->second.soname); known != by_name.end()) {
                by_name[name] = known->second;
                return;
            }
            by_name[name_of(found->first)] = loaded.size();
            if (!found->second.soname.empty()) by_name[found->second.soname] = loaded.size();
        }
        by_name[name] = loaded.size();
        taken.push_back(std::move(library));
        loaded.push_back({found ? found->first : "", found ? std::move(found->second) : ElfFile{}, by});
    }

    // Loads a library and, breadth first, all that it needs.
    void open(const std::string& file, const std::string& through) {
        auto next = loaded.size();
        request(file, std::nullopt, through);
        for (; next < loaded.size(); ++next) {
            const auto needed = loaded[next].elf.needed;
            for (const auto& name : needed) request(name, next, "");
        }
    }

    // torch/__init__.py loads libraries of NVIDIA's packages by path before its own, so that LD_LIBRARY_PATH does not
    // decide: none before 2.2, nvJitLink alone at first, later all that it names.
    void preload_packages() {
        const auto text = root.text(plan.torch + "/__init__.py").value_or("");
        const auto maps = text.find("_maps");
        if (maps == std::string::npos || !by_name_starts("libcudart.so")) return;
        const auto after = std::string_view(text).substr(maps);
        const auto part = after.substr(0, after.find("except OSError"));
        constexpr std::string_view call = "_preload_cuda_deps(";
        if (part.find(std::string(call) + "\"") != std::string_view::npos) open_named(part);
        else if (part.find(call) != std::string_view::npos) open_named(std::string_view(text).substr(0, maps));
    }
    bool by_name_starts(const std::string& prefix) const {
        const auto at = by_name.lower_bound(prefix);
        return at != by_name.end() && at->first.starts_with(prefix) && !taken[at->second].file.empty();
    }

    // Each `"cublas", "libcublas.so.*[0-9]"` of the text.
    void open_named(std::string_view text) {
        constexpr std::string_view ending = ".so.*[0-9]\"";
        for (auto end = text.find(ending); end != std::string_view::npos; end = text.find(ending, end + 1)) {
            const auto begin = text.rfind('"', end) + 1;
            const auto quoted_end = text.rfind('"', begin >= 2 ? begin - 2 : 0);
            const auto quoted = text.rfind('"', quoted_end >= 1 ? quoted_end - 1 : 0);
            if (quoted == std::string_view::npos || quoted_end == std::string_view::npos) continue;
            open_packaged(std::string(text.substr(quoted + 1, quoted_end - quoted - 1)),
                          std::string(text.substr(begin, end - begin)) + ".so.");
        }
    }
    void open_packaged(const std::string& package, const std::string& stem) {
        for (const auto& site : plan.search_path)
            for (const auto& folder : packaged_folders(site, package))
                for (const auto& name : root.names(folder))
                    if (name.starts_with(stem)) return open(normal(folder + "/" + name), "torch/__init__.py");
    }
    std::vector<std::string> packaged_folders(const std::string& site, const std::string& package) const {
        std::vector<std::string> folders{site + "/nvidia/" + package + "/lib"};
        for (const auto& name : root.names(site + "/nvidia"))
            if (name.size() > 2 && name.starts_with("cu") &&
                name.find_first_not_of("0123456789", 2) == std::string::npos)
                folders.push_back(site + "/nvidia/" + name + "/lib");
        return folders;
    }

    void find_missing_symbols() {
        std::map<std::size_t, std::set<std::string, std::less<>>> exports;
        for (const auto& user : loaded) {
            if (user.file.empty()) continue;
            for (const auto& symbol : imports_of(root.here(user.file))) {
                const auto provider = provider_of(symbol);
                if (!provider || taken[*provider].file.empty()) continue;
                const auto [known, fresh] = exports.try_emplace(*provider);
                if (fresh) known->second = exports_of(root.here(loaded[*provider].file));
                auto& missing = taken[*provider].missing;
                if (known->second.contains(symbol.name) || std::ranges::count(missing, symbol.name)) continue;
                if (missing.empty()) taken[*provider].wanted_by = user.file;
                missing.push_back(symbol.name);
            }
        }
    }
    std::optional<std::size_t> provider_of(const ElfSymbol& symbol) const {
        auto at = by_name.end();
        if (!symbol.file.empty()) at = by_name.find(symbol.file);
        for (const auto& [prefix, library] : unversioned)
            if (symbol.file.empty() && symbol.name.starts_with(prefix)) {
                at = by_name.lower_bound(std::string(library));
                if (at != by_name.end() && !at->first.starts_with(library)) at = by_name.end();
            }
        if (at == by_name.end()) return std::nullopt;
        return at->second;
    }

    // The copy of a library that the packages bring, if another one is taken.
    std::string own_copy(const LibraryTaken& library) const {
        for (const auto& site : plan.search_path)
            for (const auto& package : root.names(site + "/nvidia")) {
                const auto own = normal(site + "/nvidia/" + package + "/lib/" + library.name);
                if (root.exists(own)) return root.real(own) == root.real(library.file) ? "" : own;
            }
        const auto own = plan.library_folder + "/" + library.name;
        return root.exists(own) && root.real(own) != root.real(library.file) ? own : "";
    }

    std::vector<LibraryTaken> troubled() {
        std::vector<LibraryTaken> some;
        for (auto& library : taken) {
            if (!library.file.empty()) library.own = own_copy(library);
            if (library.file.empty() || !library.missing.empty() || !library.own.empty() ||
                library.through == "LD_PRELOAD")
                some.push_back(library);
        }
        return some;
    }
};

}  // namespace

std::vector<LibraryTaken> troubled_libraries(const Rooted& root, const ImportPlan& plan) {
    return Import(root, plan).run();
}

}  // namespace tocuda::doctor
