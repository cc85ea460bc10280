#include "migrator/profile/profile_database.h"

#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "base/format.h"
#include "base/interrupt.h"
#include "migrator/profile/database_file.h"
#include "migrator/profile/numbered_texts.h"

namespace migrator {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderBytes = 100;
constexpr int kMaxValueBytes = 64 << 20;     // of a text or a row
constexpr int kMaxSqlBytes = 1 << 20;        // of what the file says of its tables
constexpr std::uint64_t kStepsPerByte = 16;  // of SQLite's machine, for each byte of the file
constexpr std::uint64_t kFewestSteps = 5'000'000;
constexpr int kStepsBetweenLooks = 10'000;
// Rows may lack a column that has a default; each costs as much as that is long.
constexpr int kMaxDefaultBytes = 64;
constexpr std::string_view kComputedTables =
    "SELECT DISTINCT m.name FROM sqlite_master m, pragma_table_xinfo(m.name) x WHERE m.type = 'table' AND "
    "substr(m.sql, 1, 14) <> 'CREATE VIRTUAL' AND (x.hidden IN (2, 3) OR length(x.dflt_value) > ?)";
constexpr std::string_view kComputed = "computed";  // its kind

base::Error damaged(std::string message, const base::Path& path) {
    return {base::ErrorKind::bad_input, std::move(message), path, {}};
}

std::uint64_t big_endian(std::span<const std::byte> bytes) {
    std::uint64_t out = 0;
    for (const std::byte byte : bytes) out = out << 8 | std::to_integer<std::uint64_t>(byte);
    return out;
}

base::Status check_header(base::ReadableFile& file) {
    std::array<std::byte, kHeaderBytes> header{};
    if (file.size() < kHeaderBytes)
        return tl::unexpected(
            damaged(file.size() == 0 ? "the file is empty" : "the file is too short for a database", file.path()));
    TRY(file.read_at(0, header));
    const std::span<const std::byte> bytes(header);
    if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0)
        return tl::unexpected(damaged("it is not a database of SQLite", file.path()));
    const std::uint64_t written = big_endian(bytes.subspan(16, 2)), page = written == 1 ? 65536 : written,
                        pages = big_endian(bytes.subspan(28, 4));
    const bool knows_size = big_endian(bytes.subspan(24, 4)) == big_endian(bytes.subspan(92, 4));
    if (knows_size && file.size() < page * pages)
        return tl::unexpected(damaged(
            base::format("the database is cut off: it has {} bytes of {}; copy it again", file.size(), page * pages),
            file.path()));
    return {};
}

// Changes that only the file beside it has: they would be missing.
base::Status check_beside(base::FileSystem& fs, const base::Path& path) {
    for (const char* ending : {"-wal", "-journal"}) {
        const base::Path beside = path + ending;
        TRY_ASSIGN(const auto info, fs.look(beside));
        if (!info || info->kind != base::FileKind::regular || info->bytes == 0) continue;
        TRY_ASSIGN(const auto file, fs.open(beside));
        std::array<std::byte, 1> first{};
        TRY(file->read_at(0, first));
        if (first[0] == std::byte{0}) continue;
        return tl::unexpected(damaged(
            base::format(
                "{} has changes that are not in the database yet: end the program that writes it, or run sqlite3 {} "
                "'PRAGMA wal_checkpoint(TRUNCATE)' on a copy of both",
                base::file_name(beside), base::file_name(path)),
            path));
    }
    return {};
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return text == nullptr ? std::string_view()
                           : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
}

// us(NANOSECONDS): microseconds with all digits; nothing for what is no number.
void tell_microseconds(sqlite3_context* context, int, sqlite3_value** values) {
    const int type = sqlite3_value_numeric_type(values[0]);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return sqlite3_result_null(context);
    const std::int64_t time = sqlite3_value_int64(values[0]);
    const std::int64_t rest = ((time % 1000) + 1000) % 1000, whole = time / 1000 - (time % 1000 < 0 ? 1 : 0);
    const bool is_negative = whole < 0 && rest > 0;
    const std::string text =
        is_negative ? base::format("-{}.{:03}", -(whole + 1), 1000 - rest) : base::format("{}.{:03}", whole, rest);
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

}  // namespace

class ProfileDatabase::Connection {
public:
    Connection(std::unique_ptr<base::ReadableFile> file, const ProfileQueries& queries)
        : file_(std::move(file)), texts_query_(queries.texts), stacks_query_(queries.stacks) {}
    ~Connection() { sqlite3_close_v2(handle_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    const base::Path& path() { return file_.file().path(); }

    base::Status open() {
        constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE;
        if (const int code = sqlite3_open_v2("database", &handle_, kFlags, file_.system_name()); code != SQLITE_OK)
            return tl::unexpected(error(code));
        harden();
        if (const int code = sqlite3_exec(handle_,
                                          "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA query_only=ON; "
                                          "PRAGMA cache_size=-16384",
                                          nullptr, nullptr, nullptr);
            code != SQLITE_OK)
            return tl::unexpected(error(code));
        return read_schema();
    }

    // Fails where one of them is no ordinary table.
    base::Result<bool> has_tables_of(const ProfileQuery& query) {
        for (const std::string& name : query.needs) {
            const auto found = kinds_.find(name);
            if (found == kinds_.end()) return false;
            const std::string& kind = found->second;
            if (kind == kComputed)
                return tl::unexpected(damaged(
                    base::format("{} in the database has values that are computed; no profiler writes that", name),
                    path()));
            if (kind != "table")
                return tl::unexpected(damaged(
                    base::format("{} in the database is a {} and no table; no profiler writes that", name, kind),
                    path()));
        }
        return true;
    }

    base::Result<Statement> prepare(const std::string& sql) {
        sqlite3_stmt* made = nullptr;
        const int code = sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
        Statement out(made);
        if (code != SQLITE_OK) return tl::unexpected(error(code));
        return out;
    }

    // True: there is a row. Damage of the file fails with bad_input.
    base::Result<bool> step(sqlite3_stmt* statement) {
        const int code = sqlite3_step(statement);
        if (code == SQLITE_ROW) return true;
        if (code == SQLITE_DONE) return false;
        return tl::unexpected(error(code));
    }

    void begin_count() { steps_ = 0; }

private:
    void harden() {
        for (const auto& [option, value] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                            {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                            {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                            {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                            {SQLITE_DBCONFIG_DQS_DML, 0},
                                            {SQLITE_DBCONFIG_DQS_DDL, 0},
                                            {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}})
            sqlite3_db_config(handle_, option, value, nullptr);
        sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
        sqlite3_limit(handle_, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
        sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
        sqlite3_limit(handle_, SQLITE_LIMIT_WORKER_THREADS, 0);
        sqlite3_extended_result_codes(handle_, 0);
        most_steps_ = kFewestSteps + kStepsPerByte * file_.file().size();
        sqlite3_progress_handler(handle_, kStepsBetweenLooks, look, this);
        // Functions that the file itself may not call.
        constexpr int kOurs = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
        sqlite3_create_function(handle_, "us", 1, kOurs, nullptr, tell_microseconds, nullptr, nullptr);
        sqlite3_create_function(handle_, "text", 1, kOurs, this, tell_text, nullptr, nullptr);
        sqlite3_create_function(handle_, "stack", 1, kOurs, this, tell_stack, nullptr, nullptr);
    }

    static int look(void* context) {
        auto& self = *static_cast<Connection*>(context);
        self.steps_ += kStepsBetweenLooks;
        return self.steps_ > self.most_steps_ || base::noted_signal() != 0 ? 1 : 0;
    }

    base::Status read_schema() {
        TRY_ASSIGN(const Statement statement, prepare("SELECT name, type, sql FROM sqlite_master"));
        begin_count();
        for (;;) {
            TRY_ASSIGN(const bool has_row, step(statement.get()));
            if (!has_row) return read_computed();
            const std::string_view type = text_of(statement.get(), 1), sql = text_of(statement.get(), 2);
            if (type == "index" || type == "trigger") continue;
            const bool is_made = sql.substr(0, 14) == "CREATE VIRTUAL";
            kinds_.emplace(text_of(statement.get(), 0), is_made ? "virtual table" : type);
        }
    }

    base::Status read_computed() {
        TRY_ASSIGN(const Statement statement, prepare(std::string(kComputedTables)));
        sqlite3_bind_int(statement.get(), 1, kMaxDefaultBytes);
        for (;;) {
            TRY_ASSIGN(const bool has_row, step(statement.get()));
            if (!has_row) return {};
            kinds_.insert_or_assign(std::string(text_of(statement.get(), 0)), kComputed);
        }
    }

    // text(NUMBER)
    static void tell_text(sqlite3_context* context, int, sqlite3_value** values) {
        auto& self = *static_cast<Connection*>(sqlite3_user_data(context));
        self.tell(context, values[0], self.texts_, &Connection::read_texts);
    }
    // stack(NUMBER): frames, the innermost first.
    static void tell_stack(sqlite3_context* context, int, sqlite3_value** values) {
        auto& self = *static_cast<Connection*>(sqlite3_user_data(context));
        self.tell(context, values[0], self.stacks_, &Connection::read_stacks);
    }

    void tell(sqlite3_context* context, sqlite3_value* number, std::optional<NumberedTexts>& from,
              base::Status (Connection::*read)()) {
        if (sqlite3_value_type(number) == SQLITE_NULL) return sqlite3_result_null(context);
        if (!from) {
            if (const base::Status status = (this->*read)(); !status) {
                inner_error_ = status.error();
                return sqlite3_result_error_code(context, SQLITE_ABORT);
            }
        }
        const auto text = from->find(sqlite3_value_int64(number));
        if (!text) return sqlite3_result_null(context);
        sqlite3_result_text(context, text->empty() ? "" : text->data(), static_cast<int>(text->size()),
                            SQLITE_TRANSIENT);
    }

    base::Status read_texts() {
        NumberedTexts out;
        TRY(each_numbered(texts_query_, [&](std::int64_t id, std::string_view text) { out.add(id, text); }));
        out.order();
        texts_ = std::move(out);
        return {};
    }

    // Rows of one stack follow each other.
    base::Status read_stacks() {
        NumberedTexts out;
        TRY(each_numbered(stacks_query_, [&](std::int64_t id, std::string_view frame) { out.add_frame(id, frame); }));
        out.order();
        stacks_ = std::move(out);
        return {};
    }

    template <class Visit>
    base::Status each_numbered(const ProfileQuery& query, const Visit& visit) {
        TRY_ASSIGN(const bool has_tables, has_tables_of(query));
        if (!has_tables) return {};
        TRY_ASSIGN(const Statement statement, prepare(query.text()));
        for (;;) {
            TRY_ASSIGN(const bool has_row, step(statement.get()));
            if (!has_row) return {};
            visit(sqlite3_column_int64(statement.get(), 0), text_of(statement.get(), 1));
        }
    }

    base::Error error(int code) {
        if (inner_error_) return *std::exchange(inner_error_, std::nullopt);
        if ((code & 0xff) == SQLITE_IOERR && !file_.status) return file_.status.error();
        const bool asks_for_much =
            code == SQLITE_NOMEM && file_.file().size() < kMaxValueBytes;  // what it claims is not in it
        if (code == SQLITE_NOMEM && !asks_for_much)
            return {base::ErrorKind::no_memory, "there is no memory for the rows of the database", path(), {}};
        if (const base::Status status = base::not_interrupted(); !status) return status.error();
        if (code == SQLITE_INTERRUPT)
            return damaged(
                "the tables of the database refer to each other so that reading them does not end; it is not as a "
                "profiler "
                "writes it",
                path());
        if (code == SQLITE_TOOBIG)
            return damaged(base::format("a value in the database has more than {} MiB, which no profiler writes",
                                        kMaxValueBytes >> 20),
                           path());
        if (asks_for_much || code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR)
            return damaged("the database is damaged; copy it again, or have the profiler write it again", path());
        return damaged(base::format("the database is not as a profiler writes it: {}", sqlite3_errmsg(handle_)),
                       path());
    }

    DatabaseFile file_;
    const ProfileQuery texts_query_, stacks_query_;
    sqlite3* handle_ = nullptr;
    std::map<std::string, std::string> kinds_;
    std::optional<NumberedTexts> texts_, stacks_;
    std::optional<base::Error> inner_error_;
    std::uint64_t steps_ = 0, most_steps_ = 0;
};

namespace {

class DatabaseRows : public TableRows {
public:
    DatabaseRows(std::shared_ptr<ProfileDatabase> database, ProfileDatabase::Connection& connection,
                 Statement statement)
        : database_(std::move(database)), connection_(connection), statement_(std::move(statement)) {
        const int columns = sqlite3_column_count(statement_.get());
        for (int i = 0; i < columns; ++i) names_.emplace_back(sqlite3_column_name(statement_.get(), i));
        connection_.begin_count();
    }

    base::Result<bool> next() override {
        const auto has_row = connection_.step(statement_.get());
        if (has_row) return *has_row;
        if (has_row.error().kind != base::ErrorKind::bad_input) return tl::unexpected(has_row.error());
        damage_ = has_row.error().message;
        return false;
    }

protected:
    std::string_view cell(std::size_t column) const override {
        return text_of(statement_.get(), static_cast<int>(column));
    }

private:
    const std::shared_ptr<ProfileDatabase> database_;  // which the statement must not outlive
    ProfileDatabase::Connection& connection_;
    Statement statement_;
};

}  // namespace

ProfileDatabase::ProfileDatabase(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
ProfileDatabase::~ProfileDatabase() = default;

base::Result<std::shared_ptr<ProfileDatabase>> ProfileDatabase::open(base::FileSystem& fs, const base::Path& path,
                                                                     const ProfileQueries& queries) {
    TRY(check_beside(fs, path));
    TRY_ASSIGN(auto file, fs.open(path));
    TRY(check_header(*file));
    auto connection = std::make_unique<Connection>(std::move(file), queries);
    TRY(connection->open());
    return std::shared_ptr<ProfileDatabase>(new ProfileDatabase(std::move(connection)));
}

const base::Path& ProfileDatabase::path() const { return connection_->path(); }

base::Result<bool> ProfileDatabase::can_answer(const ProfileQuery& query) const {
    return connection_->has_tables_of(query);
}

base::Result<std::unique_ptr<TableRows>> ProfileDatabase::ask(const ProfileQuery& query, const QueryValues& values) {
    TRY_ASSIGN(Statement statement, connection_->prepare(query.text()));
    const auto bind = [&](const char* name, std::int64_t value) {
        if (const int place = sqlite3_bind_parameter_index(statement.get(), name); place != 0)
            sqlite3_bind_int64(statement.get(), place, value);
    };
    bind(":details", values.details ? 1 : 0);
    if (values.nanoseconds) bind(":from", values.nanoseconds->first);
    if (values.nanoseconds) bind(":to", values.nanoseconds->second);
    return std::make_unique<DatabaseRows>(shared_from_this(), *connection_, std::move(statement));
}

base::Result<bool> is_database(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const auto file, fs.open(path));
    if (file->size() < kMagic.size()) return false;
    std::array<std::byte, kMagic.size()> beginning{};
    TRY(file->read_at(0, beginning));
    return std::memcmp(beginning.data(), kMagic.data(), kMagic.size()) == 0;
}

std::string ProfileQuery::text() const { return base::joined(sql, "\n"); }

}  // namespace migrator
