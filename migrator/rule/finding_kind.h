// The words that rules and findings share.
#pragma once

#include <string_view>

#include "base/record.h"
#include "migrator/semantic/reference.h"

namespace migrator {

enum class Severity {
    info,     // worth knowing
    warning,  // likely to need attention on the NPU
    error,    // will not work on the NPU as it stands
};

// What a finding is about; reports group by it.
enum class FindingKind {
    cuda_api,       // a name of torch.cuda or its neighbours
    device_string,  // "cuda", "cuda:0" where a device is meant
    backend,        // distributed back ends
    amp,
    profiler,
    third_party,     // a package, with what it is on Ascend
    cuda_extension,  // custom CUDA code and its build
    environment,     // environment variables
    api_support,     // a torch API with restrictions on the NPU
    affinity,        // a faster NPU form exists
    advice,
    file,  // something about a whole file: not decodable, not parsable, skipped
};

// What is left to a person, the cheapest first; of a finding that was fixed, nothing. rules/README.md says what each is.
enum class Effort { none, check, edit, replace, port, rewrite };

std::string_view name(Severity severity);
std::string_view name(FindingKind kind);
std::string_view name(Effort effort);

// Of a rule that does not say: what is worth knowing costs nothing, the rest a look.
constexpr Effort usual_effort(Severity severity) { return severity == Severity::info ? Effort::none : Effort::check; }

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::Severity> =
    std::to_array({migrator::Severity::info, migrator::Severity::warning, migrator::Severity::error});
template <>
inline constexpr auto base::kAll<migrator::FindingKind> = [] {
    using enum migrator::FindingKind;
    return std::to_array({cuda_api, device_string, backend, amp, profiler, third_party, cuda_extension, environment,
                          api_support, affinity, advice, file});
}();
template <>
inline constexpr auto base::kAll<migrator::Effort> = [] {
    using enum migrator::Effort;
    return std::to_array({none, check, edit, replace, port, rewrite});
}();
template <>
inline constexpr auto base::kAll<migrator::Certainty> =
    std::to_array({migrator::Certainty::resolved, migrator::Certainty::likely, migrator::Certainty::textual});
