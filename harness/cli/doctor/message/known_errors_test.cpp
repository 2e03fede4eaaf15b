// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

using Words = std::vector<std::string>;

void read_figure(std::string_view, std::size_t, Explanation&) {}
bool is_it(std::string_view, std::size_t) { return true; }

Functions functions() { return {.readings = {{"read_figure", read_figure}}, .conditions = {{"is_it", is_it}}}; }

std::vector<KnownError> read(const char* text) { return errors_of({"example", functions, text}); }

std::string refusal(const char* text) {
    try {
        read(text);
    } catch (const std::invalid_argument& why) {
        return why.what();
    }
    return "";
}

TEST(KnownErrors, EveryKeyHasItsMember) {
    const auto all = read(R"(
# A comment.

first error
  text    one needle
  text    " two\n"
  near    close by
  line    in its line
  not     not in it
  if      is_it
  rank    symptom
  unsure
  means   What it means, which goes
          on here.
  claim   000-01
  look    nvidia-smi
  type    python ...   (again)
  env     pip install
  machine sudo apt install
  others  sudo reboot   (last)
  where   ollama
  type    ollama serve
  read    read_figure

second error
  text    three
  type    one's own
)");
    ASSERT_EQ(all.size(), 2U);
    const auto& first = all.front();
    EXPECT_EQ(first.name, "first error");
    EXPECT_EQ(first.needles, (Words{"one needle", " two\n"}));
    EXPECT_EQ(first.near, (Words{"close by"}));
    EXPECT_EQ(first.in_line, (Words{"in its line"}));
    EXPECT_EQ(first.not_in_line, (Words{"not in it"}));
    EXPECT_EQ(first.applies, is_it);
    EXPECT_EQ(first.read, read_figure);
    EXPECT_EQ(first.rank, Rank::symptom);
    EXPECT_FALSE(first.certain);
    EXPECT_EQ(first.meaning, "What it means, which goes on here.");
    EXPECT_EQ(first.claims, (Words{"000-01"}));
    EXPECT_EQ(first.remedies, (std::vector<Remedy>{Remedy("nvidia-smi", Scope::look), Remedy("python ...   (again)"),
                                                   Remedy("pip install", Scope::environment),
                                                   Remedy("sudo apt install", Scope::machine),
                                                   Remedy("sudo reboot   (last)", Scope::others)}));
    ASSERT_EQ(first.hints.size(), 1U);
    EXPECT_EQ(first.hints.front().sign, "ollama");
    EXPECT_EQ(first.hints.front().remedy, Remedy("ollama serve"));
    EXPECT_EQ(all.back().remedies, (std::vector<Remedy>{"one's own"}));
    EXPECT_EQ(all.back().rank, Rank::cause);
    EXPECT_TRUE(all.back().certain);
}

TEST(KnownErrors, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(refusal("name\n  tekst   needle\n"), "example.txt: line 2: no such key 'tekst'");
    EXPECT_EQ(refusal("name\n  rank high\n\nother\n"), "example.txt: line 2: no such rank 'high'");
    EXPECT_EQ(refusal("name\n  read    read_all\n"), "example.txt: line 2: no such function 'read_all'");
    EXPECT_EQ(refusal("\n  text    needle\n"), "example.txt: line 2: no error has this '  text    needle'");
    EXPECT_EQ(refusal("name\n    more\n"), "example.txt: line 2: no key has this '    more'");
}

TEST(KnownErrors, EveryFileOfTheFolderIsRead) {
    std::set<std::string> files, families;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TOCUDA_SOURCE) / "harness/cli/doctor/message/known"))
        files.insert(entry.path().stem().string());
    for (const auto& family : known_families()) families.emplace(family.name);
    EXPECT_EQ(families, files);
}

TEST(KnownErrors, EveryFunctionOfAFamilyIsUsed) {
    const auto is_named = [](const KnownFamily& family, std::string_view key, std::string_view function) {
        return std::string_view(family.text).find("\n  " + std::string(key) + std::string(function) + "\n") !=
               std::string_view::npos;
    };
    for (const auto& family : known_families()) {
        const auto has = family.functions();
        for (const auto& [name, function] : has.readings)
            EXPECT_TRUE(is_named(family, "read    ", name)) << family.name << " " << name;
        for (const auto& [name, function] : has.conditions)
            EXPECT_TRUE(is_named(family, "if      ", name)) << family.name << " " << name;
    }
}

TEST(KnownErrors, EachSaysWhatItMeansAndHasANeedle) {
    for (const auto& error : all_known_errors()) {
        EXPECT_FALSE(error.meaning.empty()) << error.name;
        EXPECT_FALSE(error.needles.empty()) << error.name;
        for (const auto& needle : error.needles) EXPECT_GE(needle.size(), 4U) << error.name << ": " << needle;
    }
}

}  // namespace
}  // namespace tocuda::doctor
