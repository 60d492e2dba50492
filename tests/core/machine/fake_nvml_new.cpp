// What a current driver has of NVML besides; see fake_nvml_old.cpp.

#include "tests/core/machine/fake_nvml.hpp"

#include <cstring>

using bankfull::FakeNvml;

extern "C" FakeNvml* fake_nvml();

namespace {

constexpr int good = 0;
constexpr int not_supported = 3;

int give(unsigned* to, unsigned value) {
  *to = value;
  return good;
}

struct FieldValue {
  unsigned field_id;
  unsigned scope_id;
  long long timestamp;
  long long latency;
  int value_type;
  int result;
  unsigned long long value;
};

bool is_second(const void* gpu) { return gpu != fake_nvml(); }

void fill(FieldValue& field, const void* gpu) {
  constexpr int unsigned_int = 1;
  constexpr int unsigned_long_long = 3;
  // A narrow value leaves what was in the rest of the union.
  constexpr unsigned long long rubbish = 0xdeadbeef00000000ULL;
  field.result = good;
  field.value_type = unsigned_long_long;
  switch (field.field_id) {
    case 74:
      field.value = is_second(gpu) ? fake_nvml()->second_power_cap_nanoseconds
                                   : fake_nvml()->power_cap_nanoseconds;
      break;
    case 82:
      field.value_type = unsigned_int;
      field.value = rubbish | fake_nvml()->memory_celsius;
      break;
    case 90:
      field.value_type = unsigned_int;
      field.value = rubbish | 26562;
      break;
    case 269:
      field.value = fake_nvml()->thermal_nanoseconds;
      break;
    case 270:
      field.value = fake_nvml()->hardware_nanoseconds;
      break;
    case 271:
      field.value = fake_nvml()->power_brake_nanoseconds;
      break;
    default:
      field.result = not_supported;
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

int nvmlDeviceGetFieldValues(void* gpu, int count, FieldValue* fields) {
  for (int n = 0; n < count; ++n) {
    fill(fields[n], gpu);
  }
  return fake_nvml()->field_result;
}

int nvmlDeviceGetTotalEnergyConsumption(void* gpu, unsigned long long* millijoules) {
  *millijoules =
      is_second(gpu) ? fake_nvml()->second_energy_millijoules : fake_nvml()->energy_millijoules;
  ++fake_nvml()->energy_reads;
  return fake_nvml()->energy_result;
}

int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = fake_nvml()->event_reasons;
  return good;
}

int nvmlDeviceGetTemperatureThreshold(void*, unsigned which, unsigned* celsius) {
  return which == 1 ? give(celsius, 92) : not_supported;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* milliwatts) {
  return give(milliwatts, 700'000);
}

int nvmlDeviceGetMaxClockInfo(void*, unsigned kind, unsigned* megahertz) {
  return give(megahertz, kind == 1 ? 1980 : 2619);
}

int nvmlDeviceGetPerformanceState(void*, unsigned* state) { return give(state, 0); }
int nvmlDeviceGetPersistenceMode(void*, unsigned* mode) { return give(mode, 1); }
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* value) { return give(value, 5); }
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* value) { return give(value, 8); }
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* value) { return give(value, 5); }
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* value) { return give(value, 16); }

int nvmlDeviceGetPcieReplayCounter(void*, unsigned* count) {
  return give(count, fake_nvml()->pcie_replays);
}

int nvmlDeviceGetVbiosVersion(void*, char* text, unsigned length) {
  std::strncpy(text, "96.00.74", length);
  return good;
}

int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
  *pending = 0;
  return give(current, 0);
}

int nvmlDeviceGetNvLinkErrorCounter(void*, unsigned, unsigned kind, unsigned long long* count) {
  *count = kind == 0 ? fake_nvml()->link_replays : 0;
  return kind <= 2 ? good : not_supported;
}

int nvmlDeviceGetRemappedRows(void*, unsigned* correctable, unsigned* uncorrectable,
                              unsigned* pending, unsigned* failed) {
  *uncorrectable = 0;
  *pending = fake_nvml()->remapping_pending;
  *failed = fake_nvml()->remapping_failed;
  return give(correctable, fake_nvml()->remapped_rows);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
