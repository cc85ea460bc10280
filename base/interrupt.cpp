#include "base/interrupt.h"

#include <csignal>

#include <atomic>

#include "base/format.h"

namespace base {
namespace {

std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) { noted = signal; }

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

int noted_signal() { return noted; }

Status not_interrupted() {
    if (noted == 0) return {};
    return fail(ErrorKind::interrupted, format("stopped by {}", name_of(noted)));
}

}  // namespace base
