#include "migrator/app/raw_options.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::fail;

// Where the migrated files go: exactly one of the options says so; standard input needs none.
base::Result<Destination> destination_of(const Options& options, const RawOptions& raw) {
    const int named = static_cast<int>(!options.output.empty()) + static_cast<int>(raw.in_place) +
                      static_cast<int>(raw.diff) + static_cast<int>(raw.check);
    if (options.reads_standard_input() && (raw.in_place || !options.output.empty()))
        return fail(ErrorKind::usage,
                    "what comes from standard input goes to standard output; leave out --output and "
                    "--in-place");
    if (options.reads_standard_input() && named == 0) return Destination::text;
    if (named == 0)
        return fail(ErrorKind::usage,
                    "say where the result goes: --output OUT, --in-place, --diff or --check; see migrator migrate "
                    "--help");
    if (named > 1) return fail(ErrorKind::usage, "--output, --in-place, --diff and --check exclude each other");
    if (raw.diff && options.json) return fail(ErrorKind::usage, "--diff and --json exclude each other");
    if (raw.in_place) return Destination::in_place;
    if (raw.diff) return Destination::diff;
    return raw.check ? Destination::check : Destination::copy;
}

base::Path without_trailing_slashes(base::Path path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

base::Status check_paths_of(const Options& options) {
    for (const base::Path& path : options.paths) {
        if (path.empty()) return fail(ErrorKind::usage, "PATH is empty; name a directory or a file");
    }
    if (options.paths.size() > 1 && base::contains(options.paths, kStandardInput))
        return fail(ErrorKind::usage, "- stands for standard input and cannot be named together with other paths");
    if (options.paths.size() > 1 && !options.output.empty())
        return fail(ErrorKind::usage,
                    "a copy is made of one PATH; run it once for each, or use --in-place, --diff or --check");
    return {};
}

}  // namespace

base::Result<Options> checked(Options options, const RawOptions& raw) {
    const bool analyse = options.command == Command::analyze;
    TRY(check_paths_of(options));
    if (!options.library_result.empty() && !options.library)
        return fail(ErrorKind::usage, "-o is for the result of --library; --report DIR is for the report");
    if (options.library && (options.paths.size() > 1 || options.reads_standard_input() || options.json ||
                            !options.report_directory.empty() || raw.fail_on != "never"))
        return fail(ErrorKind::usage,
                    "--library needs the one PATH that the library is in, and makes no report: leave out --json, "
                    "--report and --fail-on");
    if (options.quiet && options.verbose) return fail(ErrorKind::usage, "--quiet and --verbose exclude each other");
    if (!analyse) {
        TRY_ASSIGN(options.destination, destination_of(options, raw));
    }
    if (!options.distributed_main.empty() && (options.paths.size() > 1 || options.reads_standard_input()))
        return fail(ErrorKind::usage, "--distributed needs the one PATH that the script is in");
    if (options.start_script && options.reads_standard_input())
        return fail(ErrorKind::usage,
                    "--start-script writes a script next to a program; what comes from standard input "
                    "has no place");
    if (!options.loop.empty() && (options.instrument.empty() || options.instrument == "none"))
        return fail(ErrorKind::usage,
                    "--loop says where --instrument puts its lines; say which: --instrument profiler");
    options.output = without_trailing_slashes(options.output);
    options.report_directory = without_trailing_slashes(options.report_directory);
    const bool copies = !analyse && options.destination == Destination::copy;
    const bool writes = copies || (!analyse && options.destination == Destination::in_place);
    options.review.keep_record = !raw.no_record;
    if (!options.review.record.empty() && (!writes || !options.review.keep_record))
        return fail(ErrorKind::usage, "--record requires --output or --in-place");
    options.review.record = without_trailing_slashes(options.review.record);
    if (options.force && !copies) return fail(ErrorKind::usage, "--force replaces an OUT that exists; name it: -o");
    if (copies && options.report_directory.empty())
        options.report_directory = options.output + base::Path(kReportSuffix);
    options.formats = raw.formats;
    options.github = std::erase(options.formats, kGithubFormat) > 0;
    if (options.report_directory.empty() && !options.formats.empty())
        return fail(ErrorKind::usage, "--format says what to write, but --report DIR does not say where");
    if (options.github && (options.json || options.destination == Destination::diff))
        return fail(ErrorKind::usage, "--format github, --json and --diff all print on standard output; choose one");
    if (!raw.torch_version.empty()) {
        options.torch_version = Version::parse(raw.torch_version);
        if (!options.torch_version)
            return fail(ErrorKind::usage,
                        base::format("--torch-version: '{}' is not a version such as 2.6", raw.torch_version));
    }
    if (raw.large_files == "copy") options.large_files = LargeFiles::copy;
    if (raw.large_files == "skip") options.large_files = LargeFiles::skip;
    for (ApplyMode mode : {ApplyMode::none, ApplyMode::safe, ApplyMode::review}) {
        if (raw.apply == name(mode)) options.apply = mode;
    }
    for (StyleKind style : {StyleKind::npu, StyleKind::portable, StyleKind::automatic}) {
        if (raw.style == name(style)) options.style = style;
    }
    options.is_whole = raw.scope == "all";
    if (options.is_whole && !options.programs.empty())
        return fail(ErrorKind::usage, "--program is about one program, --scope all about all files; choose one");
    if (!options.programs.empty() && options.paths.size() > 1)
        return fail(ErrorKind::usage, "--program needs the one PATH that the program is in");
    options.progress = !raw.no_progress && !options.quiet;
    for (Severity severity : {Severity::error, Severity::warning, Severity::info}) {
        if (raw.fail_on == name(severity)) options.fail_on = severity;
    }
    return options;
}

}  // namespace migrator
