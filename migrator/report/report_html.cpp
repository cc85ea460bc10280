#include "base/check.h"
#include "base/compress.h"
#include "base/sha256.h"
#include "migrator/report/report_json.h"

namespace migrator {
namespace {

constexpr std::string_view kFolder = "templates/report/";
// In the order that they need each other.
constexpr std::string_view kScripts[] = {"words.js",     "dom.js",          "model.js",     "keeper.js",
                                         "decisions.js", "virtual_list.js", "highlight.js", "side_by_side.js",
                                         "overview.js",  "review.js",       "main.js"};

std::string_view part(const base::DataStore& store, std::string_view name) {
    const std::string_view* text = store.find(std::string(kFolder) + std::string(name));
    CHECK(text != nullptr);
    return *text;
}

// How a content security policy names a script or style.
std::string hash_of(std::string_view text) {
    const auto digest = base::sha256(text);
    return "sha256-" + base::base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string script(const base::DataStore& store) {
    std::string out = "\n'use strict';\n(() => {\n";
    for (std::string_view name : kScripts) out += part(store, name);
    return out + "})();\n";
}

void replace_mark(std::string& page, std::string_view mark, std::string_view text) {
    const std::size_t at = page.find(mark);
    CHECK(at != std::string::npos);
    page.replace(at, mark.size(), text);
}

}  // namespace

std::string report_html(const Report& report, const base::DataStore& templates) {
    return report_page(report_json(report, 0), templates, PageKind::file);
}

std::string report_page(std::string_view json, const base::DataStore& templates, PageKind kind) {
    const std::string scripts = script(templates);
    const std::string style = "\n" + std::string(part(templates, "style.css"));
    std::string page(part(templates, "page.html"));
    replace_mark(page, "{{style_hash}}", hash_of(style));
    replace_mark(page, "{{script_hash}}", hash_of(scripts));
    replace_mark(page, "{{style}}", style);
    // Base64: nothing of the project can end its element.
    replace_mark(page, "{{connections}}", kind == PageKind::served ? "'self'" : "'none'");
    replace_mark(page, "{{data}}", base::base64(base::gzip(json)));
    replace_mark(page, "{{script}}", scripts);
    return page;
}

}  // namespace migrator
