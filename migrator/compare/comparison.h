// Comparison: two profiles side by side, and what is written of them.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/language.h"
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
    bool kernels_by_type = false;  // from the table by type, in place of that of each kernel
    std::string flow_category;     // of a GPU; empty: those that are known

    bool wants(ComparePart part) const { return parts.empty() || parts.contains(part); }
};

struct Comparison {
    ProfileSide base, compared;
    Sheet distribution;
    std::vector<Sheet> sheets;

    // Damage of files, which a run must not end without.
    std::vector<std::string> damage() const;
    std::string text(const base::Language& say) const;
    std::string json() const;
};

// Fails as read_side does.
base::Result<Comparison> compare_profiles(base::FileSystem& fs, const base::DataStore& store,
                                          const CompareRequest& request);

}  // namespace migrator
