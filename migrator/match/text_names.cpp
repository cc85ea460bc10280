// Settings that name a class or a function: `_target_: torch.cuda.amp.GradScaler`.
#include <algorithm>

#include "base/text.h"
#include "migrator/match/requirement.h"
#include "migrator/match/text_file.h"

namespace migrator {
namespace {

bool is_qualified(std::string_view text) {
    const bool is_plain = std::ranges::all_of(text, [](char c) { return base::is_word_char(c) || c == '.'; });
    return is_plain && text.find('.') != text.npos && !text.starts_with('.') && !text.ends_with('.');
}

// The row of the longest part that one knows.
const NameRow* row_of(const NameIndex& names, std::string_view qualified) {
    for (std::string_view at = qualified; !at.empty(); at = parent_module(at)) {
        const NameRow* row = names.row(at);
        if (row != nullptr && (row->reach == NameRow::Reach::exact || at == qualified)) return row;
    }
    return names.prefix(qualified);
}

}  // namespace

void match_text_names(const TextFile& file, FindingSink& sink) {
    const RuleSet& rules = *file.rules;
    for (const TextSetting& setting : file.contents.settings) {
        const bool names_class = base::contains(rules.script_places.class_keys, file.contents.name_of(setting.key));
        if (!names_class || !is_qualified(setting.text)) continue;
        const base::ByteRange place = file.contents.place(setting.text);
        if (const NameRow* row = row_of(rules.names, setting.text)) {
            const std::string to = row->to ? rules.names.renamed(setting.text) : std::string();
            Finding finding = make_finding(*row->rule, place, std::string(setting.text), Certainty::likely, to,
                                           row->note, row->source);
            finding.effort = row->effort;
            // What only the helper module of a style has is not to be found by its name.
            const bool is_renamed = row->to && !row->member && row->on_npu.value_or(*row->to) == *row->to;
            if (is_renamed && !row->at_run_time) finding.fix = Fix{{{place, to}}, {}};
            sink.push_back(std::move(finding));
        } else if (const PackageRow* package = rules.packages.of_module(setting.text);
                   package != nullptr && !package->quiet) {
            sink.push_back(package_finding(*package, place, package->name));
        }
    }
}

}  // namespace migrator
