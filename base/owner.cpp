#include "base/owner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/number_text.h"

namespace base {
namespace {

bool is_users(uid_t owner) {
    if (owner == 0 || owner == ::geteuid()) return true;
    const char* behind_sudo = std::getenv("SUDO_UID");
    return ::geteuid() == 0 && behind_sudo != nullptr && number_in<uid_t>(behind_sudo) == owner;
}

}  // namespace

bool belongs_to_user(FileSystem& fs, const Path& path) {
    if (&fs != &real_file_system()) return true;
    struct stat named {};
    struct stat meant {};
    return ::lstat(path.c_str(), &named) == 0 && ::stat(path.c_str(), &meant) == 0 && is_users(named.st_uid) &&
           is_users(meant.st_uid);
}

}  // namespace base
