// tocuda, Apache-2.0.
#include "doctor/python/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

namespace tocuda::doctor {
namespace {

// Sections of more are not read: damaged, or nothing that is looked for.
constexpr std::uint64_t section_most = std::uint64_t{256} << 20;

class Sections {
public:
    explicit Sections(const std::filesystem::path& path) : stream(path, std::ios::binary) {
        const auto start = bytes(0, sizeof(Elf64_Ehdr));
        if (start.size() < sizeof(Elf64_Ehdr) || !start.starts_with(ELFMAG)) return;
        std::memcpy(&header, start.data(), sizeof header);
        good = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
        if (!good || header.e_shentsize != sizeof(Elf64_Shdr)) return;
        all = records<Elf64_Shdr>(bytes(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
    }

    bool is_elf() const { return good; }
    unsigned machine() const { return header.e_machine; }

    std::string of_type(unsigned type) {
        const auto found = std::ranges::find(all, type, &Elf64_Shdr::sh_type);
        return found == all.end() ? "" : bytes(found->sh_offset, found->sh_size);
    }
    // The string table that a section of this type refers to.
    std::string strings_of_type(unsigned type) {
        const auto found = std::ranges::find(all, type, &Elf64_Shdr::sh_type);
        if (found == all.end() || found->sh_link >= all.size()) return {};
        return bytes(all[found->sh_link].sh_offset, all[found->sh_link].sh_size);
    }
    std::string named(std::string_view name) {
        if (header.e_shstrndx >= all.size()) return {};
        const auto names = bytes(all[header.e_shstrndx].sh_offset, all[header.e_shstrndx].sh_size);
        for (const auto& each : all)
            if (each.sh_type != SHT_NOBITS && string_at(names, each.sh_name) == name)
                return bytes(each.sh_offset, each.sh_size);
        return {};
    }

    template <typename Record>
    static std::vector<Record> records(const std::string& bytes) {
        std::vector<Record> some(bytes.size() / sizeof(Record));
        if (!some.empty()) std::memcpy(some.data(), bytes.data(), some.size() * sizeof(Record));
        return some;
    }
    static std::string_view string_at(std::string_view strings, std::uint64_t at) {
        if (at >= strings.size()) return {};
        strings.remove_prefix(at);
        return strings.substr(0, strings.find('\0'));
    }

private:
    std::ifstream stream;
    Elf64_Ehdr header{};
    std::vector<Elf64_Shdr> all{};
    bool good = false;

    // Shorter than `size` where the file ends earlier.
    std::string bytes(std::uint64_t at, std::uint64_t size) {
        if (size > section_most) return {};
        std::string read(size, '\0');
        stream.clear();
        stream.seekg(static_cast<std::streamoff>(at));
        stream.read(read.data(), static_cast<std::streamsize>(size));
        read.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
        return read;
    }
};

// The library that each version index of .gnu.version belongs to.
std::map<unsigned, std::string> files_of_versions(Sections& sections) {
    std::map<unsigned, std::string> files;
    const auto needs = sections.of_type(SHT_GNU_verneed);
    const auto strings = sections.strings_of_type(SHT_GNU_verneed);
    for (std::size_t at = 0; at + sizeof(Elf64_Verneed) <= needs.size();) {
        Elf64_Verneed need;
        std::memcpy(&need, needs.data() + at, sizeof need);
        auto inner = at + need.vn_aux;
        for (unsigned left = need.vn_cnt; left > 0 && inner + sizeof(Elf64_Vernaux) <= needs.size(); --left) {
            Elf64_Vernaux version;
            std::memcpy(&version, needs.data() + inner, sizeof version);
            files[version.vna_other & 0x7fffU] = Sections::string_at(strings, need.vn_file);
            if (version.vna_next == 0) break;
            inner += version.vna_next;
        }
        if (need.vn_next == 0) break;
        at += need.vn_next;
    }
    return files;
}

std::string machine_name(unsigned machine) {
    return machine == EM_X86_64 ? "x86_64" : machine == EM_AARCH64 ? "aarch64" : std::to_string(machine);
}

}  // namespace

std::optional<ElfFile> read_elf(const std::filesystem::path& file) {
    Sections sections(file);
    if (!sections.is_elf()) return std::nullopt;
    ElfFile elf{.machine = machine_name(sections.machine())};
    const auto strings = sections.strings_of_type(SHT_DYNAMIC);
    for (const auto& entry : Sections::records<Elf64_Dyn>(sections.of_type(SHT_DYNAMIC))) {
        const auto text = std::string(Sections::string_at(strings, entry.d_un.d_val));
        if (entry.d_tag == DT_NEEDED) elf.needed.push_back(text);
        if (entry.d_tag == DT_SONAME) elf.soname = text;
        if (entry.d_tag == DT_RPATH) elf.rpath = text;
        if (entry.d_tag == DT_RUNPATH) elf.runpath = text;
    }
    return elf;
}

std::vector<ElfSymbol> imports_of(const std::filesystem::path& file) {
    Sections sections(file);
    const auto symbols = Sections::records<Elf64_Sym>(sections.of_type(SHT_DYNSYM));
    const auto versions = Sections::records<std::uint16_t>(sections.of_type(SHT_GNU_versym));
    const auto strings = sections.strings_of_type(SHT_DYNSYM);
    const auto files = files_of_versions(sections);
    std::vector<ElfSymbol> imports;
    for (std::size_t index = 1; index < symbols.size(); ++index) {
        const auto& symbol = symbols[index];
        if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK) continue;
        const auto version = index < versions.size() ? files.find(versions[index] & 0x7fffU) : files.end();
        const auto name = Sections::string_at(strings, symbol.st_name);
        if (version != files.end()) imports.push_back({std::string(name), version->second});
        else if (!name.starts_with("_Z")) imports.push_back({std::string(name), {}});
    }
    return imports;
}

std::set<std::string, std::less<>> exports_of(const std::filesystem::path& file) {
    Sections sections(file);
    const auto strings = sections.strings_of_type(SHT_DYNSYM);
    std::set<std::string, std::less<>> exports;
    for (const auto& symbol : Sections::records<Elf64_Sym>(sections.of_type(SHT_DYNSYM)))
        if (symbol.st_shndx != SHN_UNDEF) exports.emplace(Sections::string_at(strings, symbol.st_name));
    return exports;
}

std::string section_of(const std::filesystem::path& file, std::string_view name) { return Sections(file).named(name); }

}  // namespace tocuda::doctor
