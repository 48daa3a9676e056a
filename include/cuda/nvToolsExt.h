// NVTX ranges: their simulated time stands in the statistics (`ew run --stats`, "ranges"). Marks, colours, categories and
// names of threads are accepted, and without effect.
#pragma once

#include <stdint.h>

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
enum { NVTX_NO_PUSH_POP_TRACKING = -2 };

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#ifdef __cplusplus
extern "C" {
#endif
// Functions of libeverwarp; a program that is linked without it has none. push returns how many ranges were open before,
// pop how many are left.
int everwarp_nvtx_push(const char *name) __attribute__((weak));
int everwarp_nvtx_pop(void) __attribute__((weak));
nvtxRangeId_t everwarp_nvtx_start(const char *name) __attribute__((weak));
void everwarp_nvtx_end(nvtxRangeId_t id) __attribute__((weak));
#ifdef __cplusplus
}
#endif

static inline const char *everwarp_nvtx_text(const nvtxEventAttributes_t *attributes) {
  return attributes && attributes->messageType == NVTX_MESSAGE_TYPE_ASCII ? attributes->message.ascii : 0;
}

static inline void nvtxMarkA(const char *message) { (void)message; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *attributes) { (void)attributes; }
static inline int nvtxRangePushA(const char *message) {
  return everwarp_nvtx_push ? everwarp_nvtx_push(message) : NVTX_NO_PUSH_POP_TRACKING;
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *attributes) {
  return nvtxRangePushA(everwarp_nvtx_text(attributes));
}
static inline int nvtxRangePop(void) { return everwarp_nvtx_pop ? everwarp_nvtx_pop() : NVTX_NO_PUSH_POP_TRACKING; }
static inline nvtxRangeId_t nvtxRangeStartA(const char *message) {
  return everwarp_nvtx_start ? everwarp_nvtx_start(message) : 0;
}
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes) {
  return nvtxRangeStartA(everwarp_nvtx_text(attributes));
}
static inline void nvtxRangeEnd(nvtxRangeId_t id) {
  if (everwarp_nvtx_end) everwarp_nvtx_end(id);
}
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *name) {
  (void)name;
  return 0;
}
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  (void)domain;
  (void)attributes;
}
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  (void)domain;
  return nvtxRangePushEx(attributes);
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  (void)domain;
  return nvtxRangePop();
}
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  (void)domain;
  return nvtxRangeStartEx(attributes);
}
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  (void)domain;
  nvtxRangeEnd(id);
}
static inline void nvtxNameOsThreadA(uint32_t threadId, const char *name) {
  (void)threadId;
  (void)name;
}
static inline void nvtxNameCategoryA(uint32_t category, const char *name) {
  (void)category;
  (void)name;
}
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
