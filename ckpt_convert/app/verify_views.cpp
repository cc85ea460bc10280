#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "ckpt_convert/app/verify.h"

namespace ckpt {
namespace {

constexpr std::size_t kShown = 20;

std::string headline(const VerifySummary& summary) {
    const bool equal = summary.differences.empty();
    if (summary.titles.size() == 2) return equal ? "the same weights" : "the weights differ";
    return equal ? "structurally complete" : "problems were found";
}

// Which files are proven, by what; and what could prove the others.
std::string content_text(const ContentFindings& content) {
    std::string out;
    for (const auto& [record, files] : content.proven)
        out += base::format("  content proven by checksums of {} for {} of {}\n", record, files,
                            base::plural(content.files, "file"));
    if (content.unproven.empty()) return out;
    out += base::format("  content not proven of {} of {}: {}\n", content.unproven.size(),
                        base::plural(content.files, "file"), base::printable(base::listed(content.unproven)));
    out +=
        "    no checksum of them is known here, so a flipped bit cannot be seen; checksums are in the manifest of a\n"
        "    conversion, in a download by huggingface_hub (.cache/huggingface, or its cache) and in a git clone;\n"
        "    verify --against ORIGINAL compares with another copy\n";
    return out;
}

void write_content(base::JsonWriter& json, const ContentFindings& content) {
    json.key("content").begin_object().key("files").unsigned_integer(content.files);
    json.key("proven").unsigned_integer(content.proven_files()).key("records").begin_array();
    for (const auto& [record, files] : content.proven)
        json.begin_object().key("name").string(record).key("files").unsigned_integer(files).end_object();
    json.end_array().key("not_proven").begin_array();
    for (const std::string& file : content.unproven) json.string(file);
    json.end_array().end_object();
}

}  // namespace

std::string verify_text(const VerifySummary& summary) {
    std::string out = headline(summary);
    out += base::format(": {} ({}, {}, {})\n", base::joined(summary.titles, " and "), summary.family,
                        base::plural(summary.tensors, "weight tensor"), base::human_bytes(summary.bytes));
    for (std::size_t i = 0; i < summary.differences.size() && i < kShown; ++i) {
        const TensorDifference& found = summary.differences[i];
        out += base::format("  {}: {}\n", base::printable(found.tensor), base::printable(found.what));
    }
    if (summary.differences.size() > kShown)
        out += base::format("  and {} more\n", summary.differences.size() - kShown);
    if (summary.content) out += content_text(*summary.content);
    for (const auto& note : summary.notes) out += base::format("  note: {}\n", base::printable(note));
    return out;
}

std::string verify_json(const VerifySummary& summary) {
    base::JsonWriter json(1);
    json.begin_object().key("schema").string("verification/2").key("checkpoints").begin_array();
    for (const auto& title : summary.titles) json.string(title);
    json.end_array().key("family").string(summary.family).key("tensors").unsigned_integer(summary.tensors);
    json.key("bytes").unsigned_integer(summary.bytes).key("equal").boolean(summary.differences.empty());
    json.key("differences").begin_array();
    for (const auto& found : summary.differences)
        json.begin_object().key("tensor").string(found.tensor).key("what").string(found.what).end_object();
    json.end_array();
    if (summary.content) write_content(json, *summary.content);
    json.key("notes").begin_array();
    for (const auto& note : summary.notes) json.string(note);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

}  // namespace ckpt
