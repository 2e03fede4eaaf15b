// tocuda, Apache-2.0.
// Where claims come from: the id of a claim of a question-and-answer document begins with its number, that of a claim
// of today with T.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tocuda {

inline constexpr std::array<std::string_view, 5> document_titles{
    "Why is a PyTorch Tensor failing to move to the GPU?",
    "Why does PyTorch's .to('cuda') or .cuda() method fail to transfer tensors to the GPU?",
    "Why can't the tensor be moved to GPU memory?",
    "Why is a tensor on CUDA attempting to use CPU storage?",
    "Why isn't my GPU being used by PyTorch?",
};

inline bool is_of_today(std::string_view claim) { return claim.starts_with("T-"); }

inline std::string source_of(std::string_view claim) {
    for (std::size_t i = 0; i < document_titles.size(); ++i)
        if (claim.starts_with("00" + std::to_string(i) + "-"))
            return "document 00" + std::to_string(i) + ", \"" + std::string(document_titles[i]) + "\" (2025-01-30)";
    return is_of_today(claim) ? "said today, in issues and pull requests"
                              : "seen in the field; in none of the documents";
}

}  // namespace tocuda
