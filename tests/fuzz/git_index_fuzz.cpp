// An index of git, and a shared one behind a mark: what is taken is a tree of names below the work tree, each of which is found.
#include "base/git_index.h"
#include "base/human.h"
#include "base/sha1.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

constexpr std::size_t kSumBytes = 20;

// With a checksum that is right, or inputs would end there.
std::string signed_text(std::string_view text) {
    std::string out(text.substr(0, text.size() - std::min(text.size(), kSumBytes)));
    base::Sha1 sum;
    sum.add(out);
    for (const std::uint8_t byte : sum.finish()) out += static_cast<char>(byte);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view kMark = "\n== shared\n";
    const std::string_view text = fuzz::text_of(data, size);
    const std::size_t mark = text.find(kMark);
    const std::string shared = mark == text.npos ? "" : signed_text(text.substr(mark + kMark.size()));
    std::string index(text.substr(0, mark));
    const std::size_t link = index.rfind("link");
    if (link != index.npos && link + 8 + kSumBytes <= index.size() && shared.size() >= kSumBytes)
        index.replace(link + 8, kSumBytes, shared.substr(shared.size() - kSumBytes));
    const auto parsed = base::GitIndex::parse(signed_text(index), base::GitHash::sha1,
                                              [&](const std::string&) -> base::Result<std::string> { return shared; });
    if (!parsed) return 0;
    parsed->for_each_file(base::GitIndex::kRoot, [&](const base::Path& path, const std::string& object) {
        fuzz::require(base::stays_below(path), "a path stays below the work tree");
        fuzz::require(object.size() == 2 * kSumBytes, "a file has an object");
        const auto directory = parsed->find_path(base::directory_below(path));
        fuzz::require(directory.has_value(), "the directory of a file is found");
        fuzz::require(parsed->has_file(*directory, base::file_name(path)), "a file is found");
    });
    return 0;
}
