#include "ckpt_convert/checkpoint/name_pattern.h"

#include <string>
#include <utility>

namespace ckpt {
namespace {

constexpr std::size_t kMaxPattern = 512;  // characters
constexpr int kMaxGroups = 16;            // of groups in groups
constexpr std::size_t kBytes = 256;

using Set = std::vector<bool>;

void add_range(Set& set, unsigned char first, unsigned char last) {
    for (std::size_t c = first; c <= last; ++c) set[c] = true;
}

Set set_of(char c) {
    Set out(kBytes);
    out[static_cast<unsigned char>(c)] = true;
    return out;
}

// What a letter behind a backslash stands for; nullopt: nothing that is known here.
std::optional<Set> escaped(char c) {
    Set out(kBytes);
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_letter) return set_of(c);
    if (c == 'd' || c == 'w') add_range(out, '0', '9');
    if (c == 'w') {
        add_range(out, 'a', 'z');
        add_range(out, 'A', 'Z');
        out['_'] = true;
    }
    if (c == 's') {
        out[' '] = true;
        add_range(out, '\t', '\r');
    }
    return c == 'd' || c == 'w' || c == 's' ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

// Appends the states of the parts of a pattern; the last of a part goes on to the state behind it.
class NamePattern::Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::optional<std::vector<State>> parse() {
        if (text_.size() > kMaxPattern || !alternatives(0) || !text_.empty()) return std::nullopt;
        states_.push_back({State::Kind::accept});
        return std::move(states_);
    }

private:
    bool skip(std::string_view front) {
        if (!text_.starts_with(front)) return false;
        text_.remove_prefix(front.size());
        return true;
    }

    void insert(std::size_t at, State state) {
        states_.insert(states_.begin() + static_cast<std::ptrdiff_t>(at), std::move(state));
        for (std::size_t i = at + 1; i < states_.size(); ++i) {
            if (states_[i].next >= at) ++states_[i].next;
            if (states_[i].other >= at) ++states_[i].other;
        }
    }

    bool alternatives(int depth) {
        if (depth > kMaxGroups) return false;
        const std::size_t begin = states_.size();
        std::vector<std::size_t> ends;  // jumps behind the last alternative
        std::size_t first = begin;
        while (true) {
            while (!text_.empty() && !text_.starts_with('|') && !text_.starts_with(')')) {
                if (!repeated(depth)) return false;
            }
            if (!skip("|")) break;
            insert(first, {State::Kind::split, {}, first + 1, 0});
            ends.push_back(states_.size());
            states_.push_back({State::Kind::jump});
            states_[first].other = states_.size();
            first = states_.size();
        }
        for (const std::size_t end : ends) states_[end].next = states_.size();
        return true;
    }

    bool repeated(int depth) {
        const std::size_t begin = states_.size();
        if (!single(depth)) return false;
        if (skip("?")) {
            insert(begin, {State::Kind::split, {}, begin + 1, 0});
            states_[begin].other = states_.size();
        } else if (skip("*")) {
            insert(begin, {State::Kind::split, {}, begin + 1, 0});
            states_.push_back({State::Kind::jump, {}, begin});
            states_[begin].other = states_.size();
        } else if (skip("+")) {
            states_.push_back({State::Kind::split, {}, begin, states_.size() + 1});
        }
        // "a*?", "a{2}"
        return !text_.starts_with('?') && !text_.starts_with('*') && !text_.starts_with('+') && !text_.starts_with('{');
    }

    bool single(int depth) {
        const char c = text_.front();
        text_.remove_prefix(1);
        switch (c) {
            case '(': {
                if (skip("?") && !skip(":")) return false;
                return alternatives(depth + 1) && skip(")");
            }
            case '[': return bracket();
            case '.': {
                Set all(kBytes, true);
                all['\n'] = false;
                return add(std::move(all));
            }
            case '^': return add_mark(State::Kind::begin);
            case '$': return add_mark(State::Kind::end);
            case '\\': {
                if (text_.empty()) return false;
                auto set = escaped(text_.front());
                text_.remove_prefix(1);
                return set && add(std::move(*set));
            }
            case '*':
            case '+':
            case '?':
            case '{': return false;
            default: return add(set_of(c));
        }
    }

    // Behind "[".
    bool bracket() {
        const bool is_not = skip("^");
        Set out(kBytes);
        do {
            if (text_.empty()) return false;
            const char c = text_.front();
            text_.remove_prefix(1);
            if (c == '\\') {
                const auto set = text_.empty() ? std::nullopt : escaped(text_.front());
                if (!set) return false;
                text_.remove_prefix(1);
                for (std::size_t i = 0; i < kBytes; ++i) out[i] = out[i] || (*set)[i];
            } else if (text_.size() > 1 && text_[0] == '-' && text_[1] != ']') {
                if (text_[1] == '\\' || text_[1] < c) return false;
                add_range(out, static_cast<unsigned char>(c), static_cast<unsigned char>(text_[1]));
                text_.remove_prefix(2);
            } else {
                out[static_cast<unsigned char>(c)] = true;
            }
        } while (!skip("]"));
        if (is_not) out.flip();
        return add(std::move(out));
    }

    bool add(Set set) {
        states_.push_back({State::Kind::characters, std::move(set), states_.size() + 1});
        return true;
    }

    bool add_mark(State::Kind kind) {
        states_.push_back({kind, {}, states_.size() + 1});
        return true;
    }

    std::string_view text_;
    std::vector<State> states_;
};

std::optional<std::string> literal_name(std::string_view text) {
    if (!text.starts_with('^') || !text.ends_with('$')) return std::nullopt;
    std::string out;
    text.remove_prefix(1);
    text.remove_suffix(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escaped = text[i] == '\\';
        if (is_escaped && ++i == text.size()) return std::nullopt;
        const auto set = is_escaped ? escaped(text[i]) : std::nullopt;
        const bool is_one = is_escaped ? set == set_of(text[i])
                                       : std::string_view(".[](){}*+?|^$").find(text[i]) == std::string_view::npos;
        if (!is_one) return std::nullopt;
        out += text[i];
    }
    return out;
}

std::optional<NamePattern> NamePattern::parse(std::string_view text) {
    auto states = Parser(text).parse();
    if (!states) return std::nullopt;
    NamePattern out;
    out.states_ = std::move(*states);
    return out;
}

bool NamePattern::matches(std::string_view name) const {
    std::vector<std::size_t> active{0}, next;
    std::vector<std::size_t> seen(states_.size(), name.size() + 1);
    for (std::size_t at = 0; at <= name.size(); ++at) {
        next.clear();
        for (std::size_t i = 0; i < active.size(); ++i) {
            const std::size_t number = active[i];
            if (std::exchange(seen[number], at) == at) continue;
            const State& state = states_[number];
            switch (state.kind) {
                case State::Kind::accept: return true;
                case State::Kind::split: active.push_back(state.other); [[fallthrough]];
                case State::Kind::jump: active.push_back(state.next); break;
                case State::Kind::begin:
                    if (at == 0) active.push_back(state.next);
                    break;
                case State::Kind::end:
                    if (at == name.size()) active.push_back(state.next);
                    break;
                case State::Kind::characters:
                    if (at < name.size() && state.set[static_cast<unsigned char>(name[at])]) next.push_back(state.next);
            }
        }
        active.swap(next);
    }
    return false;
}

}  // namespace ckpt
