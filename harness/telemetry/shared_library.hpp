// tocuda, Apache-2.0.
// A library opened at run time. It is never closed, because drivers leave threads behind that would go on running
// unmapped code.
#pragma once

#include <string>

namespace tocuda {

class SharedLibrary {
public:
    explicit SharedLibrary(const std::string& name);

    bool loaded() const { return handle != nullptr; }
    const std::string& error() const { return reason; }

    // Null if the library has no such function.
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(address(name));
    }

    // Where the loader found it; empty if unknown.
    std::string file() const;

private:
    void* address(const char* name) const;

    void* handle;
    std::string reason;
};

}  // namespace tocuda
