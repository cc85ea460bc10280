#include "migrator/values/value_form.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/python/literal.h"

namespace migrator {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A hole, "%d", "%(name)s" or "{...}" as a whole, or what a shell puts there: "$NAME", "${...}", "$(...)".
bool is_field(std::string_view text) {
    if (text.size() == 1 && text[0] == kHole) return true;
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}') return text.find('}') == text.size() - 1;
    if (text.size() >= 2 && text[0] == '$') {
        const bool is_bracket = text[1] == '{' || text[1] == '(';
        return is_bracket ? text.back() == (text[1] == '{' ? '}' : ')')
                          : std::all_of(text.begin() + 1, text.end(), base::is_word_char);
    }
    if (text.size() == 2 && text[0] == '%') return base::is_word_char(text[1]);
    return text.size() >= 4 && text.starts_with("%(") && base::is_word_char(text.back()) &&
           text.find(')') == text.size() - 2;
}

// Behind the colon: nothing (the number is added later), a number or a field.
bool is_index(std::string_view text) {
    return text.empty() || is_field(text) || std::all_of(text.begin(), text.end(), is_digit);
}

struct Item {
    std::size_t begin, end;  // without blanks around
};

std::vector<Item> split_items(std::string_view text) {
    std::vector<Item> items;
    for (std::size_t begin = 0;;) {
        std::size_t comma = std::min(text.find(',', begin), text.size());
        Item item{begin, comma};
        // Blanks around the whole text are part of a value that is something else.
        while (item.begin < item.end && begin != 0 && text[item.begin] == ' ') ++item.begin;
        while (item.begin < item.end && comma != text.size() && text[item.end - 1] == ' ') --item.end;
        items.push_back(item);
        if (comma == text.size()) return items;
        begin = comma + 1;
    }
}

bool add_device(std::string_view text, Item item, const ValueRow& row, std::vector<ValueToken>& out) {
    std::size_t end = item.begin;
    while (end < item.end && base::is_word_char(text[end])) ++end;
    if (end == item.begin) return is_field(text.substr(item.begin, item.end - item.begin));
    std::string_view rest = text.substr(end, item.end - end);
    bool well_formed = rest.empty() || is_field(rest) || (rest.front() == ':' && is_index(rest.substr(1)));
    if (!well_formed) return false;
    auto found = row.fix.replace.find(text.substr(item.begin, end - item.begin));
    if (found != row.fix.replace.end()) out.push_back({item.begin, end, found->second});
    return true;
}

bool add_backend(std::string_view text, Item item, const ValueRow& row, std::vector<ValueToken>& out) {
    std::string_view whole = text.substr(item.begin, item.end - item.begin);
    std::size_t colon = whole.find(':');
    auto add = [&](std::size_t begin, std::size_t end) {
        std::string_view name = text.substr(begin, end - begin);
        if (name.empty() || !std::all_of(name.begin(), name.end(), base::is_word_char)) return false;
        auto found = row.fix.replace.find(name);
        if (found != row.fix.replace.end()) out.push_back({begin, end, found->second});
        return true;
    };
    if (colon == whole.npos) return add(item.begin, item.end);
    return add(item.begin, item.begin + colon) && add(item.begin + colon + 1, item.end);
}

std::vector<ValueToken> word_tokens(std::string_view text, const ValueRow& row) {
    const auto found = row.fix.replace.find(text);
    if (found == row.fix.replace.end()) return {};
    return {{0, text.size(), found->second}};
}

}  // namespace

std::vector<ValueToken> value_tokens(std::string_view text, const ValueRow& row) {
    if (row.form == ValueForm::word) return word_tokens(text, row);
    std::vector<ValueToken> out;
    if (!has_token(text, row)) return out;
    for (Item item : split_items(text)) {
        bool fits =
            row.form == ValueForm::device ? add_device(text, item, row, out) : add_backend(text, item, row, out);
        if (!fits) return {};
    }
    const bool has_whole_token = std::any_of(out.begin(), out.end(), [&](const ValueToken& token) {
        return base::contains(row.tokens, text.substr(token.begin, token.end - token.begin));
    });
    if (!has_whole_token) return {};
    return out;
}

bool has_token(std::string_view text, const ValueRow& row) {
    return std::ranges::any_of(row.tokens, [&](const std::string& token) { return text.find(token) != text.npos; });
}

std::string replaced(std::string_view text, const std::vector<ValueToken>& tokens) {
    std::string out;
    std::size_t done = 0;
    for (const ValueToken& token : tokens) {
        out += text.substr(done, token.begin - done);
        out += token.replacement;
        done = token.end;
    }
    out += text.substr(done);
    return out;
}

}  // namespace migrator
