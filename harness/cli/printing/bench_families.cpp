// tocuda, Apache-2.0.
#include "printing/bench_families.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/parameter_values.hpp"
#include "model/words.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

using Rows = std::vector<const RowSummary*>;

auto family_key(const RowSummary& row) {
    return std::tuple(folder_of(row.benchmark), row.clock, row.device, row.gpu, row.peer);
}

bool comes_before(const Parameters& left, const Parameters& right) {
    for (const auto& [name, value] : left) {
        const auto other = right.find(name);
        if (other == right.end() || other->second == value) continue;
        return ByValue{}(plain(value), plain(other->second));
    }
    return false;
}

// Benchmark by benchmark and path by path, from the smallest size to the largest.
Rows in_order(const std::vector<RowSummary>& rows) {
    Rows sorted;
    for (const auto& row : rows)
        if (row.status != Status::skipped) sorted.push_back(&row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* left, const auto* right) {
        if (family_key(*left) != family_key(*right)) return family_key(*left) < family_key(*right);
        if (left->benchmark != right->benchmark) return left->benchmark < right->benchmark;
        const auto ours = without_bytes(left->parameters);
        const auto theirs = without_bytes(right->parameters);
        return ours == theirs ? comes_before(left->parameters, right->parameters) : comes_before(ours, theirs);
    });
    return sorted;
}

using Varying = std::map<std::string, std::set<std::string>>;

// Parameters, other than the size, that tell the rows of each benchmark apart. Of rows without a size, all of them.
Varying varying_in(const Rows& rows) {
    std::map<std::string, const RowSummary*> first;
    Varying names;
    for (const auto* row : rows) {
        const auto& like = first.try_emplace(row->benchmark, row).first->second->parameters;
        auto& varying = names[row->benchmark];
        for (const auto& [name, value] : row->parameters)
            if (const auto other = like.find(name);
                other == like.end() || other->second != value || !row->parameters.contains("bytes"))
                varying.insert(name);
        for (const auto& one : like)
            if (!row->parameters.contains(one.first)) varying.insert(one.first);
    }
    for (auto& one : names) one.second.erase("bytes");
    return names;
}

std::string words_of(const Parameters& parameters, const std::set<std::string>& which, bool those) {
    Parameters chosen;
    for (const auto& one : parameters)
        if (one.first != "bytes" && which.contains(one.first) == those) chosen.insert(one);
    return named_values(chosen);
}

// What all rows of a benchmark share is said once, in the heading.
std::string shared_words(const Rows& rows, const Varying& varying, const std::string& folder) {
    std::map<std::string, std::set<std::string>> names;  // by what they share
    for (const auto* row : rows)
        names[words_of(row->parameters, varying.at(row->benchmark), false)].insert(
            row->benchmark.substr(folder.size()));
    std::string text;
    for (const auto& [words, benchmarks] : names) {
        if (words.empty()) continue;
        const auto of = joined(benchmarks);
        text += "; " + (names.size() == 1 ? words : of + ": " + words);
    }
    return text;
}

BenchFamily family_of(const Rows& rows, bool several_gpus) {
    const auto& first = *rows.front();
    const auto folder = folder_of(first.benchmark);
    BenchFamily family{.name = folder, .about = std::string(word(first.clock)) + " clock"};
    if (several_gpus && !first.gpu.empty())
        family.about += ", on " + first.gpu + (first.peer.empty() ? "" : " with " + first.peer);
    const auto varying = varying_in(rows);
    family.about += shared_words(rows, varying, folder);
    for (const auto* row : rows) {
        auto& paths = family.paths;
        const bool goes_on = !paths.empty() && paths.back().rows.back()->benchmark == row->benchmark &&
                             without_bytes(paths.back().rows.back()->parameters) == without_bytes(row->parameters);
        const auto varies = words_of(row->parameters, varying.at(row->benchmark), true);
        if (!goes_on)
            paths.push_back({"  " + row->benchmark.substr(folder.size()) + (varies.empty() ? "" : " ") + varies, {}});
        paths.back().rows.push_back(row);
    }
    return family;
}

}  // namespace

Parameters without_bytes(Parameters parameters) {
    parameters.erase("bytes");
    return parameters;
}

std::vector<BenchFamily> bench_families(const std::vector<RowSummary>& rows) {
    std::set<std::string> gpus;
    for (const auto& row : rows)
        if (!row.gpu.empty()) gpus.insert(row.gpu);
    std::vector<BenchFamily> families;
    const auto sorted = in_order(rows);
    for (auto begin = sorted.begin(); begin != sorted.end();) {
        const auto end = std::find_if(begin, sorted.end(),
                                      [&](const RowSummary* row) { return family_key(*row) != family_key(**begin); });
        families.push_back(family_of({begin, end}, gpus.size() > 1));
        begin = end;
    }
    return families;
}

}  // namespace tocuda
