#include "migrator/app/peer_options.h"

#include <algorithm>
#include <array>

#include "base/file_system.h"
#include "base/format.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::fail;

constexpr std::string_view kLibraryMode = "third_party";
constexpr auto kModes = std::to_array<std::string_view>({"torch_apis", kLibraryMode, "affinity_apis", "dynamic_shape"});

struct PeerLine {
    std::string input, output, version, mode;
    std::string main, model;  // of `distributed`
    bool one_device = false;
    bool cloud_paths = false;
    bool analysis_inputs = false;
};

class Reader {
public:
    explicit Reader(const std::vector<std::string>& arguments) : arguments_(arguments) {}

    base::Result<PeerLine> read() {
        while (at_ < arguments_.size()) {
            const std::string option = arguments_[at_++];
            if (option == "distributed") return read_distributed();
            if (option == "-i" || option == "--input") TRY(value(option, line_.input));
            else if (option == "-o" || option == "--output") TRY(value(option, line_.output));
            else if (option == "-v" || option == "--version") TRY(value(option, line_.version));
            else if (option == "-s" || option == "--specify-device") line_.one_device = true;
            else if (option == "--modelarts") line_.cloud_paths = true;
            else if (option == "-m" || option == "--mode") TRY(mode(option));
            else if (option == "-api" || option == "--api-files" || option == "-env" || option == "--env-path")
                skip_list();
            else return unknown(option);
        }
        return std::move(line_);
    }

private:
    base::Result<PeerLine> read_distributed() {
        line_.model = "model";
        while (at_ < arguments_.size()) {
            const std::string option = arguments_[at_++];
            if (option == "-m" || option == "--main") TRY(value(option, line_.main));
            else if (option == "-t" || option == "--target_model") TRY(value(option, line_.model));
            else return unknown(option);
        }
        if (line_.main.empty()) return fail(ErrorKind::usage, "distributed needs -m MAIN, the script that is started");
        return std::move(line_);
    }

    base::Status value(const std::string& option, std::string& into) {
        if (at_ == arguments_.size()) return fail(ErrorKind::usage, base::format("{} needs a value", option));
        into = arguments_[at_++];
        return {};
    }

    // -m is a mode of the analysis, or the mark of a cloud project.
    base::Status mode(const std::string& option) {
        const bool has_word =
            at_ < arguments_.size() && !arguments_[at_].starts_with("-") && arguments_[at_] != "distributed";
        if (option == "-m" && !has_word) {
            line_.cloud_paths = true;
            return {};
        }
        TRY(value(option, line_.mode));
        if (std::find(kModes.begin(), kModes.end(), line_.mode) != kModes.end()) return {};
        return fail(ErrorKind::usage,
                    base::format("there is no mode '{}', only {}", line_.mode, base::joined(kModes, ", ")));
    }

    void skip_list() {
        line_.analysis_inputs = true;
        while (at_ < arguments_.size() && !arguments_[at_].starts_with("-")) ++at_;
    }

    tl::unexpected<base::Error> unknown(const std::string& option) const {
        return fail(ErrorKind::usage,
                    base::format("'{}' is no option beside -i, -o and -v; see migrator --help", option));
    }

    const std::vector<std::string>& arguments_;
    std::size_t at_ = 0;
    PeerLine line_;
};

base::Result<TranslatedLine> translated(const PeerLine& line) {
    if (line.output.empty())
        return fail(ErrorKind::usage,
                    base::format("say where the result goes: migrator migrate {} -o OUT", line.input));
    const std::string name(base::file_name(line.input));
    auto in_output = [&](const char* suffix) { return base::join(line.output, name + suffix); };
    TranslatedLine out;
    std::vector<std::string>& words = out.arguments;
    const bool is_library = line.mode == kLibraryMode;
    if (is_library) words = {"analyze", line.input, "--library", "-o", in_output("_analysis.json")};
    else if (!line.mode.empty() || line.analysis_inputs)
        words = {"analyze", line.input, "--report", in_output("_analysis")};
    else words = {"migrate", line.input, "-o", in_output(line.main.empty() ? "_msft" : "_msft_multi")};
    if (!line.version.empty()) words.insert(words.end(), {"--torch-version", line.version});
    if (!line.main.empty()) words.insert(words.end(), {"--distributed", line.main, "--model", line.model});
    out.notes.push_back({"The new way to write this: migrator {arguments}", {{"arguments", base::joined(words, " ")}}});
    if (line.one_device)
        out.notes.push_back(
            "-s is not needed: ASCEND_RT_VISIBLE_DEVICES chooses the device without a change of the code.");
    if (line.cloud_paths) out.notes.push_back("-m for ModelArts is not needed: paths are left as they are.");
    if (is_library)
        out.notes.push_back(
            {"The result says what each function of the library leads to. The analysis of a project "
             "that uses it takes it: --with-library {file}",
             {{"file", in_output("_analysis.json")}}});
    else if (!line.mode.empty())
        out.notes.push_back({"-m {mode} is not needed: one analysis reports everything.", {{"mode", line.mode}}});
    if (line.analysis_inputs) out.notes.push_back("-api and -env are not needed: rules say what is known of packages.");
    return out;
}

}  // namespace

base::Result<std::optional<TranslatedLine>> translate_peer_line(const std::vector<std::string>& arguments) {
    auto is_input = [](const std::string& word) { return word == "-i" || word == "--input"; };
    const bool is_peer = !arguments.empty() && arguments.front().starts_with("-") &&
                         std::any_of(arguments.begin(), arguments.end(), is_input);
    if (!is_peer) return std::optional<TranslatedLine>{};
    TRY_ASSIGN(const PeerLine line, Reader(arguments).read());
    TRY_ASSIGN(TranslatedLine out, translated(line));
    return std::optional<TranslatedLine>{std::move(out)};
}

}  // namespace migrator
