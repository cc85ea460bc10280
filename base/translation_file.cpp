#include "base/translation_file.h"

#include "base/format.h"
#include "base/rule_file.h"

namespace base {
namespace {

struct TranslationFile : RuleFileHead {
    Dictionary texts;
};
constexpr auto record_of(const TranslationFile*) {
    return extended(record_of(static_cast<const RuleFileHead*>(nullptr)), "translations",
                    "what sentences are in another language",
                    field("texts", &TranslationFile::texts, "the sentence to its translation").needed());
}

}  // namespace

Status read_translations(const DataStore& store, const std::string& path, Dictionary& out) {
    TRY_ASSIGN(auto file, read_rule_record<TranslationFile>(store, path));
    for (auto& [text, translation] : file.texts) {
        if (!out.emplace(text, std::move(translation)).second)
            return fail(ErrorKind::rule_data, format("\"{}\" is translated twice", text), store.origin(path));
    }
    return {};
}

}  // namespace base
