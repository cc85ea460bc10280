#include "ckpt_convert/app/app.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/console.h"
#include "base/data_store.h"
#include "base/format.h"
#include "base/guarded.h"
#include "base/human.h"
#include "base/interrupt.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/standard_descriptors.h"
#include "base/write_file.h"
#include "ckpt_convert/app/conversion_log.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/app/launch.h"
#include "ckpt_convert/app/models.h"
#include "ckpt_convert/app/options.h"
#include "ckpt_convert/app/training_plan_page.h"
#include "ckpt_convert/app/training_plan_views.h"
#include "ckpt_convert/app/verify.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/execute/shard_set.h"
#include "ckpt_convert/mapping/model_schema.h"
#include "command_line/spoken_language.h"

namespace ckpt {
namespace {

// What the program ends with when it did its work: 0, or 1 when a verification found differences.
constexpr int kDone = 0;
constexpr int kDifferent = 1;

void print(const std::string& text) { base::print(stdout, text); }

Result<int> run_conversion(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                           const Options& options) {
    if (options.json) {
        JsonObserver observer;
        TRY_ASSIGN(ConvertSummary summary, convert(fs, knowledge, store, options.convert, observer));
        observer.done(summary);
        return kDone;
    }
    ConvertSummary summary;
    {
        ProgressObserver observer(options.language, options.progress);
        TRY_ASSIGN(summary, convert(fs, knowledge, store, options.convert, observer));
    }
    if (!options.quiet)
        print(summary_text(summary, options.convert, options.language, base::wants_colour(STDOUT_FILENO)));
    return kDone;
}

Result<int> run_verification(base::FileSystem& fs, const Knowledge& knowledge, const Options& options) {
    ProgressMaker progress = [&](std::uint64_t total) {
        auto bar = std::make_shared<base::ProgressBar>(options.language.text("verifying"), total,
                                                       base::ProgressBar::Unit::bytes,
                                                       options.progress && !options.json, options.language);
        return [bar](std::uint64_t bytes) { bar->add(bytes); };
    };
    TRY_ASSIGN(VerifySummary summary, verify(fs, knowledge, options.verify, progress));
    if (options.json) print(verify_json(summary));
    else if (!options.quiet) print(options.language.lines(verify_text(summary)));
    return summary.differences.empty() ? kDone : kDifferent;
}

Result<int> run_plan(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                     const Options& options) {
    TRY_ASSIGN(const TrainingPlan plan, plan_training(fs, knowledge, store, options.convert.source, options.training));
    const PlanView view{options.language, base::wants_colour(STDOUT_FILENO), options.training.explained,
                        options.convert.source.directory};
    if (!options.convert.plan_html.empty()) {
        TRY_ASSIGN(const std::string page, training_plan_page(store, plan, view));
        TRY(base::write_file(fs, options.convert.plan_html, page));
    }
    if (options.json) {
        TRY_ASSIGN(const std::string json, training_plan_json(plan, view));
        print(json);
    } else if (!options.quiet) {
        TRY_ASSIGN(const std::string text, training_plan_text(plan, view));
        print(text);
    }
    return !plan.plans.empty() && plan.plans.front().fits() ? kDone : kDifferent;
}

Result<int> run_command(const Options& options) {
    base::FileSystem& fs = base::real_file_system();
    base::DataStore store;
    if (!options.rules_dir.empty()) TRY(store.overlay(fs, options.rules_dir, "rules"));
    if (options.command == Options::Command::model_schema) {
        print(options.model == "case" ? model_case_schema() : model_file_schema());
        return kDone;
    }
    if (options.command == Options::Command::check_model) {
        TRY_ASSIGN(std::string text, check_model(options.language, fs, store, options.model));
        print(text);
        return kDone;
    }
    TRY_ASSIGN(Knowledge knowledge, Knowledge::load(store));
    switch (options.command) {
        case Options::Command::convert: return run_conversion(fs, knowledge, store, options);
        case Options::Command::commit: {
            TRY_ASSIGN(std::size_t files, publish_shards(fs, options.committed));
            if (!options.quiet)
                print(options.language.lines(
                    base::show("published {} in {}\n", base::plural(files, "file"), options.committed)));
            break;
        }
        case Options::Command::plan_training: return run_plan(fs, knowledge, store, options);
        case Options::Command::verify: return run_verification(fs, knowledge, options);
        case Options::Command::list_models:
            print(list_models(options.language, knowledge.families, options.json));
            break;
        case Options::Command::inspect: {
            TRY_ASSIGN(std::string text, inspect(fs, knowledge, options.inspected, options.json, options.language));
            print(text);
            break;
        }
        case Options::Command::launch: return launch(fs, knowledge, store, options);
        case Options::Command::show_model: {
            TRY_ASSIGN(std::string text, show_model(options.language, knowledge.families, options.model));
            print(text);
            break;
        }
        case Options::Command::check_model:
        case Options::Command::model_schema: break;
    }
    return kDone;
}

// Of a run with --json, the last line of standard output says what of a run without says on standard error.
std::string error_event(const base::Error& error) {
    base::JsonWriter json(0);
    json.begin_object().key("event").string("error").key("exit_code").integer(base::exit_code(error.kind));
    json.key("message").string(error.message).key("where").string(error.where).key("context").begin_array();
    for (const std::string& context : error.context) json.string(context);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

int report(const base::Error& error, const base::Language& language, bool json) {
    if (json) print(error_event(error));
    const bool colour = base::wants_colour(STDERR_FILENO);
    const std::string label = base::styled(language.text("ckpt_convert: error:"), base::Style::red, colour);
    base::print(stderr, language.format("{} {}\n", label, language.error_text(error)));
    return base::exit_code(error.kind);
}

Result<int> run_and_flush(const ParsedLine& line) {
    int code = kDone;
    print(line.text);
    if (line.options) {
        TRY_ASSIGN(code, run_command(*line.options));
    }
    TRY(base::flush_output());
    return code;
}

}  // namespace

int run(int argc, const char* const* argv) {
    base::keep_standard_descriptors();
    base::note_signals();
    // Of a line that is not parsed, only the words themselves tell.
    bool json = std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
    base::Language language;
    const auto done = base::guarded([&]() -> Result<int> {
        TRY_ASSIGN(const auto words, command_line::take_language(argc, argv, language));
        TRY_ASSIGN(const ParsedLine line,
                   parse_options(static_cast<int>(words.size()), words.data(), base::real_file_system(), language));
        return run_and_flush(line);
    });
    if (!done) return report(done.error(), language, json);
    return base::reader_is_gone() ? base::kReaderIsGone : *done;
}

}  // namespace ckpt
