#include "migrator/report/report.h"

#include "base/check.h"
#include "base/compress.h"
#include "base/page_template.h"

namespace migrator {
namespace {

constexpr std::string_view kFolder = "templates/report/";
constexpr std::string_view kDataMark = "{{data}}";
// In the order that they need each other.
constexpr std::string_view kScripts[] = {
    "words.js",     "dom.js",          "model.js",     "keeper.js",   "decisions.js", "address.js", "virtual_list.js",
    "highlight.js", "side_by_side.js", "file_view.js", "filters.js",  "work_list.js", "detail.js",  "review.js",
    "estimate.js",  "first_screen.js", "picture.js",   "overview.js", "apply.js",     "print.js",   "main.js"};

std::string_view part(const base::DataStore& store, std::string_view name) {
    const std::string_view* text = store.find(std::string(kFolder) + std::string(name));
    CHECK(text != nullptr);
    return *text;
}

std::string script(const base::DataStore& store) {
    std::string out = "\n'use strict';\n(() => {\n";
    for (std::string_view name : kScripts) out += part(store, name);
    return out + "})();\n";
}

// The data in parts that are packed by themselves, so that none of them needs to be whole in memory. Base64: nothing of
// the project can end its element.
class DataPacker {
public:
    explicit DataPacker(const base::TextSink& out) : out_(out) {}

    void add(std::string_view text) {
        constexpr std::size_t kPart = std::size_t{4} << 20;
        while (!text.empty()) {
            const std::string_view fits = text.substr(0, kPart - part_.size());
            part_ += fits;
            text.remove_prefix(fits.size());
            if (part_.size() == kPart) pack();
        }
    }
    void finish() {
        if (!part_.empty()) pack();
    }

private:
    void pack() {
        out_(base::base64(base::gzip(part_)));
        out_("\n");
        part_.clear();
    }

    const base::TextSink& out_;
    std::string part_;
};

void replace_mark(std::string& page, std::string_view mark, std::string_view text) {
    const std::size_t at = page.find(mark);
    CHECK(at != std::string::npos);
    page.replace(at, mark.size(), text);
}

}  // namespace

void report_html(const Report& report, const base::DataStore& templates, const base::TextSink& out) {
    report_page([&](const base::TextSink& json) { report_json(report, json, 0); }, templates, PageKind::file, out);
}

void report_page(const base::TextSource& json, const base::DataStore& templates, PageKind kind,
                 const base::TextSink& out) {
    const std::string scripts = script(templates);
    const std::string style = "\n" + std::string(part(templates, "style.css"));
    std::string page(part(templates, "page.html"));
    replace_mark(page, "{{style_hash}}", base::policy_hash(style));
    replace_mark(page, "{{script_hash}}", base::policy_hash(scripts));
    replace_mark(page, "{{style}}", style);
    replace_mark(page, "{{connections}}", kind == PageKind::served ? "'self'" : "'none'");
    replace_mark(page, "{{script}}", scripts);
    const std::size_t data = page.find(kDataMark);
    CHECK(data != std::string::npos);
    out(std::string_view(page).substr(0, data));
    DataPacker packer(out);
    json([&](std::string_view text) { packer.add(text); });
    packer.finish();
    out(std::string_view(page).substr(data + kDataMark.size()));
}

}  // namespace migrator
