#include "migrator/source/named_modules.h"

#include "base/text.h"

namespace migrator {
namespace {

bool is_name_char(char c) { return base::is_word_char(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_dotted_char(char c) { return is_name_char(c) || c == '.'; }
bool is_path_char(char c) { return is_dotted_char(c) || c == '/' || c == '-' || c == '+' || c == '@'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

// Code from one name to the next: blanks, comments and joined lines are passed over.
class Scanner {
public:
    Scanner(std::string_view code, std::size_t at) : code_(code), at_(at) {}

    std::size_t position() const { return at_; }

    std::string_view dotted() {
        pass_blanks();
        const std::size_t begin = at_;
        while (at_ < code_.size() && is_dotted_char(code_[at_])) ++at_;
        return code_.substr(begin, at_ - begin);
    }
    bool take(char wanted) {
        pass_blanks();
        if (at_ == code_.size() || code_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view wanted) {
        pass_blanks();
        const std::string_view rest = code_.substr(at_);
        if (!rest.starts_with(wanted) || (rest.size() > wanted.size() && is_dotted_char(rest[wanted.size()])))
            return false;
        at_ += wanted.size();
        return true;
    }
    void open_brackets() { in_brackets_ = true; }

private:
    void pass_blanks() {
        while (at_ < code_.size()) {
            const char c = code_[at_];
            if (c == '#' && in_brackets_) at_ = std::min(code_.find('\n', at_), code_.size());
            else if (c == ' ' || c == '\t' || (in_brackets_ && (c == '\n' || c == '\r'))) ++at_;
            else if (c == '\\' && code_.substr(at_ + 1, 1) == "\n") at_ += 2;
            else if (c == '\\' && code_.substr(at_ + 1, 2) == "\r\n") at_ += 3;
            else return;
        }
    }

    std::string_view code_;
    std::size_t at_;
    bool in_brackets_ = false;
};

// After "import": names with commas between, each with another name perhaps.
template <class Call>
void take_names(Scanner& scan, const Call& call) {
    do {
        const std::string_view name = scan.dotted();
        if (name.empty()) return;
        call(name);
        if (scan.take_word("as")) scan.dotted();
    } while (scan.take(','));
}

}  // namespace

void for_each_import(std::string_view code, const std::function<void(const NamedModule&)>& call) {
    constexpr std::string_view kImport = "import";
    for (std::size_t at = code.find(kImport); at != code.npos; at = code.find(kImport, at + kImport.size())) {
        const std::size_t after = at + kImport.size();
        const bool is_word =
            (at == 0 || !is_dotted_char(code[at - 1])) && (after == code.size() || !is_dotted_char(code[after]));
        if (!is_word) continue;
        // What stands before it: "from x", or the beginning of a statement.
        std::size_t end = at;
        while (end > 0 && (base::contains(base::kBlanks, code[end - 1]) || code[end - 1] == '\\')) --end;
        std::size_t begin = end;
        while (begin > 0 && is_dotted_char(code[begin - 1])) --begin;
        std::string_view from = code.substr(begin, end - begin);
        std::size_t before = begin;
        while (before > 0 && base::contains(base::kBlanks, code[before - 1])) --before;
        constexpr std::string_view kFrom = "from";
        const bool is_from = !from.empty() && from != kFrom && code.substr(0, before).ends_with(kFrom) &&
                             (before == kFrom.size() || !is_dotted_char(code[before - kFrom.size() - 1]));
        // "from.x import", "from .. import"
        const bool is_joined = !is_from && from.starts_with("from.");
        if (is_joined) from.remove_prefix(kFrom.size());
        Scanner scan(code, after);
        if (!is_from && !is_joined) {
            take_names(scan, [&](std::string_view name) { call({std::string(name), 0}); });
            continue;
        }
        const std::size_t dots = std::min(from.find_first_not_of('.'), from.size());
        const std::string module(from.substr(dots));
        call({module, dots});
        if (scan.take('(')) scan.open_brackets();
        take_names(scan, [&](std::string_view name) {
            call({module.empty() ? std::string(name) : module + "." + std::string(name), dots});
        });
    }
}

void for_each_path(std::string_view text, const std::function<void(std::string_view path, bool is_quoted)>& call) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_path_char(text[end])) ++end;
        if (end > at) {
            const bool is_quoted = at > 0 && end < text.size() && is_quote(text[at - 1]) && is_quote(text[end]);
            call(text.substr(at, end - at), is_quoted);
        }
        at = end + 1;
    }
}

}  // namespace migrator
