// Style: for which machines the migrated code is written.
#pragma once

#include <string>
#include <string_view>

#include "base/data_store.h"
#include "base/record.h"

namespace migrator {

enum class StyleKind {
    npu,        // the names of the NPU, written out
    portable,   // one code for NPU, CUDA and CPU, through a helper module that is added to the project
    automatic,  // CUDA code that torch_npu redirects when it runs; only what it does not redirect is edited
};
std::string_view name(StyleKind kind);  // "npu", "portable", "auto"

// What rules/styles/portable.json says.
struct Style {
    StyleKind kind = StyleKind::npu;

    // Of the style portable:
    std::string about;
    std::string helper;       // the helper module: "any_device"
    std::string helper_file;  // its source: "templates/portable/any_device.py"
    std::string after;        // its import follows the import of this module: "torch"
    std::string stands_for;   // the module whose names it has: "torch.cuda"
    std::string counterpart;  // what that module is called on the NPU: "torch.npu"

    // The name in this style of something called `name` in CUDA code and `on_npu` on the NPU; empty when it has none
    // that works everywhere.
    std::string target(std::string_view name, std::string_view on_npu) const;
    // Whether the text is, or begins with, a name of the helper.
    bool is_of_helper(std::string_view text) const;
};
constexpr auto record_of(const Style*) {
    using base::field;
    return base::record("style", "code for NPU, CUDA and CPU through a helper module",
                        field("about", &Style::about, "what the file is about"),
                        field("helper", &Style::helper, "the helper module").needed(),
                        field("helper_file", &Style::helper_file, "its source").needed(),
                        field("after", &Style::after, "its import follows the import of this module").needed(),
                        field("stands_for", &Style::stands_for, "the module whose names it has").needed(),
                        field("counterpart", &Style::counterpart, "what that module is called on the NPU").needed());
}

base::Result<Style> load_style(const base::DataStore& store, StyleKind kind);

}  // namespace migrator
