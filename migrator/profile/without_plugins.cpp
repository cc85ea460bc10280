// A portable program has its C library in it, and that cannot load code: in its link these take the place of the functions that
// SQLite would load extensions with (cmake/Components.cmake). It is never asked to.
extern "C" {
void* __wrap_dlopen(const char*, int) { return nullptr; }
void* __wrap_dlsym(void*, const char*) { return nullptr; }
int __wrap_dlclose(void*) { return 0; }
char* __wrap_dlerror() { return nullptr; }
}
