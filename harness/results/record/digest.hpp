// tocuda, Apache-2.0.
// SHA-256 over a stream of bytes, and the id of a row.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/benchmark.hpp"

namespace tocuda {

class Digest {
public:
    Digest();
    ~Digest();
    Digest(Digest&&) noexcept;
    Digest& operator=(Digest&&) noexcept;

    void add(std::string_view bytes);
    std::string hex() const;  // of the bytes added so far

private:
    struct Context;
    std::unique_ptr<Context> context;
};

std::string sha256_of(std::string_view bytes);

// Returns the first 16 hex digits of the SHA-256 of "NAME\n", "KEY=VALUE\n" for each parameter in the order of their
// names, and "protocol VERSION\n".
std::string row_id(const std::string& benchmark, const Parameters& parameters, int protocol_version);

}  // namespace tocuda
