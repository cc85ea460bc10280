// TextContents: what a file that is no Python says: its code, its settings by key, and the commands of a shell in it.
//
//   device: cuda                                 setting device = cuda
//   devices: [cuda:0, cuda:1]                    settings devices = cuda:0, devices = cuda:1, of one list each
//   DEVICE=cuda python t.py --backend nccl       settings DEVICE = cuda, backend = nccl; command python t.py --backend nccl
//
// Everything is a part of the one text that was read, so that it has a place in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/text_position.h"

namespace migrator {

using KeyId = std::uint32_t;
inline constexpr KeyId kNoKey = 0xFFFFFFFF;

// The name of a key, an option without its dashes, or a variable; of "a.b.c" the last one.
struct TextKey {
    std::string_view name;
    KeyId parent = kNoKey;  // the key that its mapping stands behind
};

// A value, without quotes. Of a list every element is one, with the key of the list.
struct TextSetting {
    KeyId key = kNoKey;
    std::string_view text;
    unsigned lists = 0;  // that it is an element of, one in the other, behind its key
};

// What YAML gives a name to have it elsewhere as well: "gpu" of `x-gpu: &gpu`. A setting there has the text "*gpu".
struct TextAnchor {
    std::string_view name;
    KeyId key = kNoKey;
};

// A command of a shell: words without their quotes, and without variables in front, redirections and keywords.
struct TextCommand {
    std::vector<std::string_view> words;
};

struct TextContents {
    std::string_view text;
    std::uint64_t begin = 0;             // of the text in the file
    std::vector<std::string_view> code;  // the lines, without comments
    std::vector<TextKey> keys;
    std::vector<TextSetting> settings;
    std::vector<TextCommand> commands;
    int depth = 0;  // how many texts the one that is read stands in: a here-document, a command in quotes
    std::vector<std::string_view> python{};  // programs in it: python -c "...", python - <<END
    std::vector<TextAnchor> anchors{};       // of YAML

    // Nothing reads a key of such a length, and each value below it would cost as much as it is long.
    static constexpr std::size_t kMaxNameBytes = 1024;

    KeyId add_key(std::string_view name, KeyId parent = kNoKey) {
        keys.push_back({name.size() <= kMaxNameBytes ? name : std::string_view(), parent});
        return static_cast<KeyId>(keys.size() - 1);
    }
    std::string_view name_of(KeyId key) const { return key == kNoKey ? std::string_view() : keys[key].name; }
    // Of each key the one around it, or itself, that stands right below a key of these names; kNoKey: below none.
    std::vector<KeyId> keys_right_below(std::span<const std::string> names) const {
        std::vector<KeyId> out(names.empty() ? 0 : keys.size(), kNoKey);
        for (KeyId key = 0; key < out.size(); ++key) {
            const KeyId parent = keys[key].parent;
            if (parent == kNoKey) continue;
            out[key] = out[parent];
            if (out[key] == kNoKey && base::contains(names, keys[parent].name)) out[key] = key;
        }
        return out;
    }
    // Where a part of the text stands in the file.
    base::ByteRange place(std::string_view part) const {
        const auto at = begin + static_cast<std::uint64_t>(part.data() - text.data());
        return {at, at + part.size()};
    }
};

}  // namespace migrator
