#include "ckpt_convert/app/launch.h"

#include "base/console.h"
#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/random.h"
#include "base/write_file.h"
#include "ckpt_convert/app/script_views.h"
#include "ckpt_convert/execute/staged_output.h"
#include "ckpt_convert/launch/launch_set.h"

namespace ckpt {
namespace {

constexpr std::string_view kScript = ".sh";
constexpr std::uint32_t kExecutable = 0755;

// All of them, or none. The README comes last.
Status write_set(base::FileSystem& fs, const LaunchSet& set, const Path& out) {
    TRY_ASSIGN(StagedOutput staging, StagedOutput::begin(fs, out, "launch"));
    for (const SideFile& file : set.files) {
        TRY_ASSIGN(auto writing, staging.create(file.path));
        TRY(writing->write_at(0, base::as_bytes(file.content)));
        if (file.path.ends_with(kScript)) TRY(writing->set_mode(kExecutable));
        TRY(staging.finish(file.path, *writing));
    }
    return staging.commit({"README.md"}, {});
}

std::string set_json(const LaunchSet& set, const Path& out) {
    base::JsonWriter json(0);
    json.begin_object().key("model").string(set.title).key("target").string(set.target);
    json.key("layout").string(set.layout).key("directory").string(out).key("files").begin_array();
    for (const SideFile& file : set.files) json.string(file.path);
    json.end_array().key("notes").begin_array();
    for (const std::string& note : set.notes) json.string(note);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

std::string set_text(const LaunchSet& set, const Path& out, const base::Language& say) {
    std::string text = say.show("wrote {} to {}: {} for {}, {}\n", say.plural(set.files.size(), "file"), out, set.title,
                                set.target, set.layout);
    for (const std::string& note : set.notes) text += say.show("note: {}\n", say.said(note));
    return text + say.show("README.md there says what comes in which order\n");
}

// New texts of all files that change, or of none.
Status write_fixed(base::FileSystem& fs, const ScriptCheck& check,
                   const std::vector<std::optional<std::string>>& fixed) {
    TRY_ASSIGN(const std::string token, base::random_digits());
    const auto write = [&](const ScriptFile& file, const std::string& text) -> Status {
        TRY_ASSIGN(const auto info, fs.info(file.path));
        return base::write_file_of(fs, file.path, text, {info.mode, true}, token);
    };
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (!fixed[i]) continue;
        const Status done = write(check.files[i], *fixed[i]);
        if (done) continue;
        for (std::size_t before = 0; before < i; ++before) {
            if (fixed[before]) (void)write(check.files[before], check.files[before].text);
        }
        return done;
    }
    return {};
}

Result<int> check(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                  const Options& options) {
    const CheckRequest& request = options.launch.check;
    TRY_ASSIGN(const ScriptCheck found, check_script(fs, knowledge, store, request));
    std::vector<std::optional<std::string>> fixed;
    if (request.fix) {
        fixed = found.fixed();
        TRY(write_fixed(fs, found, fixed));
    }
    if (options.json) base::print(stdout, check_json(found, fixed));
    else if (!options.quiet) base::print(stdout, check_text(found, fixed, options.language));
    return found.count("error") + found.count("warning") > 0 ? 1 : 0;
}

}  // namespace

Result<int> launch(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                   const Options& options) {
    if (!options.launch.check.script.empty()) return check(fs, knowledge, store, options);
    TRY_ASSIGN(const LaunchSet set, launch_set(fs, knowledge, store, options.launch.request));
    TRY(write_set(fs, set, options.launch.out));
    if (options.json) base::print(stdout, set_json(set, options.launch.out));
    else if (!options.quiet) base::print(stdout, set_text(set, options.launch.out, options.language));
    return 0;
}

}  // namespace ckpt
