// Every conversion of device printf against the same formats on the host; strings of constant, global and local memory.
#include <cstdio>
#include <cstdint>
#include <cinttypes>
#include <cstring>
#include <string>
#include <unistd.h>
#define LINES(F) \
  F("%p|%10p|%-12p|\n", (void*)0x1234, (void*)0xffff, (void*)0x10) \
  F("%zu %zd %ju %td %i\n", (size_t)-1, (ssize_t)-5, (uintmax_t)7, (ptrdiff_t)-9, -3) \
  F("%hhd %hhu %hd %hu %hhx\n", (signed char)-3, (unsigned char)250, (short)-7, (unsigned short)65000, (unsigned char)171) \
  F("%a %A %.3a\n", 1.5, 0.1, 3.14159) \
  F("%#o %#X %+.2e % .3g %#.3g\n", 8, 255, 12345.678, 3.0, 3.0) \
  F("%-*d|%*.*f|\n", 6, 42, 10, 3, 2.71828) \
  F("%s %.3s %8s|%-8s|%c%c\n", "abc", "abcdef", "r", "l", 'x', 10) \
  F("%lu %ld %llu %lld %lx %llX\n", 1ul << 63, -(1l << 62), ~0ull, -1ll, 255ul, 0xdeadbeefcafeull) \
  F("%" PRIu64 " %" PRId64 " %" PRIx64 "\n", UINT64_MAX, INT64_MIN, (uint64_t)0xabc) \
  F("%f %f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, 0.0, -0.0) \
  F("%5c|%-5c|%%|%05d|%+05d|%x\n", 'a', 'b', -42, 42, -1) \
  F("%10.4s|%.0f|%.10f|%g|%G\n", "truncated", 2.5, 1.0 / 3, 1e20, 1e-10) \
  F("%d %u %x %f %s %c %lld %p %d %u %x %f %s %c %lld %d\n", 1, 2u, 3, 4.0, "five", '6', 7ll, (void*)8, 9, 10u, 11, 12.0, "13", 'e', 15ll, 16)
__global__ void k() {
#define P(...) printf(__VA_ARGS__);
  LINES(P)
  char local[8] = "local"; printf("%s %d\n", local, printf("") );
  const char* n = nullptr; printf("[%s]\n", n ? n : "null");
  struct S { float f; short h; } s{1.5f, -2}; printf("%f %d\n", s.f, s.h);
  printf("%d %s"  "\n", true, "concatenated" " literal");
  printf("no newline at end");
}
int main() {
  FILE* f = tmpfile(); int saved = dup(1); fflush(stdout); dup2(fileno(f), 1); k<<<1, 1>>>(); cudaError_t e = cudaDeviceSynchronize(); fflush(stdout); dup2(saved, 1);
  rewind(f); std::string got(100000, 0); got.resize(fread(&got[0], 1, got.size(), f));
  std::string want; char b[4000];
#define Q(...) snprintf(b, sizeof b, __VA_ARGS__); want += b;
  LINES(Q)
  want += "local 0\n[null]\n1.500000 -2\n1 concatenated literal\nno newline at end";
  printf("%s %s\n", cudaGetErrorString(e), got == want ? "PASS" : "FAIL");
  if (got != want) { printf("--- got\n%s\n--- want\n%s\n", got.c_str(), want.c_str()); return 1; }
}
