// tocuda, Apache-2.0.
// Arrays as numpy.save (NumPy 2.4) wrote them: the header text, and the data in hexadecimal.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace npy_samples {

struct Sample {
    std::string_view name;
    std::string_view header;
    std::string_view data;
};

inline constexpr std::array<Sample, 20> samples{{
    {"row_major", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
     "000000000000f03f000000000000004000000000000008400000000000001040000000000000144000000000000018400000000000001c40"
     "00000000000020400000000000002240000000000000244000000000000026400000000000002840"},
    {"column_major", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }",
     "000000000000f03f000000000000144000000000000022400000000000000040000000000000184000000000000024400000000000000840"
     "0000000000001c400000000000002640000000000000104000000000000020400000000000002840"},
    {"float16", "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }",
     "003c0040004200440045004600470048804800498049004a"},
    {"float32_broadcast", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
     "0000c03f0000c03f0000c03f0000c03f0000c03f0000c03f"},
    {"bool", "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 4), }", "000100010001000100010001"},
    {"int8", "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", "000102"},
    {"uint16", "{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }", "0100020003000400"},
    {"complex128", "{'descr': '<c16', 'fortran_order': False, 'shape': (4,), }",
     "000000000000f03f000000000000000000000000000000400000000000000000000000000000084000000000000000000000000000001040"
     "0000000000000000"},
    {"zero_dim", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0000000000000440"},
    {"empty", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", ""},
    {"negative_strides", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
     "000000000000284000000000000026400000000000002440000000000000224000000000000020400000000000001c400000000000001840"
     "0000000000001440000000000000104000000000000008400000000000000040000000000000f03f"},
    {"sliced", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
     "000000000000f03f000000000000084000000000000014400000000000001c4000000000000022400000000000002640"},
    {"big_endian", "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 4), }",
     "3ff000000000000040000000000000004008000000000000401000000000000040140000000000004018000000000000401c000000000000"
     "40200000000000004022000000000000402400000000000040260000000000004028000000000000"},
    {"big_endian_int16", "{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }", "000000010002000300040005"},
    {"long_double", "{'descr': '<f16', 'fortran_order': False, 'shape': (2,), }",
     "000000000000000000007490b67f00000000000000000080ff3f7490b67f0000"},
    {"datetime", "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (2,), }", "0b4d0000000000002d4f000000000000"},
    {"timedelta", "{'descr': '<m8[s]', 'fortran_order': False, 'shape': (2,), }", "01000000000000000200000000000000"},
    {"structured", "{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (2,), }",
     "010000000000000000000440030000000000000000001240"},
    {"object", "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
     "80049590000000000000008c166e756d70792e5f636f72652e6d756c74696172726179948c0c5f7265636f6e7374727563749493948c056e"
     "756d7079948c076e6461727261799493944b0085944301629487945294284b014b02859468038c0564747970659493948c024f3894898887"
     "945294284b038c017c944e4e4e4affffffff4affffffff4b3f749462895d94284b018c016194657494622e"},
    {"text", "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }", "61000000620000006300000000000000"},
}};

// Returns the whole file: the header is padded with spaces so that the data begins at a multiple of 64.
inline std::string file_of(const Sample& sample) {
    constexpr std::size_t before_header = 10;
    std::string header(sample.header);
    header.append((64 - (before_header + header.size() + 1) % 64) % 64, ' ');
    header += '\n';
    std::string bytes{"\x93NUMPY\x01\x00", 8};
    bytes += {static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
    bytes += header;
    const auto digit = [](char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; };
    for (std::size_t i = 0; i + 1 < sample.data.size(); i += 2)
        bytes += static_cast<char>(digit(sample.data[i]) * 16 + digit(sample.data[i + 1]));
    return bytes;
}

}  // namespace npy_samples
