#include "ckpt_convert/app/conversion_log.h"

#include <algorithm>
#include <cstdio>

#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/paths.h"
#include "base/printable.h"
#include "base/shell_word.h"

namespace ckpt {
namespace {

using Clock = std::chrono::steady_clock;

// What a copy of the same bytes takes on an ordinary NVMe disk; reading and writing at the same time.
constexpr double kAssumedBytesPerSecond = 1e9;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void print_line(base::JsonWriter& json) {
    base::print_bytes(stdout, std::move(json).take() + "\n");
    static_cast<void>(base::flush_output().has_value());  // the last of them says what is wrong
}

void write_summary(base::JsonWriter& json, const ConvertSummary& summary) {
    json.key("schema").string("conversion-summary/2").key("from").string(summary.from).key("to").string(summary.to);
    json.key("family").string(summary.family).key("layers").unsigned_integer(summary.layers);
    json.key("parameters").unsigned_integer(summary.parameters).key("dtypes").string(summary.dtypes);
    json.key("tensors_written").unsigned_integer(summary.tensors);
    json.key("bytes_read").unsigned_integer(summary.read_bytes);
    json.key("bytes_written").unsigned_integer(summary.written_bytes);
    json.key("buffer_bytes").unsigned_integer(summary.buffer_bytes).key("seconds").number(summary.seconds);
    json.key("files_reused").unsigned_integer(summary.reused_files);
    json.key("bytes_reused").unsigned_integer(summary.reused_bytes);
    json.key("dry_run").boolean(summary.dry_run).key("files").begin_array();
    for (const auto& [path, bytes] : summary.files)
        json.begin_object().key("path").string(path).key("bytes").unsigned_integer(bytes).end_object();
    json.end_array().key("notes").begin_array();
    for (const auto& note : summary.notes) json.string(note);
    json.end_array();
}

std::string file_list(const ConvertSummary& summary) {
    constexpr std::size_t kShown = 16;
    std::string out;
    for (std::size_t i = 0; i < summary.files.size() && i < kShown; ++i)
        out += base::show("           {:>9}  {}\n", base::human_bytes(summary.files[i].second), summary.files[i].first);
    if (summary.files.size() > kShown) out += base::format("           and {} more\n", summary.files.size() - kShown);
    return out;
}

}  // namespace

void ProgressObserver::planned(const ConvertSummary& summary) {
    if (!summary.dry_run)
        bar_.emplace(language_.text("converting"), summary.written_bytes, base::ProgressBar::Unit::bytes, enabled_,
                     language_);
}

void ProgressObserver::written(std::uint64_t bytes) { bar_->add(bytes); }

void JsonObserver::planned(const ConvertSummary& summary) {
    total_ = summary.written_bytes;
    start_ = last_ = Clock::now();
    base::JsonWriter json(0);
    json.begin_object().key("event").string("plan");
    write_summary(json, summary);
    json.end_object();
    print_line(json);
}

void JsonObserver::written(std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    done_ += bytes;
    if (Clock::now() - last_ < std::chrono::seconds(1)) return;
    last_ = Clock::now();
    double seconds = seconds_since(start_), rate = static_cast<double>(done_) / seconds;
    base::JsonWriter json(0);
    json.begin_object().key("event").string("progress").key("bytes").unsigned_integer(done_);
    json.key("total_bytes").unsigned_integer(total_).key("bytes_per_second").number(rate);
    json.key("seconds_left").number(static_cast<double>(total_ - std::min(done_, total_)) / rate).end_object();
    print_line(json);
}

void JsonObserver::done(const ConvertSummary& summary) {
    base::JsonWriter json(0);
    json.begin_object().key("event").string(summary.dry_run ? "checked" : "done");
    write_summary(json, summary);
    json.end_object();
    print_line(json);
}

std::string model_text(const ConvertSummary& summary) {
    const std::string family = summary.layers > 0
                                   ? base::format("{}, {}", summary.family, base::plural(summary.layers, "layer"))
                                   : base::format("{} family", summary.family);
    return base::format("{}, {} parameters, {}", family, base::human_count(summary.parameters), summary.dtypes);
}

std::string summary_text(const ConvertSummary& summary, const ConvertOptions& options, const base::Language& language,
                         bool colour) {
    double rate = summary.seconds > 0 ? static_cast<double>(summary.written_bytes) / summary.seconds : 0;
    std::string out = base::show("  model    {}\n", model_text(summary));
    out += base::show("  read     {} from {}\n", base::human_bytes(summary.read_bytes), options.source.directory);
    out += base::show("  written  {}, {} in {} to {}\n", base::plural(summary.tensors, "tensor"),
                      base::human_bytes(summary.written_bytes), base::plural(summary.files.size(), "file"),
                      options.save_dir);
    if (summary.dry_run) {
        double bytes = static_cast<double>(std::max(summary.read_bytes, summary.written_bytes));
        out += summary.ranks;
        out += file_list(summary);
        out += base::format("  memory   {} for buffers\n", base::human_bytes(summary.buffer_bytes));
        out += base::format("  time     about {} at 1 GB/s\n", base::human_duration(bytes / kAssumedBytesPerSecond));
    } else {
        out += base::format("  time     {} ({}/s)\n", base::human_duration(summary.seconds),
                            base::human_bytes(static_cast<std::uint64_t>(rate)));
    }
    for (const auto& note : summary.notes) out += base::show("  note     {}\n", note);
    if (!summary.plan_text.empty()) out += "\n" + summary.plan_text;
    // Of what is written for one program alone, a file can be looked at.
    const bool is_read = options.format != NamedFormat::vllm || summary.files.empty();
    const Path shown = is_read ? options.save_dir : base::join(options.save_dir, summary.files.front().first);
    if (!summary.dry_run) out += base::show("  look at it with: ckpt_convert inspect {}\n", base::shell_path(shown));
    const std::string what = language.text(summary.dry_run ? "dry run, nothing was written" : "converted");
    // Each side by itself: a line of both could be taken for one sentence.
    return base::styled(what, base::Style::green, colour) +
           base::show("  {} -> {}\n", language.said(summary.from), language.said(summary.to)) + language.lines(out);
}

}  // namespace ckpt
