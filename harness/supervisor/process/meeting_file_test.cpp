// tocuda, Apache-2.0.
// Tests what the processes that open the file see in it.
#include "process/meeting_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "model/folder_test.hpp"

namespace tocuda {
namespace {

std::uint32_t number_at(const std::filesystem::path& file, std::size_t place) {
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(place));
    std::uint32_t number = 0;
    in.read(reinterpret_cast<char*>(&number), sizeof number);
    EXPECT_TRUE(in.good());
    return number;
}

TEST(MeetingFile, HoldsNumberOfMembersAndOfThoseThatLeft) {
    const TestFolder folder;
    MeetingFile meeting(folder.path() / "one", 4);
    EXPECT_EQ(std::filesystem::file_size(meeting.path()), sizeof(Meeting));
    EXPECT_EQ(number_at(meeting.path(), offsetof(Meeting, members)), 4U);
    EXPECT_EQ(number_at(meeting.path(), offsetof(Meeting, left)), 0U);
    meeting.leave();
    EXPECT_EQ(number_at(meeting.path(), offsetof(Meeting, left)), 1U);
}

TEST(MeetingFile, IsDeletedWithItsObject) {
    const TestFolder folder;
    {
        const MeetingFile meeting(folder.path() / "one", 2);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MeetingFile, RefusesExistingFile) {
    const TestFolder folder;
    const MeetingFile first(folder.path() / "one", 2);
    EXPECT_THROW(MeetingFile(folder.path() / "one", 2), std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace tocuda
