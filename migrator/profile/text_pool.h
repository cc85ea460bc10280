// TextPool: gives each text a number, and keeps it once.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace migrator {

using TextNumber = std::uint32_t;
inline constexpr TextNumber kNoText = 0;  // of the empty text

class TextPool {
public:
    TextPool() { number({}); }

    TextNumber number(std::string_view text) {
        const auto found = numbers_.find(text);
        if (found != numbers_.end()) return found->second;
        const auto next = static_cast<TextNumber>(all_.size());
        all_.push_back(kept(text));
        numbers_.emplace(all_.back(), next);
        return next;
    }
    std::string_view operator[](TextNumber number) const { return all_[number]; }
    std::size_t size() const { return all_.size(); }

private:
    static constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

    std::string_view kept(std::string_view text) {
        if (text.empty()) return {};
        if (text.size() > left_) {
            left_ = text.size() > kBlockBytes ? text.size() : kBlockBytes;
            blocks_.push_back(std::make_unique<char[]>(left_));
            next_ = blocks_.back().get();
        }
        std::memcpy(next_, text.data(), text.size());
        const std::string_view out(next_, text.size());
        next_ += text.size();
        left_ -= text.size();
        return out;
    }

    std::vector<std::unique_ptr<char[]>> blocks_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
    std::vector<std::string_view> all_;
    std::unordered_map<std::string_view, TextNumber> numbers_;
};

}  // namespace migrator
