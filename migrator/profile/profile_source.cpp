#include "migrator/profile/profile_source.h"

#include "base/format.h"
#include "base/number_text.h"
#include "migrator/profile/csv_rows.h"
#include "migrator/profile/database_events.h"
#include "migrator/profile/json_values.h"
#include "migrator/profile/trace_events.h"

namespace migrator {

base::Result<ProfileSource> ProfileSource::open(base::FileSystem& fs, ProfileFiles files, const ProfileTables& tables,
                                                const ProfileQueries& queries, ProfileNumbers numbers,
                                                std::optional<std::uint64_t> step) {
    ProfileSource out;
    out.fs_ = &fs;
    out.files_ = std::move(files);
    out.names_ = tables.files;
    out.queries_ = std::make_shared<const ProfileQueries>(queries);
    out.numbers_ = numbers;
    const ProfileFiles& found = out.files_;
    out.trace_is_database_ = !found.database.empty() && (found.trace.empty() || numbers == ProfileNumbers::msprof);
    if (out.trace_is_database_) {
        TRY_ASSIGN(out.database_, ProfileDatabase::open(fs, found.database, *out.queries_));
    }
    if (step && out.trace_is_database_ && numbers == ProfileNumbers::msprof) TRY(out.find_step(*step));
    return out;
}

base::Status ProfileSource::find_step(std::uint64_t step) {
    TRY_ASSIGN(const auto rows, table(ProfilePart::step_times));
    std::vector<std::string> there;
    while (rows) {
        TRY_ASSIGN(const bool has_row, rows->next());
        if (!has_row) break;
        there.emplace_back((*rows)[0]);
        const auto begin = base::number_in<std::int64_t>((*rows)[1]), end = base::number_in<std::int64_t>((*rows)[2]);
        if (base::number_in<std::uint64_t>(there.back()) == step && begin && end)
            values_.nanoseconds = std::pair(*begin, *end);
    }
    if (rows && !rows->damage().empty())
        return base::fail(base::ErrorKind::bad_input, rows->damage(), database_->path());
    if (values_.nanoseconds) return {};
    if (there.empty()) return base::fail(base::ErrorKind::usage, "the profile has no steps", database_->path());
    return base::fail(base::ErrorKind::usage,
                      base::format("there is no step {}; there are: {}", step, base::joined(there, ", ")),
                      database_->path());
}

base::Result<std::unique_ptr<TraceSource>> ProfileSource::events(const KeptParts& kept) const {
    if (!trace_is_database_) {
        TRY_ASSIGN(TraceEvents events, TraceEvents::open(*fs_, files_.trace));
        return std::make_unique<TraceEvents>(std::move(events));
    }
    const ProfileEvents& events = queries_->events;
    return DatabaseEvents::open(database_, numbers_ == ProfileNumbers::msprof ? events.msprof : events.ours, kept,
                                values_);
}

const std::vector<ProfileQuery>& ProfileSource::queries_of(ProfilePart part) const {
    const QueriedTables& tables = queries_->tables;
    const bool is_ours = numbers_ == ProfileNumbers::ours;
    switch (part) {
        case ProfilePart::kernels: return is_ours ? tables.kernels : tables.msprof_kernels;
        case ProfilePart::memory: return tables.memory;
        case ProfilePart::operator_memory: return is_ours ? tables.operator_memory : tables.msprof_operator_memory;
        case ProfilePart::statistic: return tables.statistic;
        case ProfilePart::steps: return tables.steps;
        case ProfilePart::communication: return tables.communication;
        case ProfilePart::links: return tables.links;
        case ProfilePart::metadata: return tables.metadata;
        case ProfilePart::step_times: break;
    }
    return tables.step_times;
}

std::string ProfileSource::file_of(ProfilePart part) const {
    switch (part) {
        case ProfilePart::kernels: return names_.kernels;
        case ProfilePart::memory: return names_.memory;
        case ProfilePart::operator_memory: return names_.operator_memory;
        case ProfilePart::statistic: return names_.statistic;
        case ProfilePart::steps: return names_.steps;
        case ProfilePart::communication: return names_.communication;
        case ProfilePart::links: return names_.links;
        case ProfilePart::metadata: return names_.metadata;
        case ProfilePart::step_times: break;
    }
    return {};
}

base::Path ProfileSource::text_of(ProfilePart part) const {
    const base::Path folder = part == ProfilePart::metadata && !files_.folder.empty() ? files_.folder : files_.output;
    const std::string name = file_of(part);
    const bool is_hidden = trace_is_database_ && numbers_ == ProfileNumbers::msprof;
    if (folder.empty() || name.empty() || is_hidden) return {};
    const base::Path path = base::join(folder, name);
    return fs_->exists(path) ? path : base::Path();
}

base::Result<ProfileSource::Question> ProfileSource::question_of(ProfilePart part) const {
    const auto asked = [&](const std::shared_ptr<ProfileDatabase>& database) -> base::Result<Question> {
        for (const ProfileQuery& query : queries_of(part)) {
            TRY_ASSIGN(const bool can_answer, database->can_answer(query));
            if (can_answer) return Question{database, &query};
        }
        return Question{};
    };
    if (database_) {
        TRY_ASSIGN(const Question question, asked(database_));
        if (question.database) return question;
    }
    const bool is_sum = part == ProfilePart::steps || part == ProfilePart::communication || part == ProfilePart::links;
    if (!is_sum || files_.analysis.empty() || numbers_ == ProfileNumbers::msprof) return Question{};
    TRY_ASSIGN(const auto analysis, ProfileDatabase::open(*fs_, files_.analysis, *queries_));
    return asked(analysis);
}

base::Path ProfileSource::path_of(ProfilePart part) const {
    if (const base::Path path = text_of(part); !path.empty()) return path;
    const auto question = question_of(part);
    if (question && question->database) return question->database->path();
    const bool is_sum = part == ProfilePart::steps || part == ProfilePart::communication || part == ProfilePart::links;
    return base::join(files_.output, trace_is_database_ && is_sum ? queries_->analyses.front() : file_of(part));
}

base::Result<std::unique_ptr<TableRows>> ProfileSource::table(ProfilePart part) const {
    if (const base::Path path = text_of(part); !path.empty()) {
        TRY_ASSIGN(CsvRows rows, CsvRows::open(*fs_, path));
        return std::make_unique<CsvRows>(std::move(rows));
    }
    TRY_ASSIGN(const Question question, question_of(part));
    if (!question.database) return std::unique_ptr<TableRows>();
    return question.database->ask(*question.query, values_);
}

base::Result<std::optional<base::JsonDocument>> ProfileSource::document(ProfilePart part) const {
    if (const base::Path path = text_of(part); !path.empty()) {
        TRY_ASSIGN(base::JsonDocument document, read_document(*fs_, path));
        return document;
    }
    TRY_ASSIGN(const Question question, question_of(part));
    if (!question.database) return std::nullopt;
    const auto& database = question.database;
    TRY_ASSIGN(const auto rows, database->ask(*question.query, values_));
    TRY_ASSIGN(const bool has_row, rows->next());
    if (!rows->damage().empty()) return base::fail(base::ErrorKind::bad_input, rows->damage(), database->path());
    const std::string_view text = has_row ? (*rows)[0] : std::string_view();
    if (text.empty()) return std::nullopt;
    TRY_ASSIGN(base::JsonDocument document, base::parse_json(text, database->path(), base::kPythonJson));
    return document;
}

}  // namespace migrator
