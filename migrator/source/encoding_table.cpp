#include "migrator/source/encoding_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <mutex>

#include "base/check.h"
#include "base/data_store.h"
#include "base/utf8.h"

namespace migrator {
namespace {

// Numbers from here on are sequences of four bytes. Each byte of them counts in a range of its own, the last one fastest.
constexpr std::uint32_t kFourBytes = 1u << 24;
struct Digit {
    unsigned char first;
    std::uint32_t count;
};
constexpr std::array<Digit, 4> kDigits{{{0x81, 126}, {0x30, 10}, {0x81, 126}, {0x30, 10}}};

std::optional<std::uint32_t> sequence_number(std::string_view bytes) {
    std::uint32_t number = 0;
    if (bytes.size() < kDigits.size()) {
        for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
        return number;
    }
    for (std::size_t i = 0; i < kDigits.size(); ++i) {
        const std::uint32_t digit = static_cast<unsigned char>(bytes[i]) - std::uint32_t{kDigits[i].first};
        if (digit >= kDigits[i].count) return std::nullopt;
        number = number * kDigits[i].count + digit;
    }
    return kFourBytes + number;
}

void append_sequence(std::string& out, std::uint32_t number) {
    std::array<char, 4> bytes{};
    std::size_t at = bytes.size();
    if (number >= kFourBytes) {
        number -= kFourBytes;
        while (at > 0) {
            --at;
            bytes[at] = static_cast<char>(kDigits[at].first + number % kDigits[at].count);
            number /= kDigits[at].count;
        }
    }
    for (; number > 0; number >>= 8) bytes[--at] = static_cast<char>(number & 0xFF);
    out.append(bytes.data() + at, bytes.size() - at);
}

std::uint32_t hexadecimal(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    CHECK(error == std::errc{} && end == digits.data() + digits.size());
    return value;
}

std::uint32_t sequence_of_digits(std::string_view digits) {
    std::string bytes;
    for (; !digits.empty(); digits.remove_prefix(2)) bytes += static_cast<char>(hexadecimal(digits.substr(0, 2)));
    return sequence_number(bytes).value();
}

// The last run that starts at `value` or before it, when it reaches that far; `start` is the member that the runs are sorted by.
template <typename Run, typename Value>
const Run* run_with(const std::vector<Run>& runs, Value Run::*start, Value value) {
    auto next = std::ranges::upper_bound(runs, value, {}, start);
    if (next == runs.begin()) return nullptr;
    const Run& run = *--next;
    return value - run.*start < run.count ? &run : nullptr;
}

}  // namespace

const EncodingTable& EncodingTable::of(std::string_view encoding) {
    static std::mutex mutex;
    static std::map<std::string, EncodingTable, std::less<>> tables;
    const std::lock_guard lock(mutex);
    if (auto found = tables.find(encoding); found != tables.end()) return found->second;
    const std::string path = "rules/encodings/" + std::string(encoding) + ".txt";
    const auto files = base::embedded_files();
    const auto file = std::ranges::find(files, path, &base::EmbeddedFile::path);
    CHECK(file != files.end());
    return tables.try_emplace(std::string(encoding), file->content).first->second;
}

EncodingTable::EncodingTable(std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        add_line(lines.substr(0, end));
        lines.remove_prefix(end + 1);
    }
    std::ranges::sort(by_sequence_, {}, &Run::sequence);
    std::ranges::sort(by_character_, {}, &Run::code_point);
}

void EncodingTable::add_line(std::string_view line) {
    const bool written = !line.starts_with('<');
    if (!written) line.remove_prefix(1);
    const std::size_t space = line.find(' ');
    std::string_view characters = line.substr(space + 1);
    const std::string_view sequences = line.substr(0, space);
    const std::size_t dash = sequences.find('-');
    std::uint32_t sequence = sequence_of_digits(sequences.substr(0, dash));
    if (dash != std::string_view::npos) {
        const std::uint32_t last = sequence_of_digits(sequences.substr(dash + 1));
        return add({sequence, hexadecimal(characters), last - sequence + 1}, written);
    }
    for (; !characters.empty(); ++sequence) {
        const std::size_t length = base::utf8_sequence_length(characters);
        add({sequence, base::utf8_code_point(characters.substr(0, length)), 1}, written);
        characters.remove_prefix(length);
    }
}

void EncodingTable::add(const Run& run, bool written) {
    by_sequence_.push_back(run);
    if (written) by_character_.push_back(run);
}

std::optional<EncodingTable::Character> EncodingTable::first(std::string_view bytes) const {
    for (std::size_t length = 1; length <= std::min(bytes.size(), kDigits.size()); ++length) {
        const auto number = sequence_number(bytes.substr(0, length));
        const Run* run = number ? run_with(by_sequence_, &Run::sequence, *number) : nullptr;
        if (run != nullptr) return Character{run->code_point + (*number - run->sequence), length};
    }
    return std::nullopt;
}

bool EncodingTable::append(std::string& out, char32_t code_point) const {
    const Run* run = run_with(by_character_, &Run::code_point, code_point);
    if (run == nullptr) return false;
    append_sequence(out, run->sequence + (code_point - run->code_point));
    return true;
}

}  // namespace migrator
