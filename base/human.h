// Sizes, rates and durations as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace base {

std::string human_bytes(std::uint64_t bytes);      // "1.2 GB": powers of 1000, as disks are sold
std::string human_count(std::uint64_t count);      // "6.74 B"; exact below 10,000
std::string human_duration(double seconds);        // "3.2 s", "4 min 05 s", "2 h 03 min"
std::string hexadecimal(std::uint64_t number);     // "00000000000004d2"
std::string hexadecimal(std::string_view bytes);   // "04d2"
std::string with_separators(std::uint64_t count);  // "1,234,567"
// "1 file", "2 files"
std::string plural(std::uint64_t count, const std::string& one, const std::string& many = {});

// Names for a message: "a, b, c, d, e and 12 more".
std::string listed(std::vector<std::string> names);

}  // namespace base
