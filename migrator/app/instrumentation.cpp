#include "migrator/app/instrumentation.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/number_text.h"
#include "base/shell_word.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

constexpr std::string_view kNone = "none";  // only takes the lines of an earlier run out

// A parsed text and what is asked of it.
struct ParsedScript {
    ParsedScript(std::string_view text, const Knowledge& knowledge, const ModuleContext& module)
        : tree(SyntaxTree::parse(text)),
          bindings(Bindings::analyse(tree, knowledge.facts, module)),
          script(tree, bindings),
          loops(find_training_loops(script, knowledge.loops)) {}

    SyntaxTree tree;
    Bindings bindings;
    Script script;
    std::vector<TrainingLoop> loops;
};

std::string known_instruments(const InstrumentFacts& facts) {
    std::string out;
    for (const auto& [name, instrument] : facts.instruments) out += name + ", ";
    return out + std::string(kNone);
}

// FILE or FILE:LINE
struct NamedLoop {
    Path file;
    std::uint32_t line = 0;  // 0: not said
};

NamedLoop named_loop(const Path& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) return {text, 0};
    const auto line = base::number_in<std::uint32_t>(std::string_view(text).substr(colon + 1));
    if (!line) return {text, 0};
    return {text.substr(0, colon), *line};
}

}  // namespace

// All training loops of the projects, and what stands in for one.
struct Instrumentation::Search {
    const Knowledge& knowledge;
    const InstrumentFacts& facts;
    std::vector<Place> places;
    std::vector<std::string> near;  // what is none: gradients without a step, libraries with loops of their own

    void look_at(const std::vector<Project>& projects, std::size_t number, std::size_t index, std::string_view text) {
        const Project& project = projects[number];
        const Path& file = project.files.files[index].path;
        const ParsedScript parsed(text, knowledge, module_context(project, file));
        const base::LineIndex lines(text);
        const Path shown = project.shown(file);
        for (std::size_t i = 0; i < parsed.loops.size(); ++i) {
            const TrainingLoop& loop = parsed.loops[i];
            const base::ByteRange range = parsed.tree.range(loop.loop);
            Place place{shown, number, index, i, range, lines.position(range.begin), lines.position(range.end)};
            if (loop.steps.empty()) {
                near.push_back(
                    base::format("{}:{}: gradients are computed in this loop, but the step of an optimizer "
                                 "is not seen in the file",
                                 shown, place.begin.line));
                continue;
            }
            places.push_back(std::move(place));
        }
        for (const LoopFramework& framework : facts.frameworks) {
            for (const NodeId node : parsed.bindings.external_expressions()) {
                const NodeId call = parsed.tree.parent(node);
                const bool is_called = call != kNoNode && parsed.tree.kind(call) == NodeKind::call &&
                                       parsed.tree.field(node) == Field::function;
                if (is_called && parsed.script.means(node, framework.names))
                    near.push_back(base::format("{}:{}: `{}` runs the loop by itself: {}", shown,
                                                parsed.script.line(node), parsed.tree.text(node), framework.use));
            }
        }
    }

    // Those that are named; without a line all of the file.
    base::Status keep_named(const std::vector<Project>& projects, const Path& text) {
        const NamedLoop named = named_loop(text);
        Path file;
        for (const Project& project : projects) {
            if (const auto place = find_python_file(project, named.file))
                file = project.shown(project.files.files[*place].path);
        }
        if (file.empty())
            return base::fail(ErrorKind::usage,
                              "--loop names a Python file of the project, and there is none of this name", named.file);
        std::erase_if(places, [&](const Place& place) {
            const bool holds = named.line == 0 || (place.begin.line <= named.line && named.line <= place.end.line);
            return place.file != file || !holds;
        });
        return {};
    }

    base::Status check_one(const Path& named) const {
        if (places.size() == 1) return {};
        if (places.empty()) {
            std::string text =
                "no training loop is found: no loop with `backward()` and the step of an optimizer, in one file";
            if (!named.empty()) text = "no training loop is found there";
            for (const std::string& reason : near) text += "; " + reason;
            return base::fail(ErrorKind::unsupported, "--instrument: " + text, named);
        }
        std::vector<std::string> found;
        for (const Place& place : places) found.push_back(base::format("{}:{}", place.file, place.begin.line));
        return base::fail(ErrorKind::unsupported,
                          base::format("--instrument: there are {} training loops: {}; say which with --loop {}",
                                       found.size(), base::joined(found, ", "), base::shell_path(found.front())));
    }
};

base::Result<Instrumentation> Instrumentation::plan(base::FileSystem& fs, const Options& options,
                                                    const Knowledge& knowledge, const std::vector<Project>& projects) {
    Instrumentation out;
    if (options.instrument.empty()) return out;
    out.knowledge_ = &knowledge;
    out.name_ = options.instrument;
    TRY_ASSIGN(const InstrumentFacts facts, InstrumentFacts::load(knowledge.store));
    for (const auto& [name, instrument] : facts.instruments) {
        if (!instrument.file.empty()) out.files_.push_back(instrument.file);
    }
    if (out.name_ == kNone) return out;
    const auto found = facts.instruments.find(out.name_);
    if (found == facts.instruments.end())
        return base::fail(ErrorKind::usage, base::format("--instrument: unknown '{}'; there are {}", out.name_,
                                                         known_instruments(facts)));
    out.instrument_ = found->second;
    Search search{knowledge, facts, {}, {}};
    for (std::size_t number = 0; number < projects.size(); ++number) {
        const std::vector<FoundFile>& files = projects[number].files.files;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (!files[i].analysed || files[i].type != FileType::python) continue;
            const auto source = read_source(fs, projects[number], i);
            // What cannot be read is reported by the analysis.
            if (source && !source->problem) search.look_at(projects, number, i, source->text);
        }
    }
    if (!options.loop.empty()) TRY(search.keep_named(projects, options.loop));
    TRY(search.check_one(options.loop));
    out.place_ = search.places.front();
    // What is in the way is told before anything is written.
    const Project& project = projects[out.place_.project];
    TRY_ASSIGN(const SourceFile source, read_source(fs, project, out.place_.index));
    TRY(out.with_lines(without_instruments(source.text), module_context(project, source.path)));
    return out;
}

// The text with the lines around its loop.
base::Result<std::string> Instrumentation::with_lines(const std::string& text, const ModuleContext& module) const {
    const ParsedScript parsed(text, *knowledge_, module);
    CHECK(place_.number < parsed.loops.size());
    const Instrumented lines = instrument(parsed.script, knowledge_->loops, parsed.loops[place_.number], *instrument_);
    if (!lines.obstacles.empty())
        return base::fail(ErrorKind::unsupported, "--instrument: " + base::joined(lines.obstacles, "; "), place_.file);
    EditSet set;
    CHECK(set.add(lines.edits));
    return set.apply(text);
}

base::Result<std::optional<NewFile>> Instrumentation::file(base::FileSystem& fs,
                                                           const std::vector<Project>& projects) const {
    if (!instrument_ || instrument_->file.empty()) return std::nullopt;
    const Project& project = projects[place_.project];
    const Path& beside = project.files.files[place_.index].path;
    NewFile out;
    out.project = &project;
    out.path = base::join(base::directory_below(beside), Path(instrument_->file));
    out.type = FileType::json;
    TRY_ASSIGN(const bool is_there, base::is_there(fs, project.on_disk(out.path)));
    if (is_there) return std::nullopt;
    out.content = base::joined(instrument_->file_lines, "\n") + "\n";
    out.rule = "file.instrument";
    out.message = "A new file: what the lines around the training loop read.";
    return out;
}

base::Status Instrumentation::apply(const ModuleContext& module, FileOutcome& outcome) const {
    if (name_.empty() || outcome.type != FileType::python) return {};
    std::string text = without_instruments(outcome.rewritten);
    FindingOutcome item;
    item.finding.rule = "instrument." + name_;
    item.finding.kind = FindingKind::file;
    item.finding.severity = Severity::info;
    item.finding.subject = outcome.path;
    item.state = FixState::applied;
    const bool is_here = instrument_ && place_.file == outcome.path;
    if (is_here) {
        TRY_ASSIGN(text, with_lines(text, module));
        item.finding.range = place_.range;
        item.begin = place_.begin;
        item.end = place_.end;
        item.finding.message = instrument_->message;
    } else {
        item.finding.message = "The lines that an earlier --instrument put here are removed.";
        for (const std::string& file : files_) {
            if (outcome.rewritten.find(file) != std::string::npos && text.find(file) == std::string::npos)
                item.finding.message.add(
                    {"They read {file} in the same directory: delete it, unless something else reads it.",
                     {{"file", file}}});
        }
    }
    if (is_here || text != outcome.rewritten) outcome.findings.push_back(std::move(item));
    outcome.rewritten = std::move(text);
    return {};
}

}  // namespace migrator
