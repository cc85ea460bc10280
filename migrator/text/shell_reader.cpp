#include "migrator/text/shell_reader.h"

#include "migrator/text/command_settings.h"

namespace migrator {
namespace {

class ContentsListener final : public shell::ShellListener {
public:
    explicit ContentsListener(TextContents& out) : out_(out) {}

    void command(std::vector<std::string_view> words, int /*depth*/) override { add_command(std::move(words), out_); }
    void list(std::string_view name, std::vector<std::string_view> words) override { add_list(name, words, out_); }
    void comparison(std::string_view variable, std::string_view pattern) override {
        add_comparison(variable, pattern, out_);
    }
    void document(std::string_view body, std::string_view file, int depth) override {
        if (!out_.commands.empty() && is_python(out_.commands.back().words.front())) return out_.python.push_back(body);
        std::swap(out_.depth, depth);
        read_document(body, file, out_);
        std::swap(out_.depth, depth);
    }
    void code(std::string_view line) override { out_.code.push_back(line); }

private:
    TextContents& out_;
};

}  // namespace

void read_shell(std::string_view part, const ShellForm& form, TextContents& out) {
    ContentsListener listener(out);
    shell::read_words(part, form, listener, out.depth);
}

void read_words(std::vector<std::string_view> words, TextContents& out) {
    for (const std::string_view word : words) {
        if (word.find(' ') != word.npos) read_shell(word, {}, out);
    }
    add_command(std::move(words), out);
}

}  // namespace migrator
