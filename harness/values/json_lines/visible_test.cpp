// tocuda, Apache-2.0.
// Control characters are removed, and nothing else is lost.
#include "json_lines/visible.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(Visible, ReplacesControlCharacters) {
    EXPECT_EQ(visible("a\x1b[31mb\x7f\r"), "a\xef\xbf\xbd[31mb\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(visible("\xc2\x9b"
                      "31m"),
              "\xef\xbf\xbd"
              "31m")
        << "U+009B starts an escape sequence";
    EXPECT_EQ(visible(std::string_view("a\0b", 3)),
              "a\xef\xbf\xbd"
              "b");
}

TEST(Visible, ReplacesDirectionChanges) {
    EXPECT_EQ(visible("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"),
              "a\xef\xbf\xbd"
              "b\xef\xbf\xbd");
    EXPECT_EQ(visible("\xe2\x80\xa6 \xe2\x80"), "\xe2\x80\xa6 \xe2\x80") << "an ellipsis and an incomplete character";
}

TEST(Visible, KeepsOrdinaryText) {
    for (const char* text : {"", "every byte", "5 \xc2\xb5s, 3 \xc2\xb0", "\xe2\x82\xac"}) {
        EXPECT_EQ(visible(text), text);
        EXPECT_FALSE(has_control_characters(text)) << text;
    }
}

TEST(Visible, LineBreaksAndTabsBecomeSpacesOrStay) {
    EXPECT_EQ(visible("a\n\tb"), "a  b");
    EXPECT_EQ(visible_lines("a\n\tb\r"), "a\n\tb\xef\xbf\xbd");
    EXPECT_TRUE(has_control_characters("a\nb"));
}

}  // namespace
}  // namespace tocuda
