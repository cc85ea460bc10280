// ValueEnds: where constants of a domain leave one file and are taken in another: variables of modules and classes,
// parameters and results of functions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "migrator/python/match_context.h"

namespace migrator {

// A way out of a file, for one rule on values. The name is "pkg.config.DEVICE" for a variable, "pkg.utils.move(device"
// for a parameter, "*.where" for a member of objects that are not known; behind it stands how the value is wrapped in it (see ValueShape): "pkg.utils.choose()".
struct ValueEnd {
    std::string rule;
    std::string name;
    auto operator<=>(const ValueEnd&) const = default;
};

// The name without what stands for a parameter, a result or a dictionary: "pkg.utils.move".
std::string_view shared_name(const ValueEnd& end);
// The last identifier in it: files that have nothing to do with the end do not mention it.
std::string_view last_word(const ValueEnd& end);
// Whether it is a member of some object.
inline constexpr std::string_view kAnyObject = "*.";
bool is_member(std::string_view name);
// Whether the end leads on in one file only, that of the function.
bool is_parameter(const ValueEnd& end);

// Where an end leads to inside a file.
struct EndUse {
    std::optional<Certainty> certainty;  // of a place that takes values of the domain
    std::set<std::string> further;       // names of other ends
    bool lost = false;                   // it cannot be seen what becomes of it there
};

// The ends in a project that values of their domain reach, and how sure that is. Read-only once it is filled.
class ValueEnds {
public:
    // `unfollowed`: ends that nobody has looked for.
    ValueEnds(const std::map<ValueEnd, EndUse>& uses, const std::set<ValueEnd>& unfollowed);
    std::optional<Certainty> find(const std::string& rule, const std::string& name) const;
    // Whether it cannot be seen what becomes of some value that leaves through the end.
    bool is_lost(const std::string& rule, const std::string& name) const { return lost_.contains({rule, name}); }

private:
    std::map<ValueEnd, Certainty> known_;
    std::set<ValueEnd> lost_;
};

// Whether a Python file may have constants, also in commands and settings that are texts, whose ends have to be followed.
bool holds_values(const SyntaxTree& tree, const RuleSet& rules);

// The ends that the constants of a Python file reach, unless it is sure without them where they go.
std::set<ValueEnd> open_ends(const ParsedText& parsed, const MatchContext& context);

// Where `wanted` lead to in a Python file; only those that lead anywhere.
std::map<ValueEnd, EndUse> follow_ends(const ParsedText& parsed, const MatchContext& context,
                                       const std::set<ValueEnd>& wanted);

}  // namespace migrator
