// Scripts that are checked against a model: what is found lies in the files, and --fix changes nothing else.
#include <algorithm>

#include "base/data_store.h"
#include "ckpt_convert/launch/script_check.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

constexpr const char* kConfig =
    R"({"model_type": "qwen3", "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 512, "vocab_size": 640, "max_position_embeddings": 4096, "head_dim": 64,
    "tie_word_embeddings": false, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "hidden_act": "silu"})";

struct Known {
    base::DataStore store;
    ckpt::Knowledge knowledge;
    static const Known& all() {
        static const Known known = [] {
            Known out;
            out.knowledge = *ckpt::Knowledge::load(out.store);
            return out;
        }();
        return known;
    }
};

// The text without what edits put in another's place.
std::size_t kept_bytes(const ckpt::ScriptCheck& check, std::uint32_t file) {
    std::size_t changed = 0;
    for (const ckpt::ScriptFinding& finding : check.findings)
        for (const ckpt::ScriptEdit& edit : finding.edits)
            if (edit.place.file == file) changed += edit.place.end - edit.place.begin;
    const std::size_t size = check.files[file].text.size();
    return size - std::min(size, changed);
}

void check(test::MemoryFileSystem& fs, const std::string& script) {
    ckpt::CheckRequest request;
    request.script = script;
    request.model = "/model";
    request.machine = "a2";
    const auto found = ckpt::check_script(fs, Known::all().knowledge, Known::all().store, request);
    if (!found) return;
    for (const ckpt::ScriptFinding& finding : found->findings) {
        fuzz::require(finding.place.file < found->files.size(), "a finding is in a file that was read");
        const std::string& text = found->files[finding.place.file].text;
        fuzz::require(finding.place.begin <= finding.place.end && finding.place.end <= text.size(),
                      "a finding is in its file");
        const auto lines =
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(finding.place.begin), '\n');
        fuzz::require(finding.line == static_cast<std::uint32_t>(lines) + 1, "the line is that of the place");
        for (const ckpt::ScriptEdit& edit : finding.edits)
            fuzz::require(
                edit.place.file < found->files.size() && edit.place.end <= found->files[edit.place.file].text.size(),
                "an edit is in its file");
    }
    const auto fixed = found->fixed();
    fuzz::require(fixed.size() == found->files.size(), "every file is fixed or not");
    for (std::uint32_t file = 0; file < fixed.size(); ++file)
        fuzz::require(!fixed[file] || fixed[file]->size() >= kept_bytes(*found, file), "what no edit is about stays");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    test::MemoryFileSystem fs;
    fs.add("/model/config.json", kConfig);
    // The first byte says whether it is a script or the settings of FSDP2.
    const std::string script = data[0] % 4 == 0 ? "/launch.yaml" : "/launch.sh";
    fs.add(script, std::string(fuzz::text_of(data + 1, size - 1)));
    check(fs, script);
    return 0;
}
