#include "ckpt_convert/app/output_manifest.h"

#include "base/format.h"
#include "base/version.h"
#include "ckpt_convert/execute/plan_text.h"

namespace ckpt {

std::uint64_t fingerprint(const PlannedOutput& target) {
    constexpr std::uint64_t kStart = 0xCBF29CE484222325u, kPrime = 0x100000001B3u;  // FNV-1a
    std::uint64_t hash = kStart;
    auto add_part = [&](std::string_view text) {
        for (char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
    };
    auto add = [&](std::string_view text) {
        add_part(text);
        hash = (hash ^ 0xFF) * kPrime;  // no text has this byte, so it ends one
    };
    write_plan(target.plan, target.output, add_part);
    add("");
    for (const OutputFile& file : target.output.files) add(base::format("{} {}", file.path, file.bytes));
    for (const SideFile& text : target.texts) {
        add(text.path);
        add(text.content);
    }
    return hash;
}

Manifest begin_manifest(const Source& source, const PlannedOutput& target, std::uint64_t fingerprint) {
    return {base::format("ckpt_convert {}", base::kVersion),
            base::format("{:016x}", fingerprint),
            source.title,
            target.title,
            source.model.mapping().family,
            {}};
}

void add_written(Manifest& manifest, const OutputPlan& output, const Executed& executed) {
    for (std::size_t i = 0; i < output.files.size(); ++i)
        manifest.files.push_back({output.files[i].path, output.files[i].bytes, {executed.crc32[i]}});
}

void add_written(Manifest& manifest, const SideFile& file) {
    manifest.files.push_back(manifest_entry(file.path, file.content));
}

}  // namespace ckpt
