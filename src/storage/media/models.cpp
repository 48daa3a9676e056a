#include "storage/media/models.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::storage {

std::span<const DriveModel> drive_models() {
#define MODEL(name) drives::name(),
  static const std::array table{
#include "storage/media/models.inc"
  };
#undef MODEL
  return table;
}

const DriveModel* find_drive_model(std::string_view name) {
  return core::find_named(drive_models(), name);
}

}  // namespace ew::storage
