// Tokens of JSON in a part of a large file: where a value ends, without a tree of it and without recursion. What stands inside a
// value that nobody asks for is skipped as text, so that numbers and strings that strict readers refuse do no harm there.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace migrator {

inline constexpr int kMaxJsonDepth = 64;

// A place in a text that may go on behind its end.
class JsonCursor {
public:
    explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    enum class State { good, cut, bad };  // cut: the text ends inside what was read
    State state() const { return state_; }
    const char* at() const { return at_; }
    bool at_end() const { return at_ == end_; }

    // The next character that is no blank, which stays; '\0' where the text ends.
    char peek() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
        if (at_ == end_) state_ = state_ == State::good ? State::cut : state_;
        return at_ == end_ ? '\0' : *at_;
    }
    // The same, and past it if it is `wanted`.
    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }
    // Fails as bad, not as cut, where another character stands there.
    bool expect(char wanted) {
        if (take(wanted)) return true;
        if (state_ == State::good) state_ = State::bad;
        return false;
    }
    // A string with its quotes, a number, a word, or a whole object or list. Empty on failure.
    std::string_view value();
    // What is in the quotes of a string, as it is written. Empty on failure as well.
    std::string_view key();

private:
    bool skip_string();
    bool skip_nested();
    bool skip_word();
    bool fail(State state) {
        state_ = state;
        return false;
    }

    const char* at_;
    const char* end_;
    State state_ = State::good;
};

// The members of an object: visit(key, value), each as it is written, until it returns false. What is broken ends them.
template <class Visit>
void each_member(std::string_view object, Visit visit) {
    JsonCursor cursor(object);
    if (!cursor.take('{') || cursor.take('}')) return;
    do {
        if (cursor.peek() != '"') return;
        const std::string_view key = cursor.key();
        if (!cursor.expect(':')) return;
        const std::string_view value = cursor.value();
        if (cursor.state() != JsonCursor::State::good || !visit(key, value)) return;
    } while (cursor.take(','));
}

// The items of a list: visit(value).
template <class Visit>
void each_item(std::string_view list, Visit visit) {
    JsonCursor cursor(list);
    if (!cursor.take('[') || cursor.take(']')) return;
    do {
        const std::string_view value = cursor.value();
        if (cursor.state() != JsonCursor::State::good) return;
        visit(value);
    } while (cursor.take(','));
}

// A token without its quotes, if it has some.
inline std::string_view unquoted(std::string_view token) {
    return token.size() >= 2 && token.front() == '"' ? token.substr(1, token.size() - 2) : token;
}

// The text of a string without its quotes: the view itself where nothing is escaped, else made in `scratch`.
std::string_view unescaped(std::string_view text, std::string& scratch);

}  // namespace migrator
