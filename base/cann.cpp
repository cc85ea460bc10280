#include "base/cann.h"

#include <vector>

#include "base/format.h"
#include "base/page_template.h"
#include "base/rule_file.h"

namespace base {
namespace {

struct CannPlaces : RuleFileHead {
    std::vector<std::string> set_env;
};
constexpr auto record_of(const CannPlaces*) {
    return extended(record_of(static_cast<const RuleFileHead*>(nullptr)), "cann", "where CANN lies",
                    field("set_env", &CannPlaces::set_env, "usual places of its set_env.sh, the first wins").needed());
}

}  // namespace

Result<std::string> cann_lines(const DataStore& store) {
    TRY_ASSIGN(const CannPlaces places, read_rule_record<CannPlaces>(store, "rules/start/cann.json"));
    std::vector<std::string> quoted;
    for (const std::string& path : places.set_env) quoted.push_back(format("\"{}\"", path));
    TRY_ASSIGN(const std::string_view lines, template_text(store, "templates/start/cann.sh"));
    std::string out = filled_page(lines, {{"{{places}}", joined(quoted, " ")}});
    out.pop_back();
    return out;
}

}  // namespace base
