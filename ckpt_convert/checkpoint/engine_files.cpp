#include "ckpt_convert/checkpoint/engine_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/name_parts.h"

namespace ckpt {
namespace {

constexpr std::string_view kModelFileEnd = "_model_states.pt", kOptimizerFileEnd = "_optim_states.pt";
constexpr std::string_view kModelRank = "mp_rank_", kDataRank = "zero_pp_rank_", kExpertRank = "expp_rank_";
constexpr std::string_view kLayer = "layer_", kExpert = "expert_";

struct ParsedFile {
    enum class Kind { model, optimizer, expert, expert_optimizer } kind = Kind::model;
    std::uint64_t model_rank = 0;
    std::pair<std::uint64_t, std::uint64_t> number;  // the data parallel rank; of experts layer and expert
};

// "_3" after a word
std::optional<std::uint64_t> number_after(std::string_view& text, std::string_view word) {
    return skip_word(text, word) ? skip_number(text) : std::nullopt;
}

std::optional<ParsedFile> parse_file(std::string_view file) {
    ParsedFile out;
    bool has_front = false;
    if (const std::size_t data = file.find(kDataRank); data != file.npos) {
        file.remove_prefix(data);
        const auto rank = number_after(file, kDataRank);
        if (!rank || !skip_word(file, "_")) return std::nullopt;
        out.number = {0, *rank};
        has_front = true;
    } else if (file.starts_with(kLayer) || file.starts_with(kExpert)) {
        const auto layer = number_after(file, kLayer);
        if (layer && !skip_word(file, "_")) return std::nullopt;
        const auto expert = number_after(file, kExpert);
        if (!expert || !skip_word(file, "_")) return std::nullopt;
        out.kind = ParsedFile::Kind::expert;
        out.number = {layer.value_or(0), *expert};
    } else if (file.starts_with(kExpertRank)) {
        const auto rank = number_after(file, kExpertRank);
        if (!rank || !skip_word(file, "_")) return std::nullopt;
        out.kind = ParsedFile::Kind::expert_optimizer;
    }
    const auto rank = number_after(file, kModelRank);
    if (!rank) return std::nullopt;
    out.model_rank = *rank;
    const bool is_optimizer =
        out.kind == ParsedFile::Kind::expert_optimizer || (has_front && file == kOptimizerFileEnd);
    if (is_optimizer && out.kind == ParsedFile::Kind::model) out.kind = ParsedFile::Kind::optimizer;
    return file == (is_optimizer ? kOptimizerFileEnd : kModelFileEnd) ? std::optional(out) : std::nullopt;
}

using Numbered = std::vector<std::pair<std::pair<std::uint64_t, std::uint64_t>, std::string>>;

std::vector<std::string> names_of(Numbered files) {
    std::sort(files.begin(), files.end());
    std::vector<std::string> out;
    for (auto& [number, name] : files) out.push_back(std::move(name));
    return out;
}

}  // namespace

bool is_engine_file(std::string_view file) {
    const auto parsed = parse_file(file);
    return parsed && (parsed->kind == ParsedFile::Kind::model || parsed->kind == ParsedFile::Kind::optimizer);
}

Result<std::vector<EngineFiles>> find_engine_files(base::FileSystem& fs, const Path& directory) {
    struct Found {
        Numbered models, optimizers, experts;
        bool has_expert_optimizer = false;
    };
    std::map<std::uint64_t, Found> found;
    TRY_ASSIGN(const auto entries, fs.list(directory));
    for (const auto& entry : entries) {
        const auto file = parse_file(entry.name);
        if (!file) continue;
        Found& of_rank = found[file->model_rank];
        switch (file->kind) {
            case ParsedFile::Kind::model: of_rank.models.emplace_back(file->number, entry.name); break;
            case ParsedFile::Kind::optimizer: of_rank.optimizers.emplace_back(file->number, entry.name); break;
            case ParsedFile::Kind::expert: of_rank.experts.emplace_back(file->number, entry.name); break;
            case ParsedFile::Kind::expert_optimizer: of_rank.has_expert_optimizer = true;
        }
    }
    std::vector<EngineFiles> out;
    for (auto& [rank, files] : found) {
        if (rank != out.size() || files.models.empty())
            return base::fail(ErrorKind::bad_input,
                              "the file with the names and shapes of the weights is missing; is the copy complete?",
                              base::join(directory, base::format("{}{:02}{}", kModelRank, out.size(), kModelFileEnd)));
        out.push_back({names_of(std::move(files.models)), names_of(std::move(files.optimizers)),
                       names_of(std::move(files.experts)), files.has_expert_optimizer});
    }
    return out;
}

Status check_optimizer_files(const EngineFiles& files, std::uint64_t told, const Path& directory) {
    const bool one_more = files.optimizers.size() < told && !files.optimizers.empty();
    for (std::size_t rank = 0; rank < files.optimizers.size() + one_more; ++rank) {
        if (rank < files.optimizers.size() && parse_file(files.optimizers[rank])->number.second == rank) continue;
        if (rank > 0 && rank < files.optimizers.size() && parse_file(files.optimizers[rank])->number.second == rank - 1)
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} is of the same rank; are files of two runs mixed?", files.optimizers[rank - 1]),
                base::join(directory, files.optimizers[rank]));
        return base::fail(ErrorKind::bad_input,
                          base::format("the optimizer's file of rank {} is missing; is the copy complete?", rank),
                          directory);
    }
    return {};
}

}  // namespace ckpt
