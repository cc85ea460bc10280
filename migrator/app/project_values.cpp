#include "migrator/app/project_values.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <unordered_set>

#include "base/parallel.h"
#include "base/text.h"
#include "migrator/match/value_ends.h"

namespace migrator {
namespace {

// A constant is followed through this many files.
constexpr int kMaxRounds = 4;
// Bindings are kept for the next round, and for the analysis, as long as they take no more than this.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20;

using Filter = std::function<bool(std::string_view text)>;
using Work = std::function<void(const ParsedText& parsed, const MatchContext& context)>;

class Tracer {
public:
    Tracer(base::FileSystem& fs, const Options& options, const Knowledge& knowledge, const Project& project)
        : fs_(fs), options_(options), knowledge_(knowledge), project_(project) {}

    base::Result<ValueEnds> run() {
        std::map<ValueEnd, EndUse> uses;
        std::set<ValueEnd> wanted;
        std::mutex mutex;
        TRY(visit([&](std::string_view text) { return holds_value(text); },
                  [&](const ParsedText& parsed, const MatchContext& context) {
                      std::set<ValueEnd> found = open_ends(parsed, context);
                      const std::lock_guard lock(mutex);
                      wanted.merge(found);
                  }));
        for (int round = 0; round < kMaxRounds && !wanted.empty(); ++round) {
            std::unordered_set<std::string_view> words;
            for (const ValueEnd& end : wanted) words.insert(last_word(end));
            std::map<ValueEnd, EndUse> round_uses;
            TRY(visit([&](std::string_view text) { return has_word_of(text, words); },
                      [&](const ParsedText& parsed, const MatchContext& context) {
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
        return ValueEnds(uses);
    }

private:
    // All Python files whose text passes the filter, on several threads.
    base::Status visit(const Filter& filter, const Work& work) {
        const std::vector<FoundFile>& files = project_.files.files;
        return base::parallel_for(files.size(), options_.threads, [&](std::size_t i) -> base::Status {
            if (!files[i].analysed || files[i].type != FileType::python) return {};
            if (ParsedFile* kept = project_.parsed[i].get()) {
                if (!kept->source.problem && filter(kept->source.text)) look_at(files[i], *kept, work);
                return {};
            }
            auto source = read_source(fs_, project_, i);
            // What cannot be read is told of when it is analysed.
            if (!source || source->problem || !filter(source->text)) return {};
            ParsedFile parsed{std::move(*source), {}, {}};
            parsed.tree = SyntaxTree::parse(parsed.source.text);
            look_at(files[i], parsed, work);
            return {};
        });
    }

    void look_at(const FoundFile& file, ParsedFile& parsed, const Work& work) {
        MatchContext context;
        context.rules = &knowledge_.rules;
        context.facts = &knowledge_.facts;
        context.module = module_context(project_, file.path);
        context.project_members = project_.members;
        const bool is_new = !parsed.bindings;
        if (is_new) parsed.bindings = Bindings::analyse(parsed.tree, knowledge_.facts, context.module);
        work({&parsed.tree, &*parsed.bindings}, context);
        if (is_new && (kept_ += parsed.bindings->bytes()) > kKeptBytes) parsed.bindings.reset();
    }

    bool holds_value(std::string_view text) const {
        for (const ValueRow& row : knowledge_.rules.values()) {
            for (const std::string& token : row.tokens) {
                if (text.find(token) != text.npos) return true;
            }
        }
        return false;
    }

    static bool has_word_of(std::string_view text, const std::unordered_set<std::string_view>& words) {
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = at;
            while (end < text.size() && base::is_word_char(text[end])) ++end;
            if (end > at && words.contains(text.substr(at, end - at))) return true;
            at = end + 1;
        }
        return false;
    }

    static void add(EndUse& into, const EndUse& use) {
        if (use.certainty) into.certainty = std::max(into.certainty, use.certainty);
        into.further.insert(use.further.begin(), use.further.end());
    }

    base::FileSystem& fs_;
    const Options& options_;
    const Knowledge& knowledge_;
    const Project& project_;
    std::atomic<std::size_t> kept_ = 0;  // bytes of bindings
};

}  // namespace

base::Status find_value_ends(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                             std::vector<Project>& projects) {
    for (Project& project : projects) {
        TRY_ASSIGN(ValueEnds ends, Tracer(fs, options, knowledge, project).run());
        project.value_ends = std::make_shared<const ValueEnds>(std::move(ends));
    }
    return {};
}

}  // namespace migrator
