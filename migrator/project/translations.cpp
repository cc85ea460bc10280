#include "migrator/project/translations.h"

#include "base/translation_file.h"

namespace migrator {
namespace {

// Translates what it is given, each text once.
class Translator {
public:
    explicit Translator(const base::Dictionary& dictionary) : dictionary_(dictionary) {}

    void add(const base::Message& message) {
        std::string text = message.text();
        if (out_.contains(text)) return;
        std::string translation = message.text_in(dictionary_);
        if (translation != text) out_.emplace(std::move(text), std::move(translation));
    }

    base::Dictionary take() { return std::move(out_); }

private:
    const base::Dictionary& dictionary_;
    base::Dictionary out_;
};

base::Dictionary translated(const Report& report, const base::Dictionary& dictionary) {
    Translator out(dictionary);
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) out.add(item.outcome.finding.message);
    }
    out.add(report.summary.sentence);
    for (const RuleRow& rule : report.rules) out.add(rule.message);
    for (const OperatorRow& op : report.operators) {
        out.add(op.what);
        out.add(op.difference);
    }
    for (const ProgramOutcome& program : report.programs) {
        for (const TransferPlace& place : program.transfer.places) out.add(place.message);
    }
    for (const ChipCoverageRow& chip : report.chip_coverage) out.add(chip.product);
    for (const base::Message& note : report.notes) out.add(note);
    return out.take();
}

}  // namespace

base::Result<std::map<std::string, base::Dictionary>> load_translations(const base::DataStore& store) {
    std::map<std::string, base::Dictionary> out;
    for (const std::string& path : store.list(base::kTranslations, ".json")) {
        const std::size_t begin = base::kTranslations.size();
        const std::size_t slash = path.find('/', begin);
        if (slash == path.npos || path.find(base::kOfConsole) != path.npos) continue;
        TRY(base::read_translations(store, path, out[path.substr(begin, slash - begin)]));
    }
    return out;
}

std::map<std::string, base::Dictionary> translated(const Report& report,
                                                   const std::map<std::string, base::Dictionary>& dictionaries) {
    std::map<std::string, base::Dictionary> out;
    for (const auto& [language, dictionary] : dictionaries) out[language] = translated(report, dictionary);
    return out;
}

base::Language with_report(const base::Language& language, const std::map<std::string, base::Dictionary>& texts) {
    const auto known = texts.find(language.code());
    return known == texts.end() ? language : language.with(known->second);
}

}  // namespace migrator
