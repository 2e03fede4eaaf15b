// tocuda, Apache-2.0.
// Every verb that reads a result file gives the same reason why it must not be trusted.
#include <gtest/gtest.h>

#include <regex>

#include "command/driven_program_test.hpp"

namespace tocuda {
namespace {

class DamagedFile : public testing::Test {
protected:
    DamagedFile() {
        place.add_worker("tocuda-steady", driven::worker_script({driven::simple_scenario("steady/one")}));
        place.run({"run"});
        file = place.files().at(0);
        text = driven::text_of(file);
    }

    void expect_everywhere(const std::string& reason, const std::vector<driven::Words>& more) const {
        std::vector<driven::Words> all{{"verify", file},   {"cite", file, "901-01"},
                                       {"judge", file},    {"report", file, "-o", "page.html"},
                                       {"show", "901-01"}, {"show", "steady/one", "--json"}};
        all.insert(all.end(), more.begin(), more.end());
        for (const auto& words : all) {
            const auto told = place.run(words);
            const auto said = std::regex_replace(told.out + told.err, std::regex("\\s+"), " ");
            EXPECT_NE(said.find(reason), std::string::npos) << words.at(0) << " " << words.at(1) << "\n" << said;
        }
    }

    driven::Place place;
    std::filesystem::path file;
    std::string text;
};

TEST_F(DamagedFile, IsTrustedWhenWhole) {
    EXPECT_EQ(place.run({"show", "901-01"}).out.find('!'), std::string::npos);
    EXPECT_EQ(place.run({"show", "steady/one", "--json"}).err, "");
}

TEST_F(DamagedFile, Altered) {
    driven::write(file, std::regex_replace(text, std::regex("\"because\":\"(.)"), "\"because\":\"$1$1"));
    expect_everywhere("the checksum does not match: the section was altered or damaged",
                      {{"show", "901-01", "--ticket"}});
}

TEST_F(DamagedFile, CutOff) {
    driven::write(file, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
    expect_everywhere("has no end line: it is partial", {{"show", "901-01", "--ticket"}});
}

TEST_F(DamagedFile, WithALineThatCannotBeRead) {
    auto broken = text;
    broken.replace(broken.find("\"code\":"), 7, "\"code\";");
    driven::write(file, broken);
    expect_everywhere("not JSON", {{"show", "901-01", "--ticket"}});
    EXPECT_NE(place.run({"show", "901-01"}).out.find("not recorded in results/local yet"), std::string::npos);
}

}  // namespace
}  // namespace tocuda
