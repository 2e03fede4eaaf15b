// tocuda, Apache-2.0.
// For tests: writes a shared library that has what the loader reads, and nothing to run.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace tocuda::doctor {

struct WrittenLibrary {
    std::string soname{};
    std::vector<std::string> needed{};
    std::string rpath{};
    std::string runpath{};
    std::vector<std::string> exports{};
    std::vector<std::pair<std::string, std::string>> imports{};  // symbol, and the library of its version or ""
    std::string rodata{};
    std::uint16_t machine = EM_X86_64;
};

class ElfWriter {
public:
    explicit ElfWriter(const WrittenLibrary& library) {
        add_dynamic(library);
        add_symbols(library);
        if (!library.rodata.empty()) add(".rodata", SHT_PROGBITS, library.rodata);
        add(".dynstr", SHT_STRTAB, strings);
        machine = library.machine;
    }

    void write(const std::filesystem::path& file) {
        add(".shstrtab", SHT_STRTAB, "");
        sections.back().second = names;
        const auto count = sections.size() + 1;
        for (auto& [header, bytes] : sections)
            if (header.sh_type == SHT_DYNAMIC || header.sh_type == SHT_DYNSYM || header.sh_type == SHT_GNU_verneed)
                header.sh_link = static_cast<Elf64_Word>(count - 2);  // .dynstr, the last but one
        std::string body;
        std::string headers = bytes_of(Elf64_Shdr{});
        for (auto& [header, bytes] : sections) {
            header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
            header.sh_size = bytes.size();
            body += bytes;
            headers += bytes_of(header);
        }
        Elf64_Ehdr start{};
        std::memcpy(start.e_ident, ELFMAG, SELFMAG);
        start.e_ident[EI_CLASS] = ELFCLASS64;
        start.e_ident[EI_DATA] = ELFDATA2LSB;
        start.e_machine = machine;
        start.e_shoff = sizeof start + body.size();
        start.e_shentsize = sizeof(Elf64_Shdr);
        start.e_shnum = static_cast<Elf64_Half>(count);
        start.e_shstrndx = static_cast<Elf64_Half>(count - 1);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << bytes_of(start) << body << headers;
    }

private:
    std::vector<std::pair<Elf64_Shdr, std::string>> sections{};
    std::string strings = std::string(1, '\0');
    std::string names = std::string(1, '\0');
    std::uint16_t machine = EM_X86_64;

    template <typename Record>
    static std::string bytes_of(const Record& record) {
        return {reinterpret_cast<const char*>(&record), sizeof record};
    }
    std::uint32_t string(const std::string& text) {
        const auto at = strings.size();
        strings += text + '\0';
        return static_cast<std::uint32_t>(at);
    }
    void add(const std::string& name, std::uint32_t type, const std::string& bytes) {
        Elf64_Shdr header{};
        header.sh_name = static_cast<Elf64_Word>(names.size());
        names += name + '\0';
        header.sh_type = type;
        sections.emplace_back(header, bytes);
    }
    void add_dynamic(const WrittenLibrary& library) {
        std::string dynamic;
        const auto entry = [&](Elf64_Sxword tag, const std::string& text) {
            if (text.empty()) return;
            Elf64_Dyn one{};
            one.d_tag = tag;
            one.d_un.d_val = string(text);
            dynamic += bytes_of(one);
        };
        for (const auto& needed : library.needed) entry(DT_NEEDED, needed);
        entry(DT_SONAME, library.soname);
        entry(DT_RPATH, library.rpath);
        entry(DT_RUNPATH, library.runpath);
        add(".dynamic", SHT_DYNAMIC, dynamic);
    }
    void add_symbols(const WrittenLibrary& library) {
        auto symbols = bytes_of(Elf64_Sym{});
        auto versions = bytes_of(Elf64_Half{0});
        std::string needs;
        const auto symbol = [&](const std::string& name, Elf64_Half section, Elf64_Half version) {
            Elf64_Sym one{};
            one.st_name = string(name);
            one.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
            one.st_shndx = section;
            symbols += bytes_of(one);
            versions += bytes_of(version);
        };
        for (const auto& name : library.exports) symbol(name, 1, 1);
        Elf64_Half version = 2;
        for (const auto& [name, file] : library.imports) {
            symbol(name, SHN_UNDEF, file.empty() ? Elf64_Half{1} : version);
            if (!file.empty()) needs += need(file, version++);
        }
        add(".dynsym", SHT_DYNSYM, symbols);
        add(".gnu.version", SHT_GNU_versym, versions);
        // The last record has no next one.
        if (!needs.empty())
            std::memset(needs.data() + needs.size() - need_size + offsetof(Elf64_Verneed, vn_next), 0, 4);
        if (!needs.empty()) add(".gnu.version_r", SHT_GNU_verneed, needs);
    }
    static constexpr std::size_t need_size = sizeof(Elf64_Verneed) + sizeof(Elf64_Vernaux);
    std::string need(const std::string& file, Elf64_Half version) {
        Elf64_Verneed one{};
        one.vn_version = 1;
        one.vn_cnt = 1;
        one.vn_file = string(file);
        one.vn_aux = sizeof one;
        one.vn_next = need_size;
        Elf64_Vernaux inner{};
        inner.vna_other = version;
        inner.vna_name = string(file);
        return bytes_of(one) + bytes_of(inner);
    }
};

inline void write_library(const std::filesystem::path& file, const WrittenLibrary& library) {
    ElfWriter(library).write(file);
}

}  // namespace tocuda::doctor
