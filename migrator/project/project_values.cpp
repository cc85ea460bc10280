#include "migrator/project/project_values.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "base/parallel.h"
#include "migrator/match/text_ends.h"
#include "migrator/project/file_rounds.h"
#include "migrator/values/value_ends.h"

namespace migrator {
namespace {

// A constant is followed through this many files.
constexpr int kMaxRounds = 4;
// The ends that are looked for in a round.
class Wanted {
public:
    explicit Wanted(const std::set<ValueEnd>& ends) {
        for (const ValueEnd& end : ends) {
            if (is_member(end.name)) members_.insert(last_word(end));
            else hashes_.push_back(Bindings::hash_of(shared_name(end)));
            if (is_parameter(end)) functions_.push_back(shared_name(end));
            else words_.insert(last_word(end));
        }
    }

    // Whether a file may have to do with one of them, by its text and all names that it has to do with.
    bool may_be_in(std::string_view text, const std::vector<std::uint32_t>& hashes) const {
        return has_any(hashes, hashes_) || mentions(text, members_);
    }

    // The same by the text of a module.
    bool may_be_in(std::string_view text, const std::string& module) const {
        const std::string prefix = module + ".";
        if (std::ranges::any_of(functions_, [&](std::string_view name) { return name.starts_with(prefix); }))
            return true;
        return mentions(text, words_);
    }

private:
    using Words = std::unordered_set<std::string_view>;

    std::vector<std::uint32_t> hashes_;
    std::vector<std::string_view> functions_;
    Words words_;
    Words members_;  // of those, the members of objects that are not known
};

class Tracer {
public:
    Tracer(base::FileSystem& fs, int threads, const Knowledge& knowledge, const Project& project)
        : fs_(fs),
          threads_(threads),
          knowledge_(knowledge),
          project_(project),
          files_(fs, threads, knowledge, project) {}

    base::Result<ValueEnds> run() {
        std::map<ValueEnd, EndUse> uses;
        std::set<ValueEnd> wanted;
        std::mutex mutex;
        TRY(files_.visit([&](std::size_t file, std::string_view) { return project_.holds_values[file]; },
                         [&](std::size_t, const ParsedText& parsed, const MatchContext& context) {
                             std::set<ValueEnd> found = open_ends(parsed, context);
                             found.merge(embedded_text_ends(parsed, context));
                             const std::lock_guard lock(mutex);
                             wanted.merge(found);
                         }));
        TRY(add_text_ends(wanted));
        for (int round = 0; round < kMaxRounds && !wanted.empty(); ++round) {
            const Wanted ends(wanted);
            std::map<ValueEnd, EndUse> round_uses;
            TRY(files_.visit([&](std::size_t file, std::string_view text) { return concerns(file, text, ends); },
                             [&](std::size_t, const ParsedText& parsed, const MatchContext& context) {
                                 const std::map<ValueEnd, EndUse> found = follow_ends(parsed, context, wanted);
                                 const std::lock_guard lock(mutex);
                                 for (const auto& [end, use] : found) add(round_uses[end], use);
                             }));
            wanted.clear();
            for (auto& [end, use] : round_uses) uses.insert_or_assign(end, use);
            for (const auto& [end, use] : round_uses) {
                for (const std::string& name : use.further) {
                    if (!uses.contains({end.rule, name})) wanted.insert({end.rule, name});
                }
            }
        }
        return ValueEnds(uses, wanted);
    }

private:
    // What settings and scripts say, if there is Python that may read it.
    base::Status add_text_ends(std::set<ValueEnd>& wanted) {
        const std::vector<FoundFile>& files = project_.files.files;
        const auto is_python = [](const FoundFile& file) { return file.analysed && file.type == FileType::python; };
        if (std::ranges::none_of(files, is_python)) return {};
        std::mutex mutex;
        return base::parallel_for(files.size(), threads_, [&](std::size_t i) -> base::Status {
            if (!files[i].analysed || is_python(files[i])) return {};
            const auto source = read_source(fs_, project_, i);
            if (!source || source->problem) return {};
            std::set<ValueEnd> found = open_text_ends(*source, knowledge_.rules);
            const std::lock_guard lock(mutex);
            wanted.merge(found);
            return {};
        });
    }

    bool concerns(std::size_t number, std::string_view text, const Wanted& ends) const {
        if (!files_.names(number).empty()) return ends.may_be_in(text, files_.names(number));
        return ends.may_be_in(text, project_.modules.of(project_.files.files[number].path));
    }

    static void add(EndUse& into, const EndUse& use) {
        if (use.certainty) into.certainty = std::max(into.certainty, use.certainty);
        into.lost |= use.lost;
        into.further.insert(use.further.begin(), use.further.end());
    }

    base::FileSystem& fs_;
    int threads_;
    const Knowledge& knowledge_;
    const Project& project_;
    FileRounds files_;
};

}  // namespace

base::Status find_value_ends(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                             std::vector<Project>& projects) {
    for (Project& project : projects) {
        TRY_ASSIGN(ValueEnds ends, Tracer(fs, threads, knowledge, project).run());
        project.value_ends = std::make_shared<const ValueEnds>(std::move(ends));
    }
    return {};
}

}  // namespace migrator
