#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

#include "base/format.h"
#include "base/printable.h"
#include "base/shell_word.h"

namespace {

// Of what shells, terminals and our own messages take for something else.
constexpr std::array<std::string_view, 48> kPieces{"a",
                                                   "train",
                                                   " ",
                                                   "  ",
                                                   "\t",
                                                   "\n",
                                                   "\r",
                                                   "'",
                                                   "\"",
                                                   "`",
                                                   "$",
                                                   "$(id)",
                                                   "${x}",
                                                   "\\",
                                                   "\\x41",
                                                   "\\u00e9",
                                                   "\\n",
                                                   "!",
                                                   "!!",
                                                   ";",
                                                   "&&",
                                                   "|",
                                                   ">f",
                                                   "<",
                                                   "*",
                                                   "?",
                                                   "[a]",
                                                   "{a,b}",
                                                   "~",
                                                   "~root",
                                                   "#",
                                                   "=",
                                                   "-",
                                                   "--x=",
                                                   "/",
                                                   ".",
                                                   "..",
                                                   "(",
                                                   ")",
                                                   "\x1b[2J",
                                                   "\x7f",
                                                   "\xff",
                                                   "\xc3",
                                                   "\xe4\xb8\xad",
                                                   "\xc2\x85",
                                                   "\xe2\x80\xae",
                                                   "\xef\xbb\xbf",
                                                   "%s%n"};

std::vector<std::string> odd_names(std::size_t count) {
    std::mt19937 random(20);  // NOLINT: the same names each time
    std::vector<std::string> out{""};
    for (const std::string_view piece : kPieces) out.emplace_back(piece);
    while (out.size() < count) {
        std::string name;
        for (std::uint32_t left = 1 + random() % 6; left > 0; --left) {
            // A fourth of it is any byte but NUL, of which no name has one.
            if (random() % 4 == 0) name += static_cast<char>(1 + random() % 255);
            else name += kPieces[random() % kPieces.size()];
        }
        out.push_back(std::move(name));
    }
    return out;
}

// What bash reads of the words, each with a NUL byte after it.
std::string read_by_bash(const std::string& words) {
    const auto script =
        std::filesystem::temp_directory_path() / base::format("shell_word_{}.sh", std::random_device()());
    std::ofstream(script, std::ios::binary) << "cd /\nprintf '%s\\0'" << words << "\n";
    const auto close = [](std::FILE* pipe) { ::pclose(pipe); };
    std::string out;
    {
        const std::unique_ptr<std::FILE, decltype(close)> pipe(
            ::popen(("LC_ALL=C.UTF-8 bash " + script.string()).c_str(), "r"), close);
        std::array<char, 1 << 16> part{};
        while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe.get()))
            out.append(part.data(), got);
    }
    std::filesystem::remove(script);
    return out;
}

}  // namespace

TEST_CASE("shell_word: bash reads 10,000 odd names back, byte for byte") {
    if (std::system("bash -c true >/dev/null 2>&1") != 0) {
        MESSAGE("skipped: there is no bash");
        return;
    }
    std::string words, wanted;
    for (const std::string& name : odd_names(10'000)) {
        const std::string word = base::shell_word(name);
        // So it can stand in a message, which is one line and printable.
        REQUIRE(base::printable(word) == word);
        words += " " + word;
        wanted += name + std::string(1, '\0');
    }
    CHECK(read_by_bash(words) == wanted);
}

TEST_CASE("shell_word: what needs no quotes has none, and a path is no option") {
    CHECK(base::shell_word("out/x.py:12") == "out/x.py:12");
    CHECK(base::shell_word("--report=r") == "--report=r");
    CHECK(base::shell_word("") == "''");
    CHECK(base::shell_word("=ls") == "'=ls'");
    CHECK(base::shell_word("~/x") == "'~/x'");
    CHECK(base::shell_word("it's") == "'it'\\''s'");
    CHECK(base::shell_word("a\nb") == "$'a\\012b'");
    CHECK(base::shell_path("-p") == "./-p");
    CHECK(base::shell_paths({"a b", "c"}) == "'a b' c");
}
