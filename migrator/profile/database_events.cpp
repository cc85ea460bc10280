#include "migrator/profile/database_events.h"

#include "base/format.h"

namespace migrator {
namespace {

bool is_kept_part(const std::string& part, const KeptParts& kept) {
    if (part == "python") return kept.python;
    if (part == "queue") return kept.queue;
    return part != "runtime" || kept.runtime;
}

}  // namespace

base::Result<std::unique_ptr<DatabaseEvents>> DatabaseEvents::open(std::shared_ptr<ProfileDatabase> database,
                                                                   const std::vector<ProfileQuery>& queries,
                                                                   const KeptParts& kept, const QueryValues& values) {
    QueryValues asked = values;
    asked.details = kept.shapes;
    std::unique_ptr<DatabaseEvents> out(new DatabaseEvents(std::move(database), asked));
    bool has_answer = false;
    for (const ProfileQuery& query : queries) {
        TRY_ASSIGN(const bool can_answer, out->database_->can_answer(query));
        has_answer = has_answer || can_answer;
        if (can_answer && is_kept_part(query.keeps, kept)) out->queries_.push_back(query);
    }
    if (has_answer) return out;
    return base::fail(base::ErrorKind::bad_input,
                      "the database has no table of a profile: give the one that Ascend's profiler wrote, such as "
                      "ascend_pytorch_profiler_0.db",
                      out->database_->path());
}

base::Result<const TraceEvent*> DatabaseEvents::next() {
    for (;;) {
        if (!rows_) {
            if (asked_ == queries_.size() || !damage_.empty()) return nullptr;
            TRY_ASSIGN(rows_, database_->ask(queries_[asked_++], values_));
        }
        TRY_ASSIGN(const bool has_row, rows_->next());
        if (has_row) break;
        if (!rows_->damage().empty())
            damage_ = base::format("{}; {} events before that were read", rows_->damage(), count_);
        rows_.reset();
    }
    ++count_;
    const TableRows& row = *rows_;
    event_ = {.name = row[2],
              .category = row[1],
              .phase = row[0],
              .process = row[3],
              .thread = row[4],
              .id = row[5],
              .begin = row[6],
              .duration = row[7],
              .args = row[8]};
    return &event_;
}

}  // namespace migrator
