#include "migrator/operators/operator_input.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "base/byte_stream.h"
#include "base/compress.h"
#include "base/format.h"
#include "base/json.h"
#include "base/number_text.h"
#include "base/text.h"
#include "migrator/operators/graph_reader.h"
#include "migrator/operators/operator_totals.h"
#include "migrator/operators/trace_reader.h"
#include "migrator/profile/profile_source.h"
#include "migrator/profile/trace_events.h"

namespace migrator {
namespace {

constexpr std::string_view kRecorded = "# recorded operators";  // as templates/ops/record_ops.py begins its list
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZip = "PK\x03\x04";
constexpr std::uint64_t kMaxInputBytes = 1ull << 30;  // of what is no trace
constexpr std::size_t kBeginningBytes = std::size_t{1} << 20;

bool is_operator_name(std::string_view word) {
    return !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_') &&
           std::all_of(word.begin(), word.end(),
                       [](char c) { return base::is_word_char(c) || base::contains(std::string_view(".:()="), c); });
}

std::string dtype_of(std::string_view word) {
    constexpr std::string_view kTorch = "torch.";
    if (word.starts_with(kTorch)) word.remove_prefix(kTorch.size());
    return std::string(word);
}

// The name of an operator in a line of a log: what follows "aten::", "npu::" ..., up to the end of the word.
std::string_view named_in(std::string_view line) {
    const std::size_t colons = line.find("::");
    if (colons == line.npos) return {};
    std::size_t begin = colons, end = colons + 2;
    while (begin > 0 && base::is_word_char(line[begin - 1])) --begin;
    while (end < line.size() && (base::is_word_char(line[end]) || line[end] == '.')) ++end;
    return base::trimmed(line.substr(begin, end - begin), ".");
}

// "aclnnAdd" in a line that has no operator of torch.
std::string_view kernel_in(std::string_view line) {
    const std::size_t begin = line.find("aclnn");
    if (begin == line.npos) return {};
    std::size_t end = begin;
    while (end < line.size() && base::is_word_char(line[end])) ++end;
    return line.substr(begin, end - begin);
}

bool has_any(std::string_view line, const std::vector<std::string>& phrases) {
    return std::any_of(phrases.begin(), phrases.end(),
                       [&](const std::string& phrase) { return line.find(phrase) != line.npos; });
}

// NAME [DTYPE] [COUNT]; false when the line is none of a list.
bool add_list_line(std::string_view line, OperatorTotals& totals) {
    const std::vector<std::string_view> words = base::split(line, ' ');
    if (words.size() > 3 || !is_operator_name(words.front())) return false;
    std::string dtype;
    std::uint64_t count = 1;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
            const auto number = base::number_in<std::uint64_t>(word);
            if (!number) return false;
            count = *number;
        } else if (is_operator_name(word) && i == 1) {
            dtype = dtype_of(word);
        } else {
            return false;
        }
    }
    totals.add({std::string(words.front()), dtype, 0, count});
    return true;
}

// One name a line; what begins with # is a comment.
base::Result<OperatorInput> read_list(std::string_view text, const std::string& name) {
    OperatorInput out;
    OperatorTotals totals;
    out.kind = text.starts_with(kRecorded) ? "recording" : "list";
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string line(base::trimmed(text.substr(0, end)));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        ++number;
        if (line.empty() || line[0] == '#') continue;
        std::replace(line.begin(), line.end(), '\t', ' ');
        if (!add_list_line(line, totals))
            return base::fail(
                base::ErrorKind::bad_input,
                "this is not a name of an operator with its dtype and a count after it; give a list with one "
                "name a line, a trace of torch's profiler, a graph of torch.export, or a log",
                base::format("{}:{}", name, number));
    }
    out.operators = std::move(totals).take();
    return out;
}

OperatorInput read_log(std::string_view text, const LogPhrases& phrases) {
    OperatorInput out;
    OperatorTotals totals;
    for (const std::string_view line : base::split(text, '\n')) {
        if (!has_any(line, phrases.fallback) && !has_any(line, phrases.error)) continue;
        std::string_view name = named_in(line);
        if (name.empty()) name = kernel_in(line);
        if (!name.empty()) totals.add({std::string(name), {}, 0, 1});
    }
    out.kind = "log";
    out.operators = std::move(totals).take();
    return out;
}

// {"forward": {"add.Tensor": 12, ...}, "backward": {...}, ...}: every mapping of names to counts in the document.
base::Result<OperatorInput> read_counts(std::string_view text, const std::string& name) {
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(text, name));
    OperatorInput out;
    OperatorTotals totals;
    if (const base::Json::Object* root = document.root.object()) {
        for (const auto& [phase, counts] : *root) {
            if (counts.object() == nullptr) continue;
            for (const auto& [op, count] : *counts.object()) {
                if (count.integer() != nullptr && *count.integer() > 0 && is_operator_name(op))
                    totals.add({op, {}, 0, static_cast<std::uint64_t>(*count.integer())});
            }
        }
    }
    out.kind = "counts";
    out.operators = std::move(totals).take();
    return out;
}

bool is_log(std::string_view text, const LogPhrases& phrases) {
    return has_any(text, phrases.fallback) || has_any(text, phrases.error);
}

// "[" and then "{": a line of a log may begin with the first of them.
bool is_list_of_events(std::string_view text) {
    return text.starts_with("[") && base::trimmed(text.substr(1)).starts_with("{");
}

// By what a file begins with, unpacked. Of an object that goes on, the events may come later.
bool begins_trace(std::string_view beginning, bool is_whole) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
    const std::string_view content = base::trimmed(beginning);
    if (is_list_of_events(content)) return true;
    return content.starts_with("{") && (!is_whole || content.find("\"traceEvents\"") != content.npos);
}

struct Beginning {
    std::string text;
    bool is_whole = false;
};

// What is in front of damage counts; a file that is damaged from its first byte on fails.
base::Result<Beginning> beginning_of(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const auto stream, base::open_stream(fs, path));
    Beginning out;
    std::string buffer(kBeginningBytes, '\0');
    std::size_t size = 0;
    while (size < buffer.size()) {
        const auto read = stream->read(std::as_writable_bytes(std::span(buffer).subspan(size)));
        if (!read && size == 0) return tl::unexpected(read.error());
        out.is_whole = read && *read == 0;
        if (!read || *read == 0) break;
        size += *read;
    }
    buffer.resize(size);
    out.text = std::move(buffer);
    return out;
}

base::Result<OperatorInput> read_any(std::string_view text, const std::string& name, const ChipsFile& chips,
                                     const ProfileNames& names, const TakesWhole& takes_whole) {
    if (text.starts_with(kZip)) return read_graph(text, name, chips);
    if (begins_trace(text, true)) {
        TRY_ASSIGN(TraceEvents events, TraceEvents::open(base::text_stream(text), name));
        return read_trace(events, names, chips, takes_whole);
    }
    if (base::trimmed(text).starts_with("{")) return read_counts(text, name);
    if (is_log(text, chips.log)) return read_log(text, chips.log);
    return read_list(text, name);
}

base::Result<OperatorInput> not_empty(base::Result<OperatorInput> input, const std::string& name) {
    if (!input || !input->operators.empty()) return input;
    const std::string damage = input->warning.empty() ? "" : base::format(" ({})", input->warning);
    return base::fail(base::ErrorKind::bad_input,
                      base::format("there is no operator in it{}; give a trace of torch's profiler, a graph of "
                                   "torch.export, a log, or a list with one name a line",
                                   damage),
                      name);
}

}  // namespace

base::Result<OperatorInput> read_operator_input(base::FileSystem& fs, const base::Path& path, const ChipsFile& chips,
                                                const ProfileKnowledge& profiles, const TakesWhole& takes_whole) {
    TRY_ASSIGN(ProfileFiles profile, find_profile(fs, path, profiles.queries));
    const base::Path file = profile.trace;
    if (file.empty()) {
        TRY_ASSIGN(const ProfileSource source, ProfileSource::open(fs, std::move(profile), profiles.tables,
                                                                   profiles.queries, ProfileNumbers::ours));
        TRY_ASSIGN(const auto events, source.events({.operators = true, .shapes = true}));
        return not_empty(read_trace(*events, profiles.names, chips, takes_whole), path);
    }
    TRY_ASSIGN(const Beginning beginning, beginning_of(fs, file));
    if (begins_trace(beginning.text, beginning.is_whole)) {
        TRY_ASSIGN(TraceEvents events, TraceEvents::open(fs, file));
        return not_empty(read_trace(events, profiles.names, chips, takes_whole), path);
    }
    TRY_ASSIGN(const std::string bytes, base::read_file(fs, file, kMaxInputBytes));
    return read_operator_input(bytes, path, chips, profiles.names, takes_whole);
}

base::Result<OperatorInput> read_operator_input(std::string_view text, const std::string& name, const ChipsFile& chips,
                                                const ProfileNames& names, const TakesWhole& takes_whole) {
    std::string unpacked;
    if (text.starts_with(kGzip)) {
        TRY_ASSIGN(unpacked, base::gunzip(text, name, kMaxInputBytes));
        text = unpacked;
    }
    return not_empty(read_any(text, name, chips, names, takes_whole), name);
}

}  // namespace migrator
