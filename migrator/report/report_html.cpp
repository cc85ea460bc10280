#include "base/check.h"
#include "migrator/report/report_json.h"
#include "migrator/report/words.h"

namespace migrator {
namespace {

constexpr std::string_view kDataMark = "{{report_data}}";

// JSON that may stand inside a <script> element: the characters that HTML or old JavaScript give a meaning occur in
// strings only, where JSON has an escape for them.
std::string safe_in_script(std::string_view json) {
    std::string out;
    out.reserve(json.size() + json.size() / 16);
    for (std::size_t i = 0; i < json.size(); ++i) {
        char c = json[i];
        if (c == '<') {
            out += "\\u003c";
        } else if (c == '>') {
            out += "\\u003e";
        } else if (c == '&') {
            out += "\\u0026";
        } else if (json.compare(i, 3, "\xE2\x80\xA8") == 0) {
            out += "\\u2028";
            i += 2;
        } else if (json.compare(i, 3, "\xE2\x80\xA9") == 0) {
            out += "\\u2029";
            i += 2;
        } else {
            out += c;
        }
    }
    return out;
}

void write_titles(base::JsonWriter& json) {
    json.begin_object();
    json.key("kind").begin_object();
    for (FindingKind kind : kAllKinds) json.key(name(kind)).string(title(kind));
    json.end_object();
    json.key("state").begin_object();
    for (FixState state : kAllStates) json.key(name(state)).string(title(state));
    json.end_object();
    json.end_object();
}

}  // namespace

std::string report_html(const Report& report, std::string_view template_html) {
    base::JsonWriter json(0);
    json.begin_object();
    write_report_head(json, report);
    write_titles(json.key("titles"));
    json.key("files").begin_array();
    for (const ReportFile& file : report.files) {
        json.begin_object();
        write_report_file(json, file);
        json.key("diff").string(file.text_diff.empty() ? file.diff : file.text_diff);
        json.end_object();
    }
    json.end_array();
    json.end_object();

    std::size_t mark = template_html.find(kDataMark);
    CHECK(mark != std::string_view::npos);
    std::string page(template_html.substr(0, mark));
    page += safe_in_script(std::move(json).take());
    page += template_html.substr(mark + kDataMark.size());
    return page;
}

}  // namespace migrator
