// Static objects of this library are never destroyed. When the program ends, the machine finishes what is queued, and
// static objects that were made after the machine would be gone by then: tables that simulation uses.

/// What the compiler calls for each static object of this library that has a destructor. Hidden: others call their own.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
