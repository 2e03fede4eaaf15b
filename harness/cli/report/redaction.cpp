// tocuda, Apache-2.0.
#include "report/redaction.hpp"

#include <algorithm>
#include <cctype>

namespace tocuda::page {
namespace {

constexpr std::string_view hidden_path = "[path]";
constexpr std::string_view hidden_uuid = "[uuid]";
constexpr std::size_t uuid_size = 36;

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// A name counts only where it stands alone: a host "vm" is not part of "vmap".
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
    return (at == 0 || !is_word(text[at - 1])) && (at + size >= text.size() || !is_word(text[at + size]));
}

bool is_uuid(std::string_view text) {
    if (text.size() < uuid_size) return false;
    for (std::size_t i = 0; i < uuid_size; ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
    }
    return true;
}

// Returns the size of a path that starts at `at`; 0 if none does. "FOLDER/NAME" and "GB/s" are no paths, but of
// "2x/home/me/slow.json" a part is one.
std::size_t path_size(std::string_view text, std::size_t at) {
    const bool is_counted =
        at > 1 && text[at - 1] == 'x' && std::isdigit(static_cast<unsigned char>(text[at - 2])) != 0;
    if (at > 0 && !is_counted &&
        (is_word(text[at - 1]) || text[at - 1] == '/' || text[at - 1] == '.' || text[at - 1] == '-'))
        return 0;
    auto slash = at;
    while (slash < text.size() && (text[slash] == '~' || text[slash] == '.')) ++slash;
    if (slash + 1 >= text.size() || text[slash] != '/' || text[slash + 1] == ' ' || text[slash + 1] == '/') return 0;
    return std::min(text.find_first_of(" \t\r\n\"'`<>,;:()[]{}|", slash), text.size()) - at;
}

}  // namespace

Redaction::Redaction(const std::vector<RunLine>& runs) : active(true) {
    int machines = 0;
    int gpus = 0;
    for (const auto& run : runs) {
        runs_kept.push_back(run.run);
        hide(run.session, "[session]");
        hide(run.boot.value_or(""), "[boot]");
        for (const auto& host : {run.machine.host.value_or(""), run.fleet ? run.fleet->node : std::string()}) {
            const auto known =
                std::any_of(names.begin(), names.end(), [&](const auto& one) { return one.first == host; });
            if (!known && !host.empty()) hide(host, "host" + std::to_string(++machines));
        }
        for (const auto& gpu : run.gpus) hide(gpu.uuid.value_or(""), "gpu" + std::to_string(++gpus));
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& one, const auto& other) { return one.first.size() > other.first.size(); });
}

void Redaction::hide(const std::string& name, const std::string& pseudonym) {
    const auto known = std::any_of(names.begin(), names.end(), [&](const auto& one) { return one.first == name; });
    if (!name.empty() && !known) names.emplace_back(name, pseudonym);
}

std::string Redaction::operator()(std::string_view text) const {
    if (!active) return std::string(text);
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const auto rest = text.substr(at);
        const auto name = std::find_if(names.begin(), names.end(), [&](const auto& one) {
            return rest.starts_with(one.first) && stands_alone(text, at, one.first.size());
        });
        const auto run = std::find_if(runs_kept.begin(), runs_kept.end(),
                                      [&](const std::string& one) { return !one.empty() && rest.starts_with(one); });
        if (run != runs_kept.end()) {
            result += *run;
            at += run->size();
        } else if (name != names.end()) {
            result += name->second;
            at += name->first.size();
        } else if (is_uuid(rest)) {
            result += hidden_uuid;
            at += uuid_size;
        } else if (const auto size = path_size(text, at); size > 0) {
            result += hidden_path;
            at += size;
        } else {
            result += text[at++];
        }
    }
    return result;
}

}  // namespace tocuda::page
