// System calls of the program that are given memory: the system would refuse memory that a HostWatch has closed, where
// an access of the program itself only takes a little longer. In front of the C library's functions of the same names.
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "runtime/host_watch.hpp"
#include "runtime/library_function.hpp"

using ew::runtime::HostWatch;

namespace {

void use(HostWatch::SystemCall& call, const iovec* pieces, long count) {
  for (long i = 0; pieces && i < count; ++i) call.uses(pieces[i].iov_base, pieces[i].iov_len);
}

}  // namespace

// The C library's function of this name, found at the first call.
#define EW_LIBRARY(name) static auto* const function = ew::runtime::library_function<decltype(name)>(#name)
#define EW_EXPORT __attribute__((visibility("default")))

extern "C" {

EW_EXPORT ssize_t read(int file, void* to, size_t bytes) {
  EW_LIBRARY(read);
  HostWatch::SystemCall call;
  call.uses(to, bytes);
  return function(file, to, bytes);
}
EW_EXPORT ssize_t pread(int file, void* to, size_t bytes, off_t at) {
  EW_LIBRARY(pread);
  HostWatch::SystemCall call;
  call.uses(to, bytes);
  return function(file, to, bytes, at);
}
EW_EXPORT ssize_t pread64(int file, void* to, size_t bytes, off64_t at) {
  return pread(file, to, bytes, at);
}
EW_EXPORT ssize_t readv(int file, const iovec* pieces, int count) {
  EW_LIBRARY(readv);
  HostWatch::SystemCall call;
  use(call, pieces, count);
  return function(file, pieces, count);
}
EW_EXPORT ssize_t recv(int socket, void* to, size_t bytes, int flags) {
  EW_LIBRARY(recv);
  HostWatch::SystemCall call;
  call.uses(to, bytes);
  return function(socket, to, bytes, flags);
}
EW_EXPORT ssize_t write(int file, const void* from, size_t bytes) {
  EW_LIBRARY(write);
  HostWatch::SystemCall call;
  call.uses(from, bytes);
  return function(file, from, bytes);
}
EW_EXPORT ssize_t pwrite(int file, const void* from, size_t bytes, off_t at) {
  EW_LIBRARY(pwrite);
  HostWatch::SystemCall call;
  call.uses(from, bytes);
  return function(file, from, bytes, at);
}
EW_EXPORT ssize_t pwrite64(int file, const void* from, size_t bytes, off64_t at) {
  return pwrite(file, from, bytes, at);
}
EW_EXPORT ssize_t writev(int file, const iovec* pieces, int count) {
  EW_LIBRARY(writev);
  HostWatch::SystemCall call;
  use(call, pieces, count);
  return function(file, pieces, count);
}
EW_EXPORT ssize_t send(int socket, const void* from, size_t bytes, int flags) {
  EW_LIBRARY(send);
  HostWatch::SystemCall call;
  call.uses(from, bytes);
  return function(socket, from, bytes, flags);
}
// Of the C library's files: what does not fit their buffers goes straight to the system.
EW_EXPORT size_t fread(void* to, size_t size, size_t count, FILE* file) {
  EW_LIBRARY(fread);
  HostWatch::SystemCall call;
  call.uses(to, size * count);
  return function(to, size, count, file);
}
EW_EXPORT size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  EW_LIBRARY(fwrite);
  HostWatch::SystemCall call;
  call.uses(from, size * count);
  return function(from, size, count, file);
}
}
