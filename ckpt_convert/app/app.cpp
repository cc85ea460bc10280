#include "ckpt_convert/app/app.h"

#include <unistd.h>

#include <cstdio>

#include "base/console.h"
#include "base/data_store.h"
#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/app/options.h"

namespace ckpt {
namespace {

using base::Result;
using base::Status;

std::string summary_json(const ConvertSummary& summary) {
    base::JsonWriter json(1);
    json.begin_object()
        .key("schema")
        .string("conversion-summary/1")
        .key("from")
        .string(summary.from)
        .key("to")
        .string(summary.to);
    json.key("family").string(summary.family).key("layers").unsigned_integer(summary.layers);
    json.key("parameters").unsigned_integer(summary.parameters).key("dtypes").string(summary.dtypes);
    json.key("tensors_written")
        .unsigned_integer(summary.tensors)
        .key("bytes_read")
        .unsigned_integer(summary.read_bytes);
    json.key("bytes_written").unsigned_integer(summary.written_bytes).key("seconds").number(summary.seconds);
    json.key("dry_run").boolean(summary.dry_run).key("files").begin_array();
    for (const auto& [path, bytes] : summary.files)
        json.begin_object().key("path").string(path).key("bytes").unsigned_integer(bytes).end_object();
    json.end_array().key("notes").begin_array();
    for (const auto& note : summary.notes) json.string(note);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

std::string summary_text(const ConvertSummary& summary, const ConvertOptions& options, bool colour) {
    double rate = summary.seconds > 0 ? static_cast<double>(summary.written_bytes) / summary.seconds : 0;
    std::string out =
        base::styled(summary.dry_run ? "dry run, nothing was written" : "converted", base::Style::green, colour);
    out += base::format("  {} -> {}\n", summary.from, summary.to);
    out += base::format("  model    {}, {}, {} parameters, {}\n", summary.family, base::plural(summary.layers, "layer"),
                        base::human_count(summary.parameters), summary.dtypes);
    out += base::format("  read     {} from {}\n", base::human_bytes(summary.read_bytes), options.load_dir);
    out += base::format("  written  {}, {} in {} to {}\n", base::plural(summary.tensors, "tensor"),
                        base::human_bytes(summary.written_bytes), base::plural(summary.files.size(), "file"),
                        options.save_dir);
    if (!summary.dry_run)
        out += base::format("  time     {} ({}/s)\n", base::human_duration(summary.seconds),
                            base::human_bytes(static_cast<std::uint64_t>(rate)));
    for (const auto& note : summary.notes) out += base::format("  note     {}\n", note);
    if (!summary.dry_run) out += base::format("  look at it with: ckpt_convert inspect {}\n", options.save_dir);
    return out;
}

Status list_models(const MappingRegistry& registry, bool json) {
    if (!json) {
        for (const auto& family : registry.families()) {
            base::print(stdout, "{:<12} {}\n             model types: {}\n", family.family, family.title,
                        base::joined(family.model_types, ", "));
        }
        return {};
    }
    base::JsonWriter out(1);
    out.begin_array();
    for (const auto& family : registry.families()) {
        out.begin_object()
            .key("family")
            .string(family.family)
            .key("title")
            .string(family.title)
            .key("model_types")
            .begin_array();
        for (const auto& type : family.model_types) out.string(type);
        out.end_array().end_object();
    }
    out.end_array();
    base::print(stdout, "{}\n", std::move(out).take());
    return {};
}

Status run_command(const Options& options) {
    base::FileSystem& fs = base::real_file_system();
    base::DataStore store;
    if (!options.rules_dir.empty()) TRY(store.overlay(fs, options.rules_dir, "rules"));
    TRY_ASSIGN(MappingRegistry registry, MappingRegistry::load(store));
    if (options.command == Options::Command::list_models) return list_models(registry, options.json);
    if (options.command == Options::Command::inspect) {
        TRY_ASSIGN(std::string listing, inspect(fs, registry, options.inspect.path, options.json));
        std::fputs(listing.c_str(), stdout);
        return {};
    }
    TRY_ASSIGN(ConvertSummary summary, convert(fs, registry, options.convert, options.progress));
    if (options.json) std::fputs(summary_json(summary).c_str(), stdout);
    else if (!options.quiet)
        std::fputs(summary_text(summary, options.convert, base::wants_colour(STDOUT_FILENO)).c_str(), stdout);
    return {};
}

int report(const base::Error& error) {
    base::print(stderr, "{} {}\n",
                base::styled("ckpt_convert: error:", base::Style::red, base::wants_colour(STDERR_FILENO)),
                error.text());
    return base::exit_code(error.kind);
}

}  // namespace

int run(int argc, const char* const* argv) {
    auto options = parse_options(argc, argv);
    if (!options) return report(options.error());
    if (!*options) return 0;
    Status done = run_command(**options);
    return done ? 0 : report(done.error());
}

}  // namespace ckpt
