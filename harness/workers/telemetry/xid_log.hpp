// tocuda, Apache-2.0.
// What the kernel's log says about a GPU while this process runs. Only root may read it on most machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tocuda {

class XidLog {
public:
    static constexpr const char* usual_log = "/dev/kmsg";

    // Begins at the end of the log. `bus_id`: "0000:3B:00.0", in letters of either case
    XidLog(const std::string& bus_id, const std::string& log);
    XidLog(XidLog&& other) noexcept;
    XidLog& operator=(XidLog&&) = delete;
    XidLog(const XidLog&) = delete;
    XidLog& operator=(const XidLog&) = delete;
    ~XidLog();

    // The numbers of all messages since it began; nullopt if the log cannot be read.
    std::optional<std::vector<int>> read();

private:
    std::string address;
    int file;
    std::vector<int> numbers{};
};

}  // namespace tocuda
