// tocuda, Apache-2.0.
// Tests cutting pieces into lines, limits, and tails.
#include <gtest/gtest.h>

#include <vector>

#include "process/watched_child.hpp"

namespace tocuda {
namespace {

std::vector<std::string> lines_of(SaidLines& said, const std::vector<std::string>& pieces) {
    std::vector<std::string> lines;
    for (const auto& piece : pieces) said.hear(piece, [&](std::string_view line) { lines.emplace_back(line); });
    return lines;
}

TEST(SaidLines, JoinsPiecesOfLines) {
    SaidLines said(1000);
    EXPECT_EQ(lines_of(said, {"on", "", "e\ntwo\nth", "ree\n", "\n"}),
              (std::vector<std::string>{"one", "two", "three", ""}));
    EXPECT_EQ(said.torn(), "");
}

TEST(SaidLines, IncompleteLineIsTornAndShortened) {
    SaidLines said(1000);
    EXPECT_EQ(lines_of(said, {"one\n", std::string(300, 't')}), std::vector<std::string>{"one"});
    EXPECT_EQ(said.torn(), std::string(200, 't'));
}

TEST(SaidLines, ExactLimitIsAccepted) {
    SaidLines said(8);
    EXPECT_EQ(lines_of(said, {"one\n", "two\n"}).size(), 2u);
    EXPECT_EQ(said.fault(), "");
}

TEST(SaidLines, OneByteOverLimitIsAFaultAndTheRestIgnored) {
    SaidLines said(8);
    EXPECT_EQ(lines_of(said, {"one\ntwo\n3", "\nfour\n"}), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(said.fault(), "wrote more than 8 bytes to descriptor 3");
}

TEST(SaidLines, LongestLineIsAccepted) {
    SaidLines said(64 << 20);
    EXPECT_EQ(lines_of(said, {std::string(SaidLines::longest_line, 'x'), "\n"}).size(), 1u);
    EXPECT_EQ(said.fault(), "");
}

TEST(SaidLines, LongerLineIsAFault) {
    SaidLines said(64 << 20);
    EXPECT_EQ(lines_of(said, {std::string(SaidLines::longest_line, 'x'), "x", "\n"}).size(), 0u);
    EXPECT_EQ(said.fault(), "wrote a line of more than 16 MiB to descriptor 3");
}

TEST(Tail, KeepsShortTextWhole) {
    Tail tail;
    tail.hear("one ");
    tail.hear("two");
    EXPECT_EQ(tail.text(), "one two");
}

TEST(Tail, KeepsTheEndOfLongText) {
    Tail tail;
    std::string all;
    for (int number = 0; number < 10'000; ++number) {
        const auto piece = std::to_string(number) + " ";
        tail.hear(piece);
        all += piece;
    }
    EXPECT_EQ(tail.text(), all.substr(all.size() - Tail::kept));
}

TEST(Tail, CutsLargePieces) {
    Tail tail;
    tail.hear("first");
    tail.hear(std::string(100'000, 'x') + "last");
    EXPECT_EQ(tail.text(), std::string(Tail::kept - 4, 'x') + "last");
}

TEST(Tail, DoesNotBeginInsideACharacter) {
    Tail tail;
    std::string text = "\xE2\x82\xAC";  // a euro sign, of which one byte is cut off
    text += std::string(Tail::kept - 2, 'x');
    tail.hear(text);
    EXPECT_EQ(tail.text(), std::string(Tail::kept - 2, 'x'));
}

}  // namespace
}  // namespace tocuda
