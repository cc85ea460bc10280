// NumberedTexts: the texts of a database by their numbers. Any number of rows may have one, and each costs as much as the text is long:
// what is very long is shortened.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "migrator/profile/packed_list.h"
#include "migrator/profile/text_pool.h"

namespace migrator {

class NumberedTexts {
public:
    static constexpr std::size_t kMaxTextBytes = 4096;
    static constexpr std::size_t kMaxStackBytes = 16384;

    void add(std::int64_t id, std::string_view text) { rows_.push_back({id, pool_.number(shortened(text))}); }
    // One more frame of a stack, the frames of which follow each other, the innermost first.
    void add_frame(std::int64_t id, std::string_view frame) {
        if (open_ != id) close();
        open_ = id;
        if (stack_.size() >= kMaxStackBytes) return;
        if (!stack_.empty()) stack_ += ";\r\n";
        stack_ += frame;
    }
    // When all are there.
    void order() {
        close();
        rows_ = sorted_by<&Row::id>(std::move(rows_));
    }
    std::optional<std::string_view> find(std::int64_t id) const {
        const std::size_t place = rows_.lower_bound<&Row::id>(id);
        if (place == rows_.size() || rows_.get<&Row::id>(place) != id) return std::nullopt;
        return pool_[rows_.get<&Row::text>(place)];
    }

private:
    struct Row {
        std::int64_t id = 0;
        TextNumber text = kNoText;
    };

    // Its beginning, and what tells it from others that begin so.
    static std::string shortened(std::string_view text) {
        if (text.size() <= kMaxTextBytes) return std::string(text);
        const std::string end = base::format("... ({} bytes, {})", text.size(), std::hash<std::string_view>{}(text));
        std::size_t kept = kMaxTextBytes - end.size();
        while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xC0) == 0x80) --kept;  // whole letters
        return std::string(text.substr(0, kept)) + end;
    }

    void close() {
        if (open_) rows_.push_back({*open_, pool_.number(stack_)});
        open_.reset();
        stack_.clear();
    }

    TextPool pool_;
    PackedList<Row, &Row::id, &Row::text> rows_;
    std::optional<std::int64_t> open_;  // the number of the stack that is read
    std::string stack_;
};

}  // namespace migrator
