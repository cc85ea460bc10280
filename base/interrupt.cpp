#include "base/interrupt.h"

#include <unistd.h>

#include <csignal>

#include <atomic>

#include "base/format.h"

namespace base {
namespace {

std::atomic<int> noted{0};
std::atomic<bool> changed{false}, unread{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Not by the signal's own action, which the first process of a container does not have.
void note(int signal) {
    if (!changed) ::_exit(128 + signal);
    noted = signal;
}

void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ::sigaction(signal, &action, nullptr);
}

const char* name_of(int signal) {
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : signal == SIGHUP ? "SIGHUP" : "a signal";
}

}  // namespace

void note_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, &note, static_cast<int>(SA_RESETHAND));
    for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN, 0);
}

void note_change() { changed = true; }

bool has_changed() { return changed; }

void note_gone_reader() {
    if (!changed) ::_exit(kReaderIsGone);
    unread = true;
}

bool reader_is_gone() { return unread; }

int noted_signal() { return noted; }

Status not_interrupted() {
    if (noted == 0) return {};
    return fail(ErrorKind::interrupted, format("stopped by {}", name_of(noted)));
}

}  // namespace base
