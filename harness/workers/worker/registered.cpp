// tocuda, Apache-2.0.
// The registry is the one piece of global state. It is filled before main.
#include "worker/registered.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace tocuda {
namespace {

std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

std::string name_of(const std::filesystem::path& file) {
    return file.parent_path().filename().string() + "/" + file.stem().string();
}

}  // namespace

Registered::Registered(Definition definition, const char* file) {
    Entry entry{{name_of(file), std::move(definition.summary), std::move(definition.claims), definition.needs,
                 std::move(definition.variants), definition.judges_ends, std::move(definition.observed),
                 std::move(definition.decisive), std::move(definition.differs)},
                std::move(definition.observe),
                std::move(definition.judge)};
    auto& all = entries();
    const auto place = std::lower_bound(all.begin(), all.end(), entry, [](const Entry& left, const Entry& right) {
        return left.scenario.name < right.scenario.name;
    });
    if (place != all.end() && place->scenario.name == entry.scenario.name)
        throw std::logic_error("two scenarios are named " + entry.scenario.name);
    all.insert(place, std::move(entry));
}

const std::vector<Entry>& registry() { return entries(); }

const Entry* find_entry(const std::string& name) {
    for (const auto& entry : entries())
        if (entry.scenario.name == name) return &entry;
    return nullptr;
}

}  // namespace tocuda
