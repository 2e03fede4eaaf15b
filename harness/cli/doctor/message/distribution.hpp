// tocuda, Apache-2.0.
// The distribution of Linux that a text is from, and commands of Debian and Ubuntu as another one takes them.
#pragma once

#include <string>
#include <string_view>

namespace tocuda::doctor {

// Debian and its kin are what commands are written for, and what a text is from that shows nothing else.
// "other": one without dkms packages of NVIDIA's or Ubuntu's kind, as Unraid, Gentoo and Void.
enum class Distribution { debian, fedora, enterprise, arch, suse, nixos, other };

Distribution distribution_of(std::string_view text);

// The command as that distribution takes it; empty if it has none for it.
std::string for_distribution(const std::string& command, Distribution distribution);

}  // namespace tocuda::doctor
