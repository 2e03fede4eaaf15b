// tocuda, Apache-2.0.
// Reads words, numbers and amounts from an error text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tocuda::doctor {

// The first characters of a text, with each run of white space and of the bars that draw boxes around tracebacks as one
// space, so that a message is found even where a terminal has wrapped it.
std::string flattened(std::string_view text, std::size_t most = 4096);

// The line that contains a place, without its end.
std::string_view line_around(std::string_view text, std::size_t at);

// That line without control characters, at most 300 characters of it around the place.
std::string quote(std::string_view text, std::size_t at);

// Whether a line only tells what a library does, or tried: INFO and DEBUG lines, the probing of TensorFlow.
bool is_mention(std::string_view line);

// Whether a line is a warning of a log: what is raised after it is nearer to the cause. (The warnings of PyTorch itself
// name causes.)
bool is_warning(std::string_view line);

// Whether the words at a place are CUDA's own name of an error: those of CUDA stand close by in the line, as in
// "CUDA error: invalid argument", "cuda runtime error (11) : invalid argument", "Cuda failure 'invalid argument'".
bool is_said_by_cuda(std::string_view text, std::size_t at);

// Whether NCCL raises what CUDA says there: "ncclUnhandledCudaError: ...\nLast error:\nCuda failure 'invalid
// argument'".
bool is_last_error_of_nccl(std::string_view text, std::size_t at);

// The text before a place, and from it on: at most so many characters of each.
std::string_view text_near(std::string_view text, std::size_t at, std::size_t before, std::size_t after);

bool contains(std::string_view text, std::string_view words);
bool contains_any(std::string_view text, std::initializer_list<std::string_view> words);

// Whether the text says, as a program or a person does, that is_available() is False: ">>>
// torch.cuda.is_available()\nFalse", "is_available() returns False". `at` is where the call stands.
inline constexpr std::string_view is_available_call = "is_available()";
bool is_said_to_be_false(std::string_view text, std::size_t at);

// Whether one of them begins where a word begins: "tegra" is in "5.15.148-tegra", not in "integration".
bool contains_any_word(std::string_view text, std::initializer_list<std::string_view> words);

// What follows `label`, up to `end`; nullopt if either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view label, std::string_view end);
std::optional<std::string_view> between(std::string&& text, std::string_view label, std::string_view end) = delete;

// The number after `label`; nullopt if there is none.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view label);

// "1.50 GiB", "512 bytes", "24 MB": the amount that follows or precedes `label`, in bytes.
std::optional<std::int64_t> amount_after(std::string_view text, std::string_view label);
std::optional<std::int64_t> amount_before(std::string_view text, std::string_view label);

// "1.50 GiB": as LibTorch writes amounts.
std::string amount_text(std::int64_t bytes);

// "12.8" for 12080.
std::string cuda_text(std::int64_t version);

// The word that ends where `end` begins: "libcudnn.so.9".
std::string_view word_before(std::string_view text, std::size_t end);

}  // namespace tocuda::doctor
