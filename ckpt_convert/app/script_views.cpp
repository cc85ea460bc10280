#include "ckpt_convert/app/script_views.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/text_lines.h"

namespace ckpt {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size(); at = base::next_line(text, at)) out.push_back(base::line_at(text, at));
    return out;
}

// Edits stay inside their lines, so a line that changes has the same number before and after.
std::string changed_lines(const ScriptFile& file, const std::string& fixed, const base::Language& say) {
    const auto before = lines_of(file.text), after = lines_of(fixed);
    std::string out = say.show("{}\n", file.path);
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        if (before[i] != after[i]) out += say.show("{:>6} - {}\n{:>6} + {}\n", i + 1, before[i], "", after[i]);
    }
    return out;
}

// What is said is one clause; the sentences of tables end with a full stop.
std::string said(const ScriptFinding& finding, const base::Language& say) {
    if (finding.message.empty()) return say.said_of_name(finding.what);
    std::string out = say.message(finding.message);
    for (const std::string_view end : {".", "。"})
        if (out.ends_with(end)) out.resize(out.size() - end.size());
    return out;
}

}  // namespace

std::string check_text(const ScriptCheck& check, const CheckedFix& fix, const base::Language& say) {
    std::string out;
    for (const ScriptFinding& finding : check.findings) {
        out += say.show("{}:{}: {}: {}\n", check.files[finding.place.file].path, finding.line,
                        say.text(finding.severity), said(finding, say));
        out += say.show("    right: {}\n", say.said_of_name(finding.right));
    }
    for (std::size_t i = 0; i < fix.texts.size(); ++i) {
        if (fix.texts[i]) out += "\n" + changed_lines(check.files[i], *fix.texts[i], say);
    }
    for (const Path& path : fix.outside)
        out += say.show("not changed: {}, which is outside of the folder of the script; correct it by hand\n", path);
    return out + say.show("{} for {}: {}, {}, {} for advice\n", say.plural(check.programs, "program"), check.target,
                          say.plural(check.count("error"), "error"), say.plural(check.count("warning"), "warning"),
                          check.count("advice"));
}

std::string check_json(const ScriptCheck& check, const CheckedFix& fix) {
    base::JsonWriter json(0);
    json.begin_object().key("target").string(check.target).key("programs").unsigned_integer(check.programs);
    json.key("findings").begin_array();
    for (const ScriptFinding& finding : check.findings) {
        json.begin_object().key("id").string(finding.id).key("severity").string(finding.severity);
        json.key("file").string(check.files[finding.place.file].path).key("line").unsigned_integer(finding.line);
        json.key("what").string(finding.what).key("right").string(finding.right);
        json.key("can_fix").boolean(!finding.edits.empty()).end_object();
    }
    json.end_array().key("changed").begin_array();
    for (std::size_t i = 0; i < fix.texts.size(); ++i) {
        if (fix.texts[i]) json.string(check.files[i].path);
    }
    json.end_array().key("not_changed").begin_array();
    for (const Path& path : fix.outside) json.string(path);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

}  // namespace ckpt
