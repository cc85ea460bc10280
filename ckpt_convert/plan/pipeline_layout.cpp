// Megatron's notation for pipeline stages: E embedding, t decoder layer, m module for multi-token prediction, L loss, | next stage,
// x*3 and (..)*3 repeat.
#include <charconv>

#include "base/format.h"
#include "ckpt_convert/plan/stage_sizes.h"

namespace ckpt {
namespace {

// Longer than any real layout; keeps "(t*9999)*9999" from using all memory.
constexpr std::size_t kMaxExpandedSize = 100'000;

class Expander {
public:
    explicit Expander(std::string_view text) : text_(text) {}

    Result<std::string> run() {
        std::string out;
        while (at_ < text_.size()) {
            TRY_ASSIGN(std::string unit, next_unit());
            TRY_ASSIGN(std::uint32_t times, next_count());
            TRY(append(out, unit, times));
        }
        return out;
    }

private:
    tl::unexpected<base::Error> problem(const std::string& what) const {
        return base::fail(ErrorKind::usage, base::format("--pipeline-model-parallel-layout \"{}\": {} at character {}",
                                                         text_, what, at_ + 1));
    }

    // One letter, or the expanded inside of a pair of parentheses.
    Result<std::string> next_unit() {
        char c = text_[at_];
        if (c != '(') {
            if (std::string_view("EtmL|,").find(c) == std::string_view::npos)
                return problem("something else than E, t, m, L, |, commas, parentheses and *N stands");
            ++at_;
            return std::string(c == ',' ? "" : std::string(1, c));
        }
        std::size_t close = text_.find(')', at_);
        std::string_view inside = close == std::string_view::npos ? "(" : text_.substr(at_ + 1, close - at_ - 1);
        if (inside.find('(') != std::string_view::npos) return problem("unbalanced or nested parentheses");
        TRY_ASSIGN(std::string expanded, Expander(inside).run());
        at_ = close + 1;
        return expanded;
    }

    Result<std::uint32_t> next_count() {
        if (at_ >= text_.size() || text_[at_] != '*') return 1u;
        std::uint32_t times = 0;
        auto [end, code] = std::from_chars(text_.data() + at_ + 1, text_.data() + text_.size(), times);
        if (code != std::errc()) return problem("a number must follow \"*\"");
        at_ = static_cast<std::size_t>(end - text_.data());
        return times;
    }

    Status append(std::string& out, const std::string& unit, std::uint32_t times) const {
        if (unit.size() * std::uint64_t{times} > kMaxExpandedSize - out.size())
            return problem("the layout is too long");
        if (unit.empty()) return {};  // "()*4000000000" costs no time
        for (std::uint32_t i = 0; i < times; ++i) out += unit;
        return {};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<StageLetters>> parse_pipeline_layout(const std::string& text) {
    TRY_ASSIGN(std::string expanded, Expander(text).run());
    std::size_t embedding = expanded.find('E'), loss = expanded.find('L');
    if (embedding != 0 || expanded.find('E', 1) != std::string::npos || loss == std::string::npos ||
        loss + 1 != expanded.size()) {
        return base::fail(ErrorKind::usage,
                          base::format("--pipeline-model-parallel-layout \"{}\" must begin with E (the embedding), end "
                                       "with L (the loss), and have one of each",
                                       text));
    }
    const std::size_t modules = expanded.find('m'), last = expanded.rfind('m');
    if (modules != std::string::npos &&
        (expanded.find('t', modules) != std::string::npos || expanded.find('|', modules) < last))
        return base::fail(
            ErrorKind::usage,
            base::format("--pipeline-model-parallel-layout \"{}\": modules for multi-token prediction (m) "
                         "stand after all decoder layers (t), and in one stage",
                         text));
    std::vector<StageLetters> stages(1);
    for (char c : expanded) {
        if (c == '|') stages.emplace_back();
        stages.back().layers += c == 't';
        stages.back().modules += c == 'm';
    }
    return stages;
}

}  // namespace ckpt
