#include "migrator/project/file_rounds.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/text.h"

namespace migrator {
namespace {

// Trees and bindings are kept for the next round, and for the analysis, as long as they take no more than this.
constexpr std::size_t kResolvedBytes = std::size_t{36} << 20;

}  // namespace

FileRounds::FileRounds(base::FileSystem& fs, int threads, const Knowledge& knowledge, const Project& project)
    : fs_(fs), threads_(threads), knowledge_(knowledge), project_(project), names_(project.files.files.size()) {
    for (const auto& kept : project.parsed) {
        if (kept && kept->bindings) kept_ += kept->tree.bytes() + kept->bindings->bytes();
    }
}

base::Status FileRounds::visit(const Filter& filter, const Work& work) {
    const std::vector<FoundFile>& files = project_.files.files;
    return base::parallel_for(files.size(), threads_, [&](std::size_t i) -> base::Status {
        if (!files[i].analysed || files[i].type != FileType::python) return {};
        if (ParsedFile* kept = project_.parsed[i].get()) {
            if (!kept->source.problem && filter(i, kept->source.text)) look_at_kept(i, *kept, work);
            return {};
        }
        auto source = read_source(fs_, project_, i);
        // What cannot be read is told of when it is analysed.
        if (!source || source->problem || !filter(i, source->text)) return {};
        ParsedFile parsed{std::move(*source), {}};
        parsed.tree = SyntaxTree::parse(parsed.source.text);
        look_at(i, parsed, work);
        return {};
    });
}

void FileRounds::look_at_kept(std::size_t number, ParsedFile& kept, const Work& work) {
    const bool is_new = !kept.bindings;
    kept.unpack();
    look_at(number, kept, work);
    if (!is_new) return;
    if ((kept_ += kept.tree.bytes() + kept.bindings->bytes()) > kResolvedBytes) return kept.pack();
    kept.packed.clear();
    kept.packed.shrink_to_fit();
}

void FileRounds::look_at(std::size_t number, ParsedFile& parsed, const Work& work) {
    const MatchContext context = match_context(knowledge_, project_, project_.files.files[number].path);
    if (!parsed.bindings) parsed.bindings = Bindings::analyse(parsed.tree, knowledge_.facts, context.module);
    work(number, {&parsed.tree, &*parsed.bindings}, context);
    if (names_[number].empty()) names_[number] = parsed.bindings->shared_name_hashes();
}

bool mentions(std::string_view text, const std::unordered_set<std::string_view>& words) {
    return !words.empty() && base::any_word(text, [&](std::string_view word) { return words.contains(word); });
}

bool has_any(const std::vector<std::uint32_t>& names, const std::vector<std::uint32_t>& wanted) {
    return std::ranges::any_of(wanted, [&](std::uint32_t hash) { return std::ranges::binary_search(names, hash); });
}

}  // namespace migrator
