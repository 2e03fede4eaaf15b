// tocuda, Apache-2.0.
// Reads the corpus and seeded mutations of it: a bounded version of what libFuzzer does endlessly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "record/tests/fuzz/checked_reading.hpp"

namespace tocuda {
namespace {

std::vector<std::string> corpus() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(TOCUDA_RECORD_CORPUS)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const auto& file : files) {
        std::ifstream in(file, std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return texts;
}

class Mutator {
public:
    explicit Mutator(const std::vector<std::string>& all) : texts(all) {}

    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random() % limit; }
    template <class List>
    const typename List::value_type& any(const List& list) {
        return list[below(list.size())];
    }

    std::string next() {
        auto text = any(texts);
        for (auto times = 1 + below(4); times > 0; --times) mutate(text);
        if (text.size() > 4096) text.resize(4096);
        return text;
    }

private:
    void mutate(std::string& text) {
        static constexpr std::array words{"NaN",
                                          "1e999",
                                          "-1",
                                          "18446744073709551616",
                                          "null",
                                          "\"kind\":\"run\",",
                                          "{}",
                                          "[",
                                          "]",
                                          "}",
                                          "\n",
                                          "\"",
                                          "\\u0000",
                                          "\xff",
                                          "{\"kind\":\"end\",\"status\":\"complete\",\"rows\":1,\"sha256\":\"\"}\n",
                                          "\"samples\":[0],",
                                          "\"schema\":2,",
                                          "{\"kind\":\"measurement\"}\n"};
        const auto place = below(text.size());
        const auto length = std::min(below(40), text.size() - place);
        switch (below(6)) {
            case 0:
                text.resize(place);
                break;
            case 1:
                text.erase(place, length);
                break;
            case 2:
                text.insert(place, any(words));
                break;
            case 3:
                text.insert(place, text.substr(place, length));
                break;
            case 4: {
                const auto& other = any(texts);
                text = text.substr(0, place) + other.substr(std::min<std::size_t>(1, other.size()));
                break;
            }
            default:
                if (!text.empty()) text[place] = static_cast<char>(random() % 256);
        }
    }

    const std::vector<std::string>& texts;
    std::mt19937_64 random{20261121};
};

TEST(RecordCorpus, EveryFileKeepsTheInvariants) {
    const auto texts = corpus();
    ASSERT_GE(texts.size(), 30U);
    for (const auto& text : texts)
        for (char choice = 0; choice < 40; ++choice)
            EXPECT_EQ(wrong_with_reading(choice + text.substr(std::min<std::size_t>(1, text.size()))), "") << text;
}

TEST(RecordCorpus, MutationsKeepTheInvariants) {
    const auto texts = corpus();
    Mutator mutator(texts);
    for (int i = 0; i < 20000; ++i) {
        const auto text = mutator.next();
        ASSERT_EQ(wrong_with_reading(text), "") << "after " << i << " others: " << text;
    }
}

}  // namespace
}  // namespace tocuda
