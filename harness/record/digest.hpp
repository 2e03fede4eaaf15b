// tocuda, Apache-2.0.
// SHA-256 over a stream of bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

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

}  // namespace tocuda
