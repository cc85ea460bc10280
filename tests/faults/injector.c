// Preloaded into a program, this makes one of its calls to the system go wrong, or ends the program before it.
//
//   FAULT=CALL:WHAT:K    the K-th call (from 1) of the kind CALL; "change" is any call that changes the disk
//     WHAT: a number: the call fails with this errno;  short: half of the bytes;  kill, int, term, hup: a signal before the call
//   FAULT_COUNTS=FILE    at the end: how many calls of each kind there were, as "CALL NUMBER" lines
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE, OPEN, PREAD, PWRITE, FSYNC, CLOSE, RENAME, MOVE, MKDIR, UNLINK, FALLOCATE, FCHMOD, CHMOD, UTIMES, TRUNCATE,
       SYMLINK, FSTAT, STAT, READDIR, FLOCK, CHANGE, KINDS };
static const char* const kNames[KINDS] = {"create", "open", "pread", "pwrite", "fsync", "close", "rename", "move",
    "mkdir", "unlink", "fallocate", "fchmod", "chmod", "utimes", "truncate", "symlink", "fstat", "stat", "readdir", "flock",
    "change"};
static const char kChanges[KINDS] = {[CREATE] = 1, [PWRITE] = 1, [FSYNC] = 1, [RENAME] = 1, [MOVE] = 1, [MKDIR] = 1,
    [UNLINK] = 1, [FALLOCATE] = 1, [FCHMOD] = 1, [CHMOD] = 1, [UTIMES] = 1, [TRUNCATE] = 1, [SYMLINK] = 1};

static atomic_long counts[KINDS];
static char wanted[32], what[32];
static long number;

__attribute__((constructor)) static void read_wish(void) {
    const char* wish = getenv("FAULT");
    if (wish == NULL || sscanf(wish, "%31[^:]:%31[^:]:%ld", wanted, what, &number) != 3) wanted[0] = 0;
}

__attribute__((destructor)) static void write_counts(void) {
    const char* path = getenv("FAULT_COUNTS");
    FILE* file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    for (int kind = 0; kind < KINDS; ++kind) fprintf(file, "%s %ld\n", kNames[kind], (long)counts[kind]);
    fclose(file);
}

// 0: go on; -1: half of the bytes; otherwise the errno of the failure.
static int trouble(int kind) {
    const long mine = atomic_fetch_add(&counts[kind], 1) + 1;
    const long change = kChanges[kind] ? atomic_fetch_add(&counts[CHANGE], 1) + 1 : 0;
    const int is_it = (strcmp(wanted, kNames[kind]) == 0 && mine == number) ||
                      (strcmp(wanted, "change") == 0 && change == number);
    if (!is_it) return 0;
    const int signal = strcmp(what, "kill") == 0 ? SIGKILL : strcmp(what, "int") == 0 ? SIGINT :
                       strcmp(what, "term") == 0 ? SIGTERM : strcmp(what, "hup") == 0 ? SIGHUP : 0;
    if (signal != 0) {
        kill(getpid(), signal);
        return 0;
    }
    return strcmp(what, "short") == 0 ? -1 : atoi(what);
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (real == NULL) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define FAIL_IF(kind, value) do { const int code = trouble(kind); if (code > 0) { errno = code; return value; } } while (0)

static int open_in(int directory, const char* path, int flags, mode_t mode) {
    REAL(int, "openat", int, const char*, int, mode_t);
    FAIL_IF((flags & O_CREAT) != 0 ? CREATE : OPEN, -1);
    return real(directory, path, flags, mode);
}
int openat(int directory, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_in(directory, path, flags, mode);
}
int openat64(int directory, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_in(directory, path, flags, mode);
}

static ssize_t read_from(int fd, void* out, size_t bytes, off_t offset) {
    REAL(ssize_t, "pread", int, void*, size_t, off_t);
    const int code = trouble(PREAD);
    if (code > 0) return errno = code, -1;
    return real(fd, out, code < 0 && bytes > 1 ? bytes / 2 : bytes, offset);
}
ssize_t pread(int fd, void* out, size_t bytes, off_t offset) { return read_from(fd, out, bytes, offset); }
ssize_t pread64(int fd, void* out, size_t bytes, off_t offset) { return read_from(fd, out, bytes, offset); }

static ssize_t write_to(int fd, const void* data, size_t bytes, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void*, size_t, off_t);
    const int code = trouble(PWRITE);
    if (code > 0) return errno = code, -1;
    return real(fd, data, code < 0 && bytes > 1 ? bytes / 2 : bytes, offset);
}
ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) { return write_to(fd, data, bytes, offset); }
ssize_t pwrite64(int fd, const void* data, size_t bytes, off_t offset) { return write_to(fd, data, bytes, offset); }

int fsync(int fd) {
    REAL(int, "fsync", int);
    FAIL_IF(FSYNC, -1);
    return real(fd);
}
int close(int fd) {
    REAL(int, "close", int);
    const int code = trouble(CLOSE);
    const int result = real(fd);
    if (code > 0) return errno = code, -1;
    return result;
}
int renameat(int from, const char* old, int to, const char* new) {
    REAL(int, "renameat", int, const char*, int, const char*);
    FAIL_IF(RENAME, -1);
    return real(from, old, to, new);
}
long syscall(long call, ...) {
    REAL(long, "syscall", long, ...);
    va_list rest;
    long a[6];
    va_start(rest, call);
    for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
    va_end(rest);
    if (call == SYS_renameat2) FAIL_IF(MOVE, -1);
    return real(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int mkdirat(int directory, const char* path, mode_t mode) {
    REAL(int, "mkdirat", int, const char*, mode_t);
    FAIL_IF(MKDIR, -1);
    return real(directory, path, mode);
}
int unlinkat(int directory, const char* path, int flags) {
    REAL(int, "unlinkat", int, const char*, int);
    FAIL_IF(UNLINK, -1);
    return real(directory, path, flags);
}
static int reserve(int fd, off_t offset, off_t bytes) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    const int code = trouble(FALLOCATE);
    return code > 0 ? code : real(fd, offset, bytes);
}
int posix_fallocate(int fd, off_t offset, off_t bytes) { return reserve(fd, offset, bytes); }
int posix_fallocate64(int fd, off_t offset, off_t bytes) { return reserve(fd, offset, bytes); }
int fchmod(int fd, mode_t mode) {
    REAL(int, "fchmod", int, mode_t);
    FAIL_IF(FCHMOD, -1);
    return real(fd, mode);
}
int fchmodat(int directory, const char* path, mode_t mode, int flags) {
    REAL(int, "fchmodat", int, const char*, mode_t, int);
    FAIL_IF(CHMOD, -1);
    return real(directory, path, mode, flags);
}
int utimensat(int directory, const char* path, const struct timespec times[2], int flags) {
    REAL(int, "utimensat", int, const char*, const struct timespec*, int);
    FAIL_IF(UTIMES, -1);
    return real(directory, path, times, flags);
}
static int shorten(int fd, off_t bytes) {
    REAL(int, "ftruncate", int, off_t);
    FAIL_IF(TRUNCATE, -1);
    return real(fd, bytes);
}
int ftruncate(int fd, off_t bytes) { return shorten(fd, bytes); }
int ftruncate64(int fd, off_t bytes) { return shorten(fd, bytes); }
int symlinkat(const char* target, int directory, const char* path) {
    REAL(int, "symlinkat", const char*, int, const char*);
    FAIL_IF(SYMLINK, -1);
    return real(target, directory, path);
}
int fstat(int fd, struct stat* out) {
    REAL(int, "fstat", int, struct stat*);
    FAIL_IF(FSTAT, -1);
    return real(fd, out);
}
int fstatat(int directory, const char* path, struct stat* out, int flags) {
    REAL(int, "fstatat", int, const char*, struct stat*, int);
    FAIL_IF(STAT, -1);
    return real(directory, path, out, flags);
}
struct dirent* readdir(DIR* stream) {
    REAL(struct dirent*, "readdir", DIR*);
    FAIL_IF(READDIR, NULL);
    return real(stream);
}
int flock(int fd, int operation) {
    REAL(int, "flock", int, int);
    FAIL_IF(FLOCK, -1);
    return real(fd, operation);
}
