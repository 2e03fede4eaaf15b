// tocuda, Apache-2.0.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/words.hpp"
#include "request/selection.hpp"

namespace tocuda {
namespace {

// What people say, and what names and sentences say instead: each separated by '|'. Phrases come before their words.
struct Synonym {
    std::string_view said;
    std::string_view meant;
};

constexpr std::array synonyms{
    Synonym{"cuda not available|cuda is not available|says no gpu|sees no gpu|finds no gpu|gpu not found|not detected",
            "is_available"},
    Synonym{"stays on cpu|stays on the cpu|still on cpu|still on the cpu|stuck on cpu|stuck on the cpu",
            "stays on cpu|stay on the cpu|stays on the cpu|left behind|keep using"},
    Synonym{"nothing happens|does nothing|has no effect", "keep using"},
    Synonym{"in place|in-place|inplace|not assigned|without assigning|assign the result", "keep using"},
    Synonym{"does not move|doesn't move|not moved", "keep using|stays on cpu"},
    Synonym{"out of memory|oom", "out of memory|out-of-memory|too large"},
    Synonym{"slow loader|loader slow|loader is slow|data loader|data loading|dataloader",
            "load a file|load blocks|dataloader"},
    Synonym{"checkpoint|safetensors", "load a file|torch.load"},
    Synonym{"first call|first kernel|first copy|first time|warm-up|warmup|startup|start-up",
            "first byte|create the context|start of a process|before the first"},
    Synonym{"half precision|mixed precision|low precision", "half|float16|bfloat16|autocast"},
    Synonym{"launch overhead|launch latency|kernel launch", "launch an empty kernel|each empty kernel"},
    Synonym{"unified memory|uvm", "managed memory"},
    Synonym{"video memory|vram|hbm", "memory of a gpu|memory of one gpu|gpu memory|gpu's memory"},
    Synonym{"tensor cores|tensor core|cublas", "product of two matrices of n"},
    Synonym{"matrix multiplication|matmul|gemm", "product of two"},
    Synonym{"tflops|flops", "product of two matrices of n|multiplications and additions"},
    Synonym{"nvlink|nvswitch|p2p",
            "another gpu|gpu to another|all others|other gpus|each gpu|all gpus|last gpu|first gpu|by gpu|peer"},
    Synonym{"nccl|nccl-tests", "of all gpus"},
    Synonym{"allreduce", "all_reduce"},
    Synonym{"allgather", "all_gather"},
    Synonym{"alltoall", "all_to_all"},
    Synonym{"reducescatter", "reduce_scatter"},
    Synonym{"pcie", "copy page-locked memory|copy pageable memory"},
    Synonym{"h2d|htod", "memory to the gpu"},
    Synonym{"d2h|dtoh", "memory to the host"},
    Synonym{"d2d|dtod", "within the memory of one gpu"},
    Synonym{"pinned", "page-locked"},
    Synonym{"float64|fp64", "double"},
    Synonym{"float16|fp16", "half"},
    Synonym{"bf16", "bfloat16"},
    Synonym{"fp8", "float8"},
    Synonym{"int64", "long"},
    Synonym{"leak", "fragment|gaps"},
};

// They say nothing about what is meant.
constexpr auto fillers = std::to_array<std::string_view>(
    {"a",         "about",  "after", "am",        "an",        "and",          "any",  "anything", "are",
     "as",        "at",     "be",    "been",      "benchmark", "benchmarks",   "but",  "by",       "can",
     "cannot",    "do",     "does",  "error",     "false",     "for",          "from", "get",      "gpu",
     "gpus",      "has",    "have",  "how",       "i",         "if",           "in",   "into",     "is",
     "it",        "its",    "me",    "measure",   "measures",  "my",           "need", "no",       "not",
     "of",        "on",     "or",    "our",       "returns",   "runtimeerror", "say",  "says",     "scenario",
     "scenarios", "should", "so",    "something", "tell",      "than",         "that", "the",      "there",
     "these",     "this",   "to",    "too",       "us",        "use",          "used", "using",    "want",
     "was",       "we",     "what",  "when",      "where",     "which",        "who",  "whom",     "why",
     "will",      "with",   "works", "would",     "you",       "your"});

// One thing that was typed: it is spoken of where any of its forms stands.
using Term = std::vector<std::string>;

bool is_of_word(char letter) {
    constexpr unsigned char last_of_ascii = 0x7f;
    const auto byte = static_cast<unsigned char>(letter);
    return std::isalnum(byte) != 0 || byte > last_of_ascii ||
           std::string_view("_-'/").find(letter) != std::string_view::npos;
}

// Returns words separated by single spaces, with one before and one after.
std::string spaced(const std::vector<std::string>& typed) {
    std::string text = " ";
    for (const auto& part : typed) text += lower(part) + " ";
    std::ranges::replace_if(text, [](char letter) { return !is_of_word(letter); }, ' ');
    const auto both_blank = [](char one, char other) { return one == ' ' && other == ' '; };
    text.erase(std::unique(text.begin(), text.end(), both_blank), text.end());
    return text;
}

// "moves", "moved" and "moving" are spoken of where "mov" is, "copies" where "copy" is.
std::string without_ending(const std::string& word) {
    constexpr std::size_t least = 3;
    if (word.ends_with("ies")) return word.substr(0, word.size() - 3) + "y";
    for (const std::string_view ending : {"ing", "es", "ed", "s"})
        if (word.ends_with(ending) && word.size() >= least + ending.size())
            return word.substr(0, word.size() - ending.size());
    return word;
}

bool is_filler(std::string_view word) { return std::ranges::find(fillers, word) != fillers.end(); }

std::vector<Term> terms_of(const std::vector<std::string>& typed) {
    std::vector<Term> terms;
    auto text = spaced(typed);
    for (const auto& [all_said, meant] : synonyms)
        for (const auto& said : parts_of(all_said, '|')) {
            const auto at = text.find(" " + said + " ");
            if (at == std::string::npos) continue;
            text.erase(at, said.size() + 1);
            auto forms = parts_of(meant, '|');
            forms.push_back(said);
            terms.push_back(std::move(forms));
        }
    const auto words = words_of(text);
    const bool only_fillers = terms.empty() && std::ranges::all_of(words, is_filler);
    for (const auto word : words)
        if (only_fillers || !is_filler(word)) terms.push_back({without_ending(std::string(word))});
    return terms;
}

// In lower case.
struct Sentences {
    std::string first{};  // what stands in tables
    std::string more{};
};

Sentences sentences_of(const Scenario& scenario) {
    auto first = scenario.name + "\n" + scenario.summary;
    for (const auto& claim : scenario.claims) first += "\n" + claim.id + " " + claim.statement;
    return {lower(first), lower(scenario.observed + "\n" + scenario.decisive)};
}

// What has a size is measured in bytes per second, too. Other programs have other names for it.
Sentences sentences_of(const Benchmark& benchmark) {
    std::string more = benchmark.parameters.contains("bytes") ? "bandwidth, bytes per second" : "";
    const auto& [sheet, peers] = std::tie(benchmark.role.sheet, benchmark.role.peers);
    if (!sheet.empty()) more += "\nof the data sheet";
    if (std::ranges::any_of(sheet, [](const SheetLine& line) { return !line.figure.empty(); })) more += "\npublished";
    for (const auto& peer : peers) more += "\n" + peer;
    return {lower(benchmark.name + "\n" + benchmark.summary), lower(more)};
}

bool speaks(const std::string& text, const Term& term) {
    return std::ranges::any_of(term, [&](const std::string& form) { return text.find(form) != std::string::npos; });
}

struct Candidate {
    Sentences sentences;
    std::size_t index;  // among scenarios, or among benchmarks
    bool is_benchmark;
    std::size_t spoken_of = 0;  // how many of the terms
    double score = 0;
};

std::vector<Candidate> candidates_of(const Found& all) {
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < all.scenarios.size(); ++i)
        candidates.push_back({sentences_of(*all.scenarios[i].scenario), i, false});
    for (std::size_t i = 0; i < all.benchmarks.size(); ++i)
        candidates.push_back({sentences_of(*all.benchmarks[i].benchmark), i, true});
    return candidates;
}

// The rarer a term, the more it counts; twice in what stands in tables.
void score(std::vector<Candidate>& candidates, const std::vector<Term>& terms) {
    for (const auto& term : terms) {
        const auto has = [&](const Candidate& one) {
            return speaks(one.sentences.first, term) || speaks(one.sentences.more, term);
        };
        const auto number = static_cast<double>(std::ranges::count_if(candidates, has));
        if (number == 0) continue;
        const auto weight = std::log(1 + static_cast<double>(candidates.size()) / number);
        for (auto& one : candidates) {
            if (!has(one)) continue;
            ++one.spoken_of;
            one.score += speaks(one.sentences.first, term) ? 2 * weight : weight;
        }
    }
}

// Those that say most of it: the rarer a term, the more it counts. One that is in many claims finds none of them.
std::vector<Claim> claims_of(const Found& all, const std::vector<Term>& terms) {
    constexpr std::size_t most = 5;
    constexpr std::size_t most_of_one_term = 8;
    std::map<std::string, Claim> by_id;
    for (const auto& one : all.scenarios)
        for (const auto& claim : one.scenario->claims) by_id.try_emplace(claim.id, claim);
    std::map<std::string, double> scores;
    double whole = 0;
    for (const auto& term : terms) {
        if (term.front().ends_with("torch")) continue;  // all are about it
        std::vector<std::string> having;
        for (const auto& [id, claim] : by_id)
            if (speaks(lower(claim.statement), term)) having.push_back(id);
        if (having.empty()) continue;
        const auto weight = std::log(1 + static_cast<double>(by_id.size()) / static_cast<double>(having.size()));
        whole += weight;
        for (const auto& id : having) scores[id] += weight;
    }
    std::erase_if(scores, [&](const auto& one) { return 2 * one.second < whole; });
    if (terms.size() == 1 && scores.size() > most_of_one_term) return {};
    std::vector<std::pair<double, std::string>> found;
    for (const auto& [id, score] : scores) found.emplace_back(score, id);
    std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<double, std::string>::first);
    found.resize(std::min(found.size(), terms.size() == 1 ? most_of_one_term : most));
    std::vector<Claim> claims;
    for (const auto& [score, id] : found) claims.push_back(by_id.at(id));
    return claims;
}

}  // namespace

Found search(const Catalogue& catalogue, const std::vector<std::string>& typed) {
    constexpr std::size_t most = 5;
    const auto terms = terms_of(typed);
    const Found all{all_scenarios(catalogue), select_benchmarks(catalogue, {})};
    auto candidates = candidates_of(all);
    score(candidates, terms);
    const auto whole = spaced(typed);
    for (auto& one : candidates)
        if (one.sentences.first.find(whole.substr(1, whole.size() - 2)) != std::string::npos) one.score += 1;
    std::erase_if(candidates, [](const Candidate& one) { return one.spoken_of == 0; });
    std::ranges::stable_sort(candidates, [](const auto& one, const auto& other) { return one.score > other.score; });
    Found found{.claims = claims_of(all, terms), .searched = true};
    const auto has_all = [&](const Candidate& one) { return one.spoken_of == terms.size(); };
    constexpr std::size_t sentence = 3;
    found.only_near = std::ranges::none_of(candidates, has_all);
    if (found.only_near) {
        candidates.resize(std::min(candidates.size(), most));
    } else if (terms.size() < sentence) {
        std::erase_if(candidates, [&](const Candidate& one) { return !has_all(one); });
    } else {  // a sentence has words that nobody means
        const auto near = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), most));
        candidates.erase(std::remove_if(near, candidates.end(), [&](const Candidate& one) { return !has_all(one); }),
                         candidates.end());
    }
    for (const auto& one : candidates)
        if (one.is_benchmark) found.benchmarks.push_back(all.benchmarks[one.index]);
        else found.scenarios.push_back(all.scenarios[one.index]);
    return found;
}

std::vector<std::string> words_of_all_sentences(const Catalogue& catalogue) {
    constexpr std::size_t least = 5;
    std::string text;
    for (const auto& [sentences, index, is_benchmark, spoken_of, score] :
         candidates_of({all_scenarios(catalogue), select_benchmarks(catalogue, {})}))
        text += sentences.first + "\n" + sentences.more + "\n";
    std::ranges::replace_if(text, [](unsigned char letter) { return std::isalnum(letter) == 0; }, ' ');
    std::set<std::string> words;
    for (const auto word : words_of(text))
        if (word.size() >= least) words.emplace(word);
    return {words.begin(), words.end()};
}

}  // namespace tocuda
