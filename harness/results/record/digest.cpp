// tocuda, Apache-2.0.
#include "record/digest.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "model/parameter_values.hpp"

namespace tocuda {

std::string sha256_of(std::string_view bytes) {
    Digest digest;
    digest.add(bytes);
    return digest.hex();
}

std::string row_id(const std::string& benchmark, const Parameters& parameters, int protocol_version) {
    Digest digest;
    digest.add(benchmark + "\n");
    for (const auto& [name, value] : parameters) digest.add(name + "=" + plain(value) + "\n");
    digest.add(fmt::format("protocol {}\n", protocol_version));
    return digest.hex().substr(0, 16);
}

struct Digest::Context {
    EVP_MD_CTX* handle = EVP_MD_CTX_new();
    Context() = default;
    ~Context() { EVP_MD_CTX_free(handle); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

Digest::Digest() : context(std::make_unique<Context>()) {
    if (EVP_DigestInit_ex(context->handle, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("libcrypto has no SHA-256");
}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::add(std::string_view bytes) { EVP_DigestUpdate(context->handle, bytes.data(), bytes.size()); }

std::string Digest::hex() const {
    Context copy;  // finalising ends a context, and more bytes may follow
    EVP_MD_CTX_copy_ex(copy.handle, context->handle);
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(copy.handle, bytes.data(), &size);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4U];
        text += digits[bytes[i] & 15U];
    }
    return text;
}

}  // namespace tocuda
