// NVML, so that programs compile which ask for power, clocks or traffic by it. A simulated machine has no such sensors:
// nvmlInit() says so on standard error and returns NVML_ERROR_LIBRARY_NOT_FOUND, as on a computer without NVIDIA's
// driver, and each other call returns NVML_ERROR_UNINITIALIZED. `ew run --stats` has what was simulated.
#ifndef EVERWARP_NVML_H
#define EVERWARP_NVML_H

#include <stdio.h>

typedef enum nvmlReturn_enum {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NO_PERMISSION = 4,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9,
  NVML_ERROR_LIBRARY_NOT_FOUND = 12,
  NVML_ERROR_UNKNOWN = 999
} nvmlReturn_t;

typedef struct nvmlDevice_st* nvmlDevice_t;

typedef enum { NVML_PCIE_UTIL_TX_BYTES = 0, NVML_PCIE_UTIL_RX_BYTES = 1 } nvmlPcieUtilCounter_t;
typedef enum {
  NVML_CLOCK_GRAPHICS = 0,
  NVML_CLOCK_SM = 1,
  NVML_CLOCK_MEM = 2,
  NVML_CLOCK_VIDEO = 3
} nvmlClockType_t;
typedef enum { NVML_TEMPERATURE_GPU = 0 } nvmlTemperatureSensors_t;
typedef struct {
  unsigned gpu, memory;
} nvmlUtilization_t;
typedef struct {
  unsigned long long total, free, used;
} nvmlMemory_t;

static inline const char* nvmlErrorString(nvmlReturn_t code) {
  switch (code) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_LIBRARY_NOT_FOUND:
      return "A simulated machine has no NVML";
    default:
      return "Unknown Error";
  }
}

static inline nvmlReturn_t nvmlInit(void) {
  fputs("everwarp: nvmlInit: a simulated machine has no sensors for NVML; ew run --stats has what was simulated\n",
        stderr);
  return NVML_ERROR_LIBRARY_NOT_FOUND;
}
static inline nvmlReturn_t nvmlInit_v2(void) { return nvmlInit(); }

#define EVERWARP_NVML_CALL(name, ...) \
  static inline nvmlReturn_t name(__VA_ARGS__) { return NVML_ERROR_UNINITIALIZED; }
EVERWARP_NVML_CALL(nvmlShutdown, void)
EVERWARP_NVML_CALL(nvmlDeviceGetCount, unsigned* count __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetCount_v2, unsigned* count __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetHandleByIndex, unsigned index __attribute__((unused)),
                   nvmlDevice_t* device __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetHandleByIndex_v2, unsigned index __attribute__((unused)),
                   nvmlDevice_t* device __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetHandleByPciBusId, const char* bus __attribute__((unused)),
                   nvmlDevice_t* device __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetName, nvmlDevice_t device __attribute__((unused)), char* name __attribute__((unused)),
                   unsigned length __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetUUID, nvmlDevice_t device __attribute__((unused)), char* uuid __attribute__((unused)),
                   unsigned length __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetPcieThroughput, nvmlDevice_t device __attribute__((unused)),
                   nvmlPcieUtilCounter_t counter __attribute__((unused)), unsigned* value __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetPowerUsage, nvmlDevice_t device __attribute__((unused)),
                   unsigned* milliwatts __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetTotalEnergyConsumption, nvmlDevice_t device __attribute__((unused)),
                   unsigned long long* millijoules __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetClockInfo, nvmlDevice_t device __attribute__((unused)),
                   nvmlClockType_t type __attribute__((unused)), unsigned* megahertz __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetTemperature, nvmlDevice_t device __attribute__((unused)),
                   nvmlTemperatureSensors_t sensor __attribute__((unused)), unsigned* celsius __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetUtilizationRates, nvmlDevice_t device __attribute__((unused)),
                   nvmlUtilization_t* rates __attribute__((unused)))
EVERWARP_NVML_CALL(nvmlDeviceGetMemoryInfo, nvmlDevice_t device __attribute__((unused)),
                   nvmlMemory_t* memory __attribute__((unused)))
#undef EVERWARP_NVML_CALL

#endif
