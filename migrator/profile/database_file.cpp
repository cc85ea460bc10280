#include "migrator/profile/database_file.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/format.h"

namespace migrator {
namespace {

// What SQLite keeps of an open file.
struct OpenFile {
    sqlite3_file head;  // first, as SQLite sees no more
    DatabaseFile* file;
};

DatabaseFile& file_of(sqlite3_file* open) { return *reinterpret_cast<OpenFile*>(open)->file; }

int close_file(sqlite3_file*) { return SQLITE_OK; }

// Behind the end there are zeros, which SQLite asks for.
int read_bytes(sqlite3_file* open, void* out, int count, sqlite3_int64 offset) {
    DatabaseFile& database = file_of(open);
    const auto begin = static_cast<std::uint64_t>(offset), wanted = static_cast<std::uint64_t>(count),
               size = database.file().size();
    const std::uint64_t there = begin >= size ? 0 : std::min(wanted, size - begin);
    const std::span bytes(static_cast<std::byte*>(out), static_cast<std::size_t>(wanted));
    std::memset(out, 0, bytes.size());
    database.status = database.file().read_at(begin, bytes.first(static_cast<std::size_t>(there)));
    if (!database.status) return SQLITE_IOERR_READ;
    return there < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

int size_of_file(sqlite3_file* open, sqlite3_int64* bytes) {
    *bytes = static_cast<sqlite3_int64>(file_of(open).file().size());
    return SQLITE_OK;
}

// It never changes, so that SQLite takes no lock, and asks for neither a journal nor a log beside it.
int traits_of_file(sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; }

const sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_bytes,
    .xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; },
    .xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; },
    .xSync = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xFileSize = size_of_file,
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock =
        [](sqlite3_file*, int* is_locked) {
            *is_locked = 0;
            return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = traits_of_file,
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_file(sqlite3_vfs* system, const char*, sqlite3_file* out, int flags, int* given) {
    out->pMethods = nullptr;
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
    reinterpret_cast<OpenFile*>(out)->file = static_cast<DatabaseFile*>(system->pAppData);
    out->pMethods = &kMethods;
    if (given != nullptr) *given = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return SQLITE_OK;
}

int same_name(sqlite3_vfs*, const char* name, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
}

}  // namespace

DatabaseFile::DatabaseFile(std::unique_ptr<base::ReadableFile> file)
    : file_(std::move(file)), name_(base::format("migrator-{}", static_cast<const void*>(this))) {
    system_.iVersion = 2;
    system_.szOsFile = sizeof(OpenFile);
    system_.mxPathname = 512;
    system_.zName = name_.c_str();
    system_.pAppData = this;
    system_.xOpen = open_file;
    system_.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    system_.xAccess = [](sqlite3_vfs*, const char*, int, int* is_there) {
        *is_there = 0;
        return SQLITE_OK;
    };
    system_.xFullPathname = same_name;
    system_.xRandomness = [](sqlite3_vfs*, int size, char* out) {
        std::memset(out, 0, static_cast<std::size_t>(size));
        return size;
    };
    system_.xSleep = [](sqlite3_vfs*, int) { return 0; };
    system_.xCurrentTime = [](sqlite3_vfs*, double* days) {
        *days = 0;
        return SQLITE_OK;
    };
    system_.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
    system_.xCurrentTimeInt64 = [](sqlite3_vfs*, sqlite3_int64* milliseconds) {
        *milliseconds = 0;
        return SQLITE_OK;
    };
    sqlite3_vfs_register(&system_, 0);
}

DatabaseFile::~DatabaseFile() { sqlite3_vfs_unregister(&system_); }

}  // namespace migrator
