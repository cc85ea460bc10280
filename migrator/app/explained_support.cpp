#include "migrator/app/explained_support.h"

#include <algorithm>

#include "base/format.h"

namespace migrator {
namespace {

// What follows a semicolon is no sentence of its own.
std::string without_stop(std::string text) {
    for (const std::string_view stop : {".", "。"}) {
        if (text.ends_with(stop)) text.resize(text.size() - stop.size());
    }
    return text;
}

std::string support_text(const base::Language& say, const ApiTable::Facts& facts) {
    switch (facts.support) {
        case ApiSupport::unknown: return say.text("not known");
        case ApiSupport::no:
            return facts.quiet ? say.text("works, although the pages say it is not supported")
                               : say.text("not supported");
        case ApiSupport::partly: break;
        case ApiSupport::yes: break;
    }
    std::string out = facts.support == ApiSupport::partly ? say.text("supported with limits") : say.text("supported");
    if (!facts.dtypes.empty()) out += say.format("; types of elements: {}", base::joined(facts.dtypes, ", "));
    for (const ApiLimit* limit : facts.limits) out += say.format("; {}", without_stop(say.text(limit->text)));
    return out;
}

}  // namespace

std::vector<Support> support_of(const base::Language& say, const RuleSet& rules, const std::string& word) {
    std::vector<Version> versions = rules.framework.versions;
    std::sort(versions.begin(), versions.end());
    std::vector<Support> out;
    for (const Version version : versions) {
        const auto facts = rules.apis.find(word, version);
        if (!facts) return {};
        Support now{version, version, support_text(say, *facts)};
        if (!out.empty() && out.back() == now) out.back().last = version;
        else out.push_back(std::move(now));
    }
    return out;
}

}  // namespace migrator
