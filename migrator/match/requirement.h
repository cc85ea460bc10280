// Requirement: the package that a line of a requirements file, or a string of a setup script, asks for. Private to
// this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrator/python/finding.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

// "flash-attn>=2.5 ; extra" -> "flash-attn"; "apex @ git+https://..." -> "apex"; "git+https://host/NVIDIA/apex.git#egg=apex"
// -> "apex"; "./wheels/torch_scatter-2.1-cp310.whl" -> "torch_scatter". The view is a part of `text`. nullopt for
// options, comments and everything else.
std::optional<std::string_view> required_package(std::string_view text);

// A finding for the package if the rules have something to say about it.
std::optional<Finding> package_finding(const RuleSet& rules, std::string_view package, base::ByteRange place);
Finding package_finding(const PackageRow& row, base::ByteRange place, std::string_view name);

}  // namespace migrator
