#include "migrator/project/cuda_code.h"

#include <algorithm>
#include <mutex>

#include "migrator/match/cuda_code.h"
#include "migrator/project/file_rounds.h"

namespace migrator {
namespace {

// Through this many files.
constexpr int kMaxCudaRounds = 4;

class CudaSearch {
public:
    CudaSearch(base::FileSystem& fs, int threads, const Knowledge& knowledge, const Project& project)
        : project_(project), files_(fs, threads, knowledge, project), loops_(knowledge.loops) {}

    base::Result<CudaNames> run(const CudaCodeWords& words) {
        CudaNames known;
        std::vector<std::string> found;  // names that lead there, of the last round
        TRY(look([&](std::size_t, std::string_view text) { return words.any_in(text); }, known, found));
        for (int round = 0; round < kMaxCudaRounds; ++round) {
            std::vector<std::string> fresh;
            for (std::string& name : found) {
                if (known.add(name)) fresh.push_back(std::move(name));
            }
            if (fresh.empty()) break;
            found.clear();
            const Mentioned mentioned(fresh);
            TRY(look(
                [&](std::size_t file, std::string_view text) { return mentioned.may_be_in(files_.names(file), text); },
                known, found));
        }
        return known;
    }

private:
    // Files that may have to do with one of the names.
    class Mentioned {
    public:
        explicit Mentioned(const std::vector<std::string>& names) {
            for (const std::string_view name : names) {
                words_.insert(name.substr(name.rfind('.') + 1));
                hashes_.push_back(Bindings::hash_of(name));
            }
        }
        bool may_be_in(const std::vector<std::uint32_t>& names, std::string_view text) const {
            return names.empty() ? mentions(text, words_) : has_any(names, hashes_);
        }

    private:
        std::unordered_set<std::string_view> words_;
        std::vector<std::uint32_t> hashes_;
    };

    base::Status look(const FileRounds::Filter& filter, CudaNames& known, std::vector<std::string>& found) {
        std::mutex mutex;
        std::vector<CudaFlag> flags;
        TRY(files_.visit(filter, [&](std::size_t file, const ParsedText& parsed, const MatchContext& given) {
            MatchContext context = given;
            context.cuda_names = &known;
            context.loops = &loops_;
            CudaLeads leads = cuda_leads(project_.files.files[file].path, parsed, context);
            const std::lock_guard lock(mutex);
            std::ranges::move(leads.names, std::back_inserter(found));
            std::ranges::move(leads.flags, std::back_inserter(flags));
        }));
        for (CudaFlag& flag : flags) known.add_flag(std::move(flag));
        return {};
    }

    const Project& project_;
    FileRounds files_;
    const LoopFacts& loops_;
};

}  // namespace

base::Status find_cuda_code(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                            std::vector<Project>& projects) {
    const CudaCodeWords words(knowledge.rules);
    for (Project& project : projects) {
        TRY_ASSIGN(CudaNames names, CudaSearch(fs, threads, knowledge, project).run(words));
        project.cuda_names = std::make_shared<const CudaNames>(std::move(names));
    }
    return {};
}

}  // namespace migrator
