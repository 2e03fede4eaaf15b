// tocuda, Apache-2.0.
#include "request/row_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/nearest.hpp"
#include "model/parameter_values.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

using Positions = std::vector<std::size_t>;

struct Filter {
    std::string key;
    std::string value;
};

std::string listed(const std::vector<std::string>& all) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t one = 0; one < std::min(most, all.size()); ++one) text += (one == 0 ? "" : ", ") + all[one];
    return all.size() > most ? text + fmt::format(", and {} more", all.size() - most) : text;
}

class Choice {
public:
    Choice(const std::vector<FileRow>& what, const std::vector<SectionRows>& where) : rows(what), sections(where) {}

    Expected<std::size_t> of(const Words& words) const {
        const auto found = all_of(words);
        if (!found) return tl::unexpected(found.error());
        if (found->size() == 1) return found->front();
        return problem(several(words.front(), *found));
    }

    Expected<Positions> all_of(const Words& words) const {
        const auto& first = words.front();
        auto found = by_id(first);
        if (found.empty()) found = by_name(first);
        if (found.empty()) return problem(unknown(first));
        for (auto word = words.begin() + 1; word != words.end(); ++word) {
            const auto equals = word->find('=');
            if (equals == std::string::npos) return problem(fmt::format("'{}' is not KEY=VALUE", *word));
            const Filter asked{word->substr(0, equals), word->substr(equals + 1)};
            Positions left;
            std::copy_if(found.begin(), found.end(), std::back_inserter(left),
                         [&](std::size_t row) { return suits(rows[row], asked); });
            if (left.empty()) return problem(no_such(asked, found));
            found = left;
        }
        const auto is_simulated = [&](std::size_t row) { return rows[row].summary.device == Device::simulated; };
        if (!std::ranges::all_of(found, is_simulated)) std::erase_if(found, is_simulated);
        return found;
    }

private:
    template <class Suits>
    Positions those(Suits suits) const {
        Positions all(rows.size());
        std::iota(all.begin(), all.end(), 0);
        std::erase_if(all, [&](std::size_t row) { return !suits(rows[row].summary); });
        return all;
    }
    Positions by_id(const std::string& word) const {
        return those([&](const RowSummary& row) { return row.id.starts_with(word); });
    }
    Positions by_name(const std::string& word) const {
        return those([&](const RowSummary& row) { return row.benchmark == word; });
    }

    // Returns a row's values of a key; empty if it has none.
    std::set<std::string> said(const FileRow& row, const std::string& key) const {
        std::set<std::string> values;
        const auto parameter = row.summary.parameters.find(key);
        if (parameter != row.summary.parameters.end()) return {plain(parameter->second)};
        if (key == "gpu") values.insert(row.summary.gpu);
        for (const auto position : row.sections) {
            const auto& run = sections[position].run;
            if (key == "run") values.insert(run.run);
            if (key == "driver") values.insert(run.driver.kernel_module.value_or("unknown"));
        }
        return values;
    }
    bool suits(const FileRow& row, const Filter& asked) const {
        const bool is_parameter = row.summary.parameters.contains(asked.key);
        const auto amount = amount_of(asked.value);
        const auto wanted = asked.key == "bytes" && amount ? std::to_string(*amount) : asked.value;
        const auto values = said(row, asked.key);
        return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
            return is_parameter ? value == wanted : value.starts_with(wanted);
        });
    }

    std::string unknown(const std::string& word) const {
        std::set<std::string> names;
        for (const auto& row : rows) names.insert(row.summary.benchmark);
        if (const auto inside = inside_folder(word, names); !inside.empty())
            return fmt::format("no row named '{}'{}", word, inside);
        for (const auto& row : rows) names.insert(row.summary.id);
        return fmt::format("no row named '{}'{}", word, suggestion(word, {names.begin(), names.end()}));
    }
    std::string no_such(const Filter& asked, const Positions& of) const {
        std::set<std::string, ByValue> values;
        for (const auto row : of) values.merge(said(rows[row], asked.key));
        std::vector<std::string> available;
        for (const auto& value : values) available.push_back(asked.key + "=" + value);
        if (!available.empty())
            return fmt::format("no row with {}={}; available: {}", asked.key, asked.value, listed(available));
        std::vector<std::string> keys{"gpu", "run", "driver"};
        for (const auto& [name, value] : rows[of.front()].summary.parameters) keys.push_back(name);
        return fmt::format("'{}' is not a parameter of {}{}", asked.key, rows[of.front()].summary.benchmark,
                           suggestion(asked.key, keys));
    }
    std::string several(const std::string& word, const Positions& found) const {
        std::vector<std::string> list;
        for (const auto row : found) list.push_back(difference(row, found));
        return fmt::format("'{}' matches {} rows; choose one of: {}", word, found.size(), listed(list));
    }
    // Returns what distinguishes this row from the others.
    std::string difference(std::size_t row, const Positions& found) const {
        std::set<std::string> keys{"gpu", "driver", "run"};
        for (const auto other : found)
            for (const auto& [name, value] : rows[other].summary.parameters) keys.insert(name);
        std::string text;
        for (const auto& other : found)
            if (rows[other].summary.benchmark != rows[row].summary.benchmark) return rows[row].summary.id;
        for (const auto& key : keys) {
            const auto mine = said(rows[row], key);
            const bool tells = std::any_of(found.begin(), found.end(),
                                           [&](std::size_t other) { return said(rows[other], key) != mine; });
            if (!tells || mine.empty()) continue;
            if (!text.empty() && key == "run") continue;  // redundant: runs always differ if anything else does
            text += (text.empty() ? "" : " ") + key + "=" + *mine.begin();
        }
        return text;
    }
    const std::vector<FileRow>& rows;
    const std::vector<SectionRows>& sections;
};

}  // namespace

Expected<std::size_t> chosen_row(const Words& words, const std::vector<FileRow>& rows,
                                 const std::vector<SectionRows>& sections) {
    return Choice(rows, sections).of(words);
}

Expected<std::vector<std::size_t>> rows_meant(const Words& words, const std::vector<FileRow>& rows,
                                              const std::vector<SectionRows>& sections) {
    return Choice(rows, sections).all_of(words);
}

std::string inside_folder(const std::string& word, const std::set<std::string>& names) {
    const auto folder = word.ends_with('/') ? word : word + "/";
    std::vector<std::string> inside;
    std::ranges::copy_if(names, std::back_inserter(inside),
                         [&](const std::string& name) { return name.starts_with(folder); });
    return inside.empty() ? "" : "; in this folder: " + listed(inside);
}

std::string name_of(const RowSummary& row) {
    return row.parameters.empty() ? row.benchmark : row.benchmark + " " + plain(row.parameters);
}

}  // namespace tocuda
