#include "ckpt_convert/mapping/mapping_loader.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/rule_file.h"
#include "ckpt_convert/mapping/mapping_checks.h"
#include "ckpt_convert/mapping/mapping_file.h"

namespace ckpt {
namespace {

constexpr const char* kModelFolder = "rules/models/";

// How many entries were there before a file's includes were read.
struct SectionSizes {
    std::size_t values = 0, args = 0, flags = 0;
};

// Adds entries. Those that are there from `included` on are of blocks that the file includes, and it may redefine them.
template <class Rule>
Status add_named(const base::JsonPlace& file, std::string_view key, Named<Rule> entries, std::size_t included,
                 std::vector<Rule>& out) {
    const std::size_t own = out.size();
    for (Rule& rule : entries) {
        auto same = std::find_if(out.begin(), out.end(), [&](const Rule& other) { return other.name == rule.name; });
        auto at = static_cast<std::size_t>(same - out.begin());
        if (same == out.end()) out.push_back(std::move(rule));
        else if (included <= at && at < own) *same = std::move(rule);
        else
            return file.at(key, *file.json.find(key)->find(rule.name))
                .error(base::format("\"{}\" is defined twice", rule.name));
    }
    return {};
}

template <class Entry, class Item>
void append(std::vector<Item>& out, std::vector<Entry> entries) {
    out.insert(out.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
}

Status add_sections(const base::JsonPlace& file, MappingSections sections, const SectionSizes& before,
                    ModelMapping& out) {
    TRY(add_named(file, "values", std::move(sections.values), before.values, out.values));
    TRY(add_named(file, "weights", std::move(sections.weights), out.weights.size(), out.weights));
    append(out.hf, std::move(sections.hf));
    append(out.mcore, std::move(sections.mcore));
    TRY(add_named(file, "args", std::move(sections.args), before.args, out.args));
    TRY(add_named(file, "flags", std::move(sections.flags), before.flags, out.flags));
    if (sections.mtp) out.mtp = std::move(*sections.mtp);
    append(out.requirements, std::move(sections.requirements));
    append(out.ignore, std::move(sections.ignore));
    return {};
}

// A file with the blocks that it includes before it: in their order, each once.
Status add_with_blocks(base::RuleFiles& files, const base::JsonPlace& file, MappingSections sections,
                       std::set<std::string>& seen, ModelMapping& out) {
    const SectionSizes before{out.values.size(), out.args.size(), out.flags.size()};
    for (const std::string& name : sections.include) {
        if (!seen.insert(name).second) continue;
        TRY_ASSIGN(const JsonDocument* document, files.read(kModelFolder + name, file.document.name));
        const base::JsonPlace place{*document, document->root};
        TRY_ASSIGN(BlockFile block, base::read_json<BlockFile>(place));
        TRY(add_with_blocks(files, place, std::move(block), seen, out));
    }
    return add_sections(file, std::move(sections), before, out);
}

}  // namespace

Result<ModelMapping> load_mapping(base::RuleFiles& files, const std::string& path) {
    TRY_ASSIGN(const JsonDocument document, base::read_rule_file(files.store(), path));
    const base::JsonPlace place{document, document.root};
    TRY_ASSIGN(FamilyFile file, base::read_json<FamilyFile>(place));
    ModelMapping mapping;
    static_cast<Family&>(mapping) = file;
    mapping.origin = files.store().origin(path);
    mapping.source = std::move(file.source);
    std::set<std::string> seen;
    TRY(add_with_blocks(files, place, std::move(file), seen, mapping));
    TRY(check_mapping(mapping));
    return mapping;
}

}  // namespace ckpt
