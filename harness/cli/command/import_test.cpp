// tocuda, Apache-2.0.
// Files of another tool through `tocuda import`, `verify`, `compare`, `report`, `cite` and `merge`.
#include <gtest/gtest.h>

#include <fstream>

#include "command/driven_program_test.hpp"

namespace tocuda {
namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// In the shape of nvbandwidth 0.8; the first rate is that of NVIDIA/nvbandwidth#50.
std::string nvbandwidth(const std::string& rate, const std::string& driver) {
    return R"json({"nvbandwidth": {"CUDA Runtime Version": 13000, "Driver Version": ")json" + driver +
           R"json(", "version": "v0.8", "GPU Device list": ["0: NVIDIA RTX A6000 (00000000:01:00): (node17)"],
  "testcases": [{"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [[")json" +
           rate + R"json("]]}, {"name": "device_to_device_memcpy_read_ce", "status": "Waived"}]}})json";
}

struct ImportPlace : driven::Place {
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
    void import(const std::string& name, const std::string& text, const std::string& time) {
        write(name, text);
        const auto said = run({"import", name, "-o", name + "l", "--time", time});
        EXPECT_EQ(said.code, 0) << said.err;
    }
};

TEST(Import, IsVerifiedComparedReportedAndMerged) {
    ImportPlace place;
    place.import("old.json", nvbandwidth("26.34", "570.86.15"), "2026-11-20T10:00:00Z");
    place.import("new.json", nvbandwidth("25.00", "580.95.05"), "2026-11-21T10:00:00Z");
    const auto verified = place.run({"verify", "old.jsonl"});
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    const auto compared = place.run({"compare", "old.jsonl", "new.jsonl", "--all"});
    EXPECT_EQ(compared.code, 0) << compared.err;
    for (const auto* part : {"nvbandwidth/host_to_device_memcpy_ce", "slower by 5.4 %", "570.86.15 -> 580.95.05"})
        EXPECT_TRUE(says(compared.out, part)) << part << "\n" << compared.out;
    EXPECT_TRUE(says(place.run({"report", "old.jsonl", "--markdown"}).out, "26.34 GB/s (median"));
    EXPECT_EQ(place.run({"report", "old.jsonl", "new.jsonl", "-o", "page.html"}).code, 0);
    EXPECT_EQ(place.run({"merge", "old.jsonl", "new.jsonl", "-o", "both.jsonl"}).code, 0);
    EXPECT_EQ(place.run({"verify", "both.jsonl"}).code, 0);
    EXPECT_EQ(place.run({"reproduce", "old.jsonl"}).code, 2) << "there is nothing to repeat";
}

TEST(Import, OneRunIsTooFewToCite) {
    ImportPlace place;
    place.import("a.json", nvbandwidth("26.34", "580.95.05"), "2026-11-20T10:00:00Z");
    const auto cited = place.run({"cite", "a.jsonl", "nvbandwidth/host_to_device_memcpy_ce"});
    EXPECT_EQ(cited.code, 1) << "one run is too few";
    EXPECT_TRUE(says(cited.err, "too few: 1 valid process")) << cited.err;
    EXPECT_TRUE(says(place.run({"report", "a.jsonl", "--markdown"}).out, "measured by nvbandwidth v0.8"));
}

TEST(Import, WithoutADriverNothingIsAttributedToOne) {
    ImportPlace place;
    const auto table = [](const std::string& rate, const std::string& seconds) {
        return "function,num_times,n_elements,sizeof,max_MB_per_sec,min_runtime,max_runtime,avg_runtime\n"
               "Copy,100,33554432,8," +
               rate + "," + seconds + ",0.0002,0.0002\n";
    };
    place.write("old.csv", table("3055593.947", "0.000175701"));
    place.write("new.csv", table("2684354.56", "0.0002"));
    for (const auto* name : {"old", "new"}) {
        const auto said = place.run(
            {"import", std::string(name) + ".csv", "-o", std::string(name) + ".jsonl", "--gpu", "NVIDIA H100 NVL"});
        EXPECT_TRUE(says(said.err, "no driver is named (--driver)")) << said.err;
        EXPECT_TRUE(says(said.err, "no host is named (--host)")) << said.err;
        EXPECT_TRUE(says(said.err, "no time is given (--time)")) << said.err;
    }
    const auto compared = place.run({"compare", "old.jsonl", "new.jsonl", "--json"});
    EXPECT_TRUE(says(compared.out, "not attributable to a driver")) << compared.out;
    // A file of another tool says nothing of boots and drivers, and holds one process.
    const auto told = place.run({"compare", "old.jsonl", "new.jsonl", "--start-noise", "0.2%"}).out;
    EXPECT_TRUE(says(told, "1 file, 1 run, 1 start,")) << told;
    EXPECT_TRUE(says(told, "--start-noise was not used for 1 row: with one process in each start")) << told;
}

TEST(Import, SaysInOneDocumentWhatItMade) {
    ImportPlace place;
    place.write("a.json", nvbandwidth("26.34", "580.95.05"));
    const auto said = place.run({"import", "a.json", "-o", "a.jsonl", "--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    for (const auto* part : {R"("rows": 1)", R"("without_value": 1)", R"("tool": "nvbandwidth")"})
        EXPECT_TRUE(says(said.out, part)) << said.out;
}

TEST(Import, ShowsARateWithoutATimeOfItsOwn) {
    ImportPlace place;
    place.write("a.json", nvbandwidth("26.34", "580.95.05"));
    ASSERT_EQ(place.run({"import", "a.json", "-o", "a.jsonl"}).code, 0);
    const auto judged = place.run({"judge", "a.jsonl"}).out;
    EXPECT_TRUE(says(judged, "imported 20")) << judged;
    EXPECT_TRUE(says(judged, "of what the tool printed: median of its trials")) << judged;
    EXPECT_TRUE(says(judged, "26.34")) << judged;
    EXPECT_FALSE(says(judged, "37.97 ms")) << "of 10^9 bytes\n" << judged;
    EXPECT_TRUE(says(place.run({"judge", "a.jsonl", "--json"}).out, R"("unit": "GB/s")"));
}

TEST(Import, OfACutFileItWritesTheRestAndExitsWithOne) {
    ImportPlace place;
    const auto whole = nvbandwidth("26.34", "580.95.05");
    place.write("a.json", whole.substr(0, whole.find("\"device_to_device")));
    const auto said = place.run({"import", "a.json", "-o", "a.jsonl"});
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_TRUE(says(said.err, "a.json was cut off: the rest is missing")) << said.err;
    EXPECT_TRUE(says(place.run({"judge", "a.jsonl"}).out, "26.34"));
}

TEST(Import, NamesTheFileThatLacksSomethingAndWhatItDidNotTake) {
    ImportPlace place;
    place.write("a.json", nvbandwidth("26.34", "580.95.05"));
    place.write("b.csv",
                "function,num_times,n_elements,sizeof,max_GB_per_sec,min_runtime,max_runtime,avg_runtime\n"
                "Copy,100,33554432,8,3055593.947,0.000175701,0.0002,0.0002\n");
    const auto said = place.run({"import", "a.json", "b.csv", "-o", "all.jsonl"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(says(said.err, "no host is named in b.csv (--host)")) << said.err;
    EXPECT_TRUE(says(said.err, "b.csv: babelstream/copy is not taken: max_GB_per_sec does not match 2 arrays"))
        << said.err;
}

TEST(Import, RefusesWhatItCannotRead) {
    ImportPlace place;
    place.write("notes.txt", "no results\n");
    place.write("a.json", nvbandwidth("fast", "580.95.05"));
    place.write("b.json", nvbandwidth("26.34", "580.95.05"));
    const auto refused = [&](const driven::Words& words) {
        const auto said = place.run(words);
        EXPECT_EQ(said.code, 2) << said.out << said.err;
        return said.err;
    };
    EXPECT_TRUE(says(refused({"import", "notes.txt", "-o", "out.jsonl"}), "tocuda: notes.txt: JSON of nvbandwidth"));
    EXPECT_TRUE(says(refused({"import", "a.json", "-o", "out.jsonl"}),
                     "a.json: nvbandwidth.testcases[0].bandwidth_matrix[0][0]: a number or N/A is expected"));
    EXPECT_TRUE(says(refused({"import", "b.json", "-o", "b.json"}), "is one of the files to read"));
    EXPECT_TRUE(says(refused({"import", "b.json", "-o", "out.jsonl", "--driver", "570.1"}),
                     "says 580.95.05, which --driver contradicts: 570.1"));
    EXPECT_TRUE(says(refused({"import", "b.json", "-o", "notes.txt"}), "notes.txt: exists and is not a result file"));
    for (const auto* verb : {"compare", "report", "judge", "verify"})
        EXPECT_EQ(refused({verb, "b.json"}),
                  "tocuda: b.json: looks like the output of nvbandwidth: `tocuda import b.json -o x.jsonl` first\n");
    EXPECT_TRUE(says(refused({"import", "missing.json", "-o", "out.jsonl"}), "missing.json: No such file"));
    place.write("old.jsonl", "{\"kind\":\"run\",\"schema\":1}\n");
    EXPECT_TRUE(says(refused({"import", "old.jsonl", "-o", "out.jsonl"}), "old.jsonl: is a result file of tocuda"));
    place.write("empty.csv",
                "function,num_times,n_elements,sizeof,max_MB_per_sec,min_runtime,max_runtime,avg_runtime\n");
    EXPECT_EQ(place.run({"import", "empty.csv", "-o", "out.jsonl"}).code, 4);
    EXPECT_FALSE(std::filesystem::exists(place.folder / "out.jsonl"));
}

}  // namespace
}  // namespace tocuda
