#include "migrator/ruleset/vocabulary.h"

#include "migrator/ruleset/rule_entry.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

using Reach = NameRow::Reach;

constexpr std::array kWords{
    word<NamesOf<Reach::exact>, RenameFix>("name", "qualified names, exactly"),
    word<NamesOf<Reach::module>, RenameFix>("module", "modules themselves, not their members"),
    word<NamesOf<Reach::below>, RenameFix>("prefix",
                                           "everything below these modules that no `name` and no `module` knows"),
    word<MethodRow, MemberFix>("method"),
    word<ArgumentRow, ArgumentFix>("argument"),
    word<CallRow>("call"),
    listed<&RuleSet::indexes>("index"),
    listed<&RuleSet::taken_apart>("taken_apart",
                                  "values of these classes (see `types/`) or names that are compared, indexed, "
                                  "unpacked, gone through, or computed with"),
    listed<&RuleSet::trainings>("training"),
    word<StringRow, TextFix>("string"),
    word<ValueRow, TextFix>("value"),
    listed<&RuleSet::imports>("import",
                              "modules by the last part of their name, with at most one `*`, unless a package table "
                              "knows them. `{note}` says where they are called"),
    listed<&RuleSet::own_imports>(
        "own_import", "the same for modules of the project's own packages that have no source there: compiled ones"),
    listed<&RuleSet::foreign>(
        "foreign",
        "files that import one of these modules whatever happens, and do not train: they work for "
        "a program of GPUs, so this is all that is said of them, and nothing in them is rewritten"),
    word<TextRow>("text"),
    listed<&RuleSet::settings>("setting"),
    listed<&RuleSet::commands>("command"),
    listed<&RuleSet::files>("file"),
    listed<&RuleSet::registrations>("registration"),
    listed<&RuleSet::kernels>("kernel", "markers of device functions"),
    word<ProgramRow, ProgramFix>("program"),
    word<ProcessRow, ProcessFix>("process"),
    word<ApiCase>(
        "api",
        "interfaces that `apis` list: `no` (not supported), `partly` (with limits), `beyond_limit` (a written "
        "value that a limit excludes), `wrong_dtype` (a tensor whose type of elements is not accepted). Said "
        "once per file and interface; where another rule speaks of the name, that one does"),
    word<RunsCase>("runs",
                   "public names of torch by what becomes of their operators on the chip (see `operators/`): `on_cpu`, "
                   "`backward_on_cpu` (the gradient alone), `sometimes_on_cpu` (with some arguments), "
                   "`compiled` (for each "
                   "new shape), `unknown`, `unverified` (the API pages deny it, and there is a kernel). Said once per "
                   "operator and "
                   "function, in place of `api`; where another rule speaks of the name, that one does"),
    listed<&RuleSet::operator_calls>("operator_call"),
    word<LibraryCase>("library",
                      "`reaches`: calls of functions that lead to an obstacle, by a result of `analyze --library`"),
    word<PatternRow, PatternFix>("pattern"),
    word<DefinitionEntry>("definition")};

constexpr std::array kRows{row_word<NameEntry>("name"),
                           row_word<ModuleEntry>("module"),
                           row_word<PackageRow>("package"),
                           row_word<EnvironmentRow>("environment"),
                           row_word<VariableValues>("variable_value"),
                           row_word<ValueRemark>("value_remark"),
                           row_word<SymbolRow>("symbol"),
                           row_word<KnownOperatorRow>("operator")};

constexpr std::array kSections{
    section<Framework>("framework"),        section<std::vector<OperationEntry>>("operations"),
    section<ByName<ApiLimit>>("limits"),    section<std::vector<ApiRow>>("apis"),
    section<TensorFacts>("tensors"),        section<EnvironmentPlaces>("environment_places"),
    section<TextPlaces>("text_places"),     section<ScriptPlaces>("script_places"),
    section<AdaptedNames>("adapted"),       section<OperatorPlaces>("operator_places"),
    section<ByName<SourceEntry>>("sources")};

template <class T>
void describe_list(base::SchemaWriter& out) {
    base::InJson<std::vector<T>>::describe(out);
}

void describe_file(base::SchemaWriter& out) {
    out.description("See rules/README.md. The program checks more than this schema can say.");
    out.type("object").key("additionalProperties").boolean(false);
    out.open("properties");
    out.open("$schema").type("string").close();
    out.open("schema").key("const").integer(1);
    out.close();
    out.open("about").description("what the file is about").type("string").close();
    out.open("rules");
    describe_list<RuleEntry>(out);
    out.close().open("tables");
    describe_list<TableEntry>(out);
    out.close();
    for (const RuleSection& section : kSections) {
        out.open(section.key);
        section.describe(out);
        out.close();
    }
    out.close().required({"schema"});
}

// Each once, however many words have it; nullptr is none.
void describe_any_of(base::SchemaWriter& out, const std::vector<base::SchemaWriter::Describe>& all) {
    std::vector<base::SchemaWriter::Describe> described{nullptr};
    out.key("anyOf").begin_array();
    for (const auto describe : all) {
        if (std::find(described.begin(), described.end(), describe) != described.end()) continue;
        described.push_back(describe);
        out.open_item();
        describe(out);
        out.close();
    }
    out.end_list();
}

}  // namespace

std::span<const RuleWord> rule_words() { return kWords; }
std::span<const RowWord> row_words() { return kRows; }
std::span<const RuleSection> rule_sections() { return kSections; }

std::string rule_file_schema() {
    return base::SchemaWriter("urn:ascend-migration:rules", "Rule file of migrator", describe_file).take();
}

}  // namespace migrator

void base::InJson<migrator::MatchPart>::describe(SchemaWriter& out) {
    out.type("object").key("additionalProperties").boolean(false);
    out.open("properties");
    for (const migrator::RuleWord& word : migrator::rule_words()) {
        out.open(word.name).description(word.about);
        word.match(out);
        out.close();
    }
    out.close();
    out.key("minProperties").integer(1);
    out.key("maxProperties").integer(1);
}

void base::InJson<migrator::FixPart>::describe(SchemaWriter& out) {
    std::vector<SchemaWriter::Describe> all;
    for (const migrator::RuleWord& word : migrator::rule_words()) all.push_back(word.fix);
    migrator::describe_any_of(out, all);
}

void base::InJson<migrator::RowsPart>::describe(SchemaWriter& out) {
    std::vector<SchemaWriter::Describe> all;
    for (const migrator::RowWord& word : migrator::row_words()) all.push_back(word.row);
    out.type("array").key("minItems").integer(1);
    out.open("items");
    migrator::describe_any_of(out, all);
    out.close();
}
