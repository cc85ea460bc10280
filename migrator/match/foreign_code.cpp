// Files that work for a program of GPUs: what they give it must stay on the GPU.
#include <algorithm>

#include "migrator/match/matchers.h"
#include "migrator/python/training_code.h"
#include "migrator/semantic/project_modules.h"

namespace migrator {
namespace {

struct ForeignImport {
    const ForeignRow* row;
    const ImportedName* import;
};

// Imported whatever happens: what is tried, or asked for, is an option of code that does without.
std::optional<ForeignImport> foreign_import(const PythonFile& file) {
    for (const ImportedName& import : file.bindings().imports()) {
        if (import.conditional || import.type_checking_only || import.scope != kModuleScope) continue;
        // A package that is installed comes before a directory of its name.
        const bool is_own =
            import.origin == Origin::project && !is_namespace_package(file.context().module, import.module);
        if (is_own) continue;
        for (const ForeignRow& row : file.rules().foreign) {
            const bool is_named = std::ranges::any_of(
                row.all, [&](const std::string& module) { return is_within(import.module, module); });
            if (is_named) return ForeignImport{&row, &import};
        }
    }
    return std::nullopt;
}

bool is_about_files_or_packages(const Finding& finding) {
    return finding.kind == FindingKind::file || finding.kind == FindingKind::third_party ||
           finding.kind == FindingKind::cuda_extension;
}

}  // namespace

void leave_foreign_code(const PythonFile& file, const ParsedText& parsed, FindingSink& findings) {
    if (file.context().loops == nullptr) return;  // which files train is not known
    const auto found = foreign_import(file);
    const auto is_about_code = [](const Finding& finding) { return !is_about_files_or_packages(finding); };
    if (!found || std::ranges::none_of(findings, is_about_code)) return;
    if (training_code(file.context(), parsed).trains) return;
    // What would be rewritten stays for the GPU. What has to be done by hand is told: whoever replaces the file must know.
    std::erase_if(findings, [&](const Finding& finding) { return is_about_code(finding) && finding.fix.has_value(); });
    for (Finding& finding : findings) finding.fix.reset();
    findings.push_back(make_finding(*found->row->rule, file.tree().range(found->import->node), found->import->module,
                                    Certainty::resolved, {}, {}, {}));
}

}  // namespace migrator
