// Comparison: two profiles side by side, and what is written of them.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/language.h"
#include "migrator/compare/module_sheets.h"
#include "migrator/compare/operator_causes.h"
#include "migrator/compare/operator_pairs.h"
#include "migrator/compare/profile_side.h"
#include "migrator/compare/sheet.h"

namespace migrator {

// The parts of a comparison, by the words of --only.
enum class ComparePart : std::uint8_t { overall, communication, operators, memory, calls, kernels };

// Their words, in the order of the enumeration.
inline constexpr std::array<std::string_view, 6> kComparePartNames{"overall", "communication", "operators",
                                                                   "memory",  "calls",         "kernels"};

struct CompareRequest {
    base::Path base, compared;
    ProfileNumbers numbers = ProfileNumbers::ours;
    std::set<ComparePart> parts;  // empty: all
    std::optional<std::uint64_t> base_step, step;
    PairingOptions pairing;
    bool without_modules = false;
    bool kernels_by_type = false;  // from the table by type, in place of that of each kernel
    std::string flow_category;     // of a GPU; empty: those that are known
    ProjectCode project;

    bool wants(ComparePart part) const { return parts.empty() || parts.contains(part); }
};

// Operators of both sides, and which belong together.
struct PairedOperators {
    std::unique_ptr<OperatorTree> base, compared;
    std::unique_ptr<ModuleTree> base_modules, modules;  // nullptr: frames of Python were not asked for
    std::vector<ModulePair> module_pairs;
    std::vector<MatchedPair> pairs;
};

struct Comparison {
    std::unique_ptr<ProfileSide> base = std::make_unique<ProfileSide>(), compared = std::make_unique<ProfileSide>();
    std::unique_ptr<PairedOperators> operators;  // nullptr: they were not asked for. Sheets make their rows from them.
    Sheet distribution;
    std::vector<Sheet> sheets;
    std::vector<std::string> broken_tables;  // beside those of the sides

    // Damage of files, which a run must not end without.
    std::vector<std::string> damage() const;
    std::string text(const base::Language& say) const;
    // In parts, as it can be as long as the profiles. The comparison must outlive it.
    base::TextSource json() const;
};

// "new: NPU, worker_ascend_pt, 8 events"
std::string side_line(const base::Language& say, const std::string& title, const ProfileSide& side);

// Fails as read_side does.
base::Result<Comparison> compare_profiles(base::FileSystem& fs, const base::DataStore& store,
                                          const CompareRequest& request);

}  // namespace migrator
