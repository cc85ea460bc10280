#include "base/cann.h"

#include "base/format.h"
#include "base/page_template.h"
#include "base/paths.h"
#include "base/rule_file.h"

namespace base {
namespace {

struct CannPlaces : RuleFileHead {
    std::vector<std::string> set_env;
    std::vector<std::string> nnal;
};
constexpr auto record_of(const CannPlaces*) {
    return extended(record_of(static_cast<const RuleFileHead*>(nullptr)), "cann", "where CANN lies",
                    field("set_env", &CannPlaces::set_env, "usual places of its set_env.sh, the first wins").needed(),
                    field("nnal", &CannPlaces::nnal, "the same of NNAL").needed());
}

Result<CannPlaces> load_places(const DataStore& store) {
    return read_rule_record<CannPlaces>(store, "rules/start/cann.json");
}

std::string in_quotes(const std::vector<std::string>& paths) {
    std::vector<std::string> quoted;
    for (const std::string& path : paths) quoted.push_back(format("\"{}\"", path));
    return joined(quoted, " ");
}

}  // namespace

Result<std::string> cann_lines(const DataStore& store) {
    TRY_ASSIGN(const CannPlaces places, load_places(store));
    TRY_ASSIGN(const std::string_view lines, template_text(store, "templates/start/cann.sh"));
    std::string out =
        filled_page(lines, {{"{{places}}", in_quotes(places.set_env)}, {"{{nnal}}", in_quotes(places.nnal)}});
    out.pop_back();
    return out;
}

Result<std::vector<std::string>> cann_scripts(const DataStore& store) {
    TRY_ASSIGN(const CannPlaces places, load_places(store));
    std::vector<std::string> out;
    for (const auto* paths : {&places.set_env, &places.nnal})
        for (const std::string& path : *paths) out.emplace_back(file_name(path));
    return out;
}

}  // namespace base
