// tocuda, Apache-2.0.
#include "runtime/process_counts.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/computing_library.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

SharedCounts* mapped() {
    const char* folder = std::getenv("TOCUDA_COUNTS");
    if (!folder) return nullptr;
    std::string name = std::string(folder) + "/" + std::to_string(::getpid()) + ".XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return nullptr;
    void* at = MAP_FAILED;
    if (::ftruncate(file, sizeof(SharedCounts)) == 0)
        at = ::mmap(nullptr, sizeof(SharedCounts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return at == MAP_FAILED ? nullptr : static_cast<SharedCounts*>(at);
}

}  // namespace

SharedCounts& counts() {
    static SharedCounts* const only = [] {
        SharedCounts* found = mapped();
        if (!found) found = new SharedCounts{};
        found->version = SharedCounts::this_version;
        return found;
    }();
    return *only;
}

namespace {

template <std::size_t room>
void put(std::string_view text, std::array<char, room>& to) {
    const std::size_t length = text.copy(to.data(), room - 1);
    to[length] = '\0';
}

template <std::size_t room>
bool holds(const std::array<char, room>& text, std::string_view wanted) {
    return std::string_view(text.data()) == wanted.substr(0, room - 1);
}

}  // namespace

void count_not_computed(std::string_view name, std::string_view line) {
    SharedCounts& shared = counts();
    const std::size_t kinds = shared.not_computed_kinds;
    std::size_t at = 0;
    while (at < kinds && !(holds(shared.not_computed[at].name, name) && holds(shared.not_computed[at].line, line)))
        ++at;
    if (at == shared.not_computed.size()) {
        at = shared.not_computed.size() - 1;
    } else if (at == kinds) {
        put(name, shared.not_computed[at].name);
        put(line, shared.not_computed[at].line);
        shared.not_computed_kinds = kinds + 1;
    }
    ++shared.not_computed[at].count;
}

std::uint64_t not_computed() {
    const SharedCounts& shared = counts();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < shared.not_computed_kinds; ++i) sum += shared.not_computed[i].count;
    return sum;
}

namespace {

// The name of a kernel as in its source, without return type, template arguments and parameters.
std::string name_in_source(const std::string& symbol) {
    const std::unique_ptr<char, void (*)(void*)> whole(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                                       std::free);
    if (!whole) return symbol;
    std::string name(whole.get());
    if (name.starts_with("void ")) name.erase(0, 5);
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (auto at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed)) name.erase(at, unnamed.size());
    return name.substr(0, name.find_first_of("<("));
}

// Kernels are launched often, and few different ones.
const std::string& remembered_name(std::string_view symbol) {
    static auto* const known = new std::map<std::string, std::string, std::less<>>;
    const auto found = known->find(symbol);
    if (found != known->end()) return found->second;
    return known->emplace(symbol, name_in_source(std::string(symbol))).first->second;
}

}  // namespace

namespace {

const std::string* kernel_of_no_operator = nullptr;

}  // namespace

void count_read_back() {
    if (!kernel_of_no_operator || counts().read_back_not_known++ > 0) return;
    std::fprintf(stderr,
                 "tocuda: simulated GPUs: a value was read back that may depend on %s, which was not computed\n",
                 kernel_of_no_operator->c_str());
}

void count_kernel_not_computed(std::string_view symbol) {
    const std::string& name = remembered_name(symbol);
    if (!computes_nothing()) kernel_of_no_operator = &name;
    const std::uint64_t kinds = counts().not_computed_kinds;
    count_not_computed(name, "");
    if (counts().not_computed_kinds == kinds || computes_nothing()) return;
    std::fprintf(stderr,
                 "tocuda: simulated GPUs: no operator of LibTorch launched %s: it is not computed, and what it would "
                 "write stays as it was\n",
                 name.c_str());
}

extern "C" void* tocuda_simulation_counts(void) { return &counts(); }

extern "C" unsigned long long tocuda_simulation_otherwise(void) {
    std::uint64_t sum = counts().compiled + counts().read_back_not_known;
    for (std::size_t i = 0; i < std::min<std::size_t>(counts().not_computed_kinds, counts().not_computed.size()); ++i)
        sum += counts().not_computed[i].count;
    return sum;
}

}  // namespace tocuda::simulator
