// tocuda, Apache-2.0.
#include "doctor/message/explain.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto nowhere = std::string_view::npos;

struct Hit {
    const KnownError* error = nullptr;
    std::size_t at = nowhere;
};

// Searches all needles in one pass, by the algorithm of Wu and Manber: the last three characters of a window as long as
// the shortest needle say how far the window may be moved, or which needles may begin where it begins.
class Search {
public:
    explicit Search(const std::vector<KnownError>& known) {
        for (const auto& error : known)
            for (const auto needle : error.needles) window = std::min(window, needle.size());
        shifts.assign(std::size_t{1} << bits, static_cast<unsigned char>(window - 2));
        starts.assign(shifts.size(), none);
        for (auto error = known.rbegin(); error != known.rend(); ++error)
            for (const auto needle : error->needles) add(*error, needle);
    }

    // The first error that is not a consequence, else the first consequence; of several at one place the first known.
    Hit first(std::string_view text) const {
        Hit consequence;
        for (std::size_t at = 0; at + window <= text.size();) {
            const auto block = hash(text.data() + at + window - 3);
            for (auto index = starts[block]; index != none; index = entries[index].next) {
                const auto& [error, needle, next] = entries[index];
                if (consequence.error && error->consequence) continue;
                if (!text.substr(at).starts_with(needle) || (error->applies && !error->applies(text, at))) continue;
                if (!error->consequence) return {error, at};
                consequence = {error, at};
            }
            at += shifts[block];
        }
        return consequence;
    }

private:
    static constexpr unsigned bits = 15;
    static constexpr std::uint32_t none = ~0U;
    struct Entry {
        const KnownError* error;
        std::string_view needle;
        std::uint32_t next;
    };

    std::size_t window = 255;
    std::vector<unsigned char>
        shifts{};  // by the hash of a block; 0 is never needed, because the window then moves by 1
    std::vector<std::uint32_t> starts{};  // the first of the entries that begin with a window that ends with a block
    std::vector<Entry> entries{};

    static std::size_t hash(const char* block) {
        const auto byte = [&](int index) { return static_cast<unsigned>(static_cast<unsigned char>(block[index])); };
        return ((byte(0) << 10) ^ (byte(1) << 5) ^ byte(2)) & ((1U << bits) - 1);
    }
    void add(const KnownError& error, std::string_view needle) {
        for (std::size_t end = 3; end <= window; ++end) {
            auto& shift = shifts[hash(needle.data() + end - 3)];
            shift = std::min(shift, static_cast<unsigned char>(std::max<std::size_t>(1, window - end)));
        }
        auto& start = starts[hash(needle.data() + window - 3)];
        entries.push_back({&error, needle, start});
        start = static_cast<std::uint32_t>(entries.size() - 1);
    }
};

std::vector<KnownError> all_known() {
    std::vector<KnownError> all;
    for (const auto& family :
         {driver_errors, library_errors, memory_errors, kernel_errors, usage_errors, group_errors, system_errors}) {
        auto some = family();
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

// The line of the error from its exception's name on, without control characters, at most 200 characters.
std::string quote(std::string_view text, std::size_t at) {
    constexpr std::size_t before = 60;
    constexpr std::size_t most = 200;
    const auto from = at < before ? 0 : at - before;
    const auto line = text.substr(from, at - from).find_last_of("\r\n");
    const auto begin = line != nowhere ? from + line + 1 : from == 0 ? 0 : at;
    const auto length = std::min(text.find_first_of("\r\n", at), text.size()) - begin;
    auto quoted = std::string(text.substr(begin, std::min(length, most))) + (length > most ? "..." : "");
    std::ranges::replace_if(quoted, [](unsigned char each) { return each < ' ' || each == 0x7f; }, ' ');
    quoted.erase(0, std::min(quoted.find_first_not_of(' '), quoted.size()));
    return quoted;
}

}  // namespace

std::optional<Explanation> explain(std::string_view text) {
    const auto known = all_known();
    const auto first = Search(known).first(text);
    if (!first.error) return std::nullopt;
    Explanation told;
    told.error = first.error->name;
    told.line = 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, first.at), '\n'));
    told.quoted = quote(text, first.at);
    told.meaning = first.error->meaning;
    told.claims.assign(first.error->claims.begin(), first.error->claims.end());
    told.remedies.assign(first.error->remedies.begin(), first.error->remedies.end());
    if (first.error->read) first.error->read(text, first.at, told);
    return told;
}

}  // namespace tocuda::doctor
