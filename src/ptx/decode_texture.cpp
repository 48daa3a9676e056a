// Texture fetches, gathers and queries; surface loads and stores.
#include <fmt/format.h>

#include "ptx/decode.hpp"

namespace ew::ptx {
namespace {

using Kind = ast::Operand::Kind;

struct Geometry {
  u8 dimensions;
  bool layered, cube;
  u8 coordinates;  // written, of which the last may be padding
};

/// By the value of the slot "geometry": 1d 2d 3d a1d a2d cube acube.
constexpr Geometry geometries[] = {{1, false, false, 1}, {2, false, false, 2}, {3, false, false, 4},
                                   {1, true, false, 2},  {2, true, false, 4},  {2, false, true, 4},
                                   {2, true, true, 4}};

void set_handle(InstructionOperands& operands, TextureForm& form, const ast::Operand& written) {
  if (written.kind != Kind::address || written.elements.empty()) operands.fail("a texture in [brackets] is expected");
  const auto& base = written.elements[0];
  if (base.kind == Kind::symbol) {
    const auto where = operands.symbol(base.symbol);
    if (where.kind != Symbol::Kind::absolute) operands.fail(fmt::format("{} is not a texture reference", base.symbol));
    form.handle_symbol = where.value;
  } else {
    form.handle = operands.row(base, Type::u64);
  }
}

}  // namespace

void FunctionDecoder::decode_texture(const Match& match) {
  TextureForm form;
  if (match.form->control == ControlForm::texture_query) {
    operands_.expect(2);
    form.kind = TextureKind::query;
    form.component = match.value("texture_property");
    form.dst[0] = operands_.destination(operands_[0], Type::b32);
    set_handle(operands_, form, operands_[1]);
    kernel_.textures.push_back(form);
    return emit({.op = Op::texture, .imm = static_cast<u32>(kernel_.textures.size() - 1)});
  }
  const bool gathers = match.form->control == ControlForm::gather;
  const auto& geometry = geometries[match.value(gathers ? "gather_geometry" : "geometry")];
  const u8 level = match.value("texture_level");
  form.dimensions = geometry.dimensions;
  form.layered = geometry.layered;
  form.cube = geometry.cube;
  form.result = match.type(0);
  form.coordinate = gathers ? Type::f32 : match.type(1);
  form.component = match.value("component");
  const auto plain = form.coordinate == Type::s32 ? TextureKind::fetch : TextureKind::sample;
  form.kind = gathers      ? TextureKind::gather
              : level == 1 ? TextureKind::level
              : level == 2 ? TextureKind::gradient
                           : plain;
  const u32 count = level == 0 ? 2 : level == 1 ? 3 : 4;
  operands_.expect(count, count);
  if (operands_[0].kind != Kind::vector || operands_[0].elements.size() != 4)
    operands_.fail("four destinations are expected");
  for (u32 i = 0; i < 4; ++i) form.dst[i] = operands_.destination(operands_[0].elements[i], Type::b32);
  set_handle(operands_, form, operands_[1]);
  const auto& place = operands_[1].elements.back();
  if (operands_[1].elements.size() < 2) operands_.fail("the coordinates are missing");
  const auto written = place.kind == Kind::vector ? std::span(place.elements) : std::span(&place, 1);
  const u32 least = geometry.coordinates == 4 && !(geometry.layered && geometry.cube) ? 3 : geometry.coordinates;
  if (written.size() < least || written.size() > 4)
    operands_.fail(fmt::format("{} coordinates expected", geometry.coordinates));
  for (u32 i = 0; i < written.size(); ++i)
    form.coordinates[i] = operands_.row(written[i], geometry.layered && i == 0 ? Type::u32 : form.coordinate);
  if (level == 1) form.level = operands_.row(operands_[2], form.coordinate);
  for (u32 g = 0; level == 2 && g < 2; ++g) {
    const auto& vector = operands_[2 + g];
    const auto gradient = vector.kind == Kind::vector ? std::span(vector.elements) : std::span(&vector, 1);
    for (u32 i = 0; i < gradient.size() && i < 3; ++i)
      form.gradients[g * 3 + i] = operands_.row(gradient[i], Type::f32);
  }
  kernel_.textures.push_back(form);
  emit({.op = Op::texture, .imm = static_cast<u32>(kernel_.textures.size() - 1)});
}

void FunctionDecoder::decode_surface(const Match& match) {
  TextureForm form;
  const bool loads = match.form->control == ControlForm::surface_load;
  const auto& geometry = geometries[match.value("surface_geometry")];
  form.kind = loads ? TextureKind::surface_load : TextureKind::surface_store;
  form.dimensions = geometry.dimensions;
  form.layered = geometry.layered;
  form.result = match.type();
  form.coordinate = Type::s32;
  form.vector = match.value("vector");
  form.clamp = match.value("surface_clamp");
  operands_.expect(2);
  const auto& data = operands_[loads ? 0 : 1];
  const auto& place = operands_[loads ? 1 : 0];
  const auto values = data.kind == Kind::vector ? std::span(data.elements) : std::span(&data, 1);
  if (values.size() != form.vector)
    operands_.fail(fmt::format("{} registers expected, {} given", form.vector, values.size()));
  for (u32 i = 0; i < values.size(); ++i)
    form.dst[i] = loads ? operands_.destination(values[i], form.result) : operands_.row(values[i], form.result);
  set_handle(operands_, form, place);
  if (place.elements.size() < 2) operands_.fail("the coordinates are missing");
  const auto& last = place.elements.back();
  const auto written = last.kind == Kind::vector ? std::span(last.elements) : std::span(&last, 1);
  if (written.size() > 4) operands_.fail("at most four coordinates are expected");
  for (u32 i = 0; i < written.size(); ++i) form.coordinates[i] = operands_.row(written[i], Type::b32);
  kernel_.textures.push_back(form);
  emit({.op = Op::texture, .imm = static_cast<u32>(kernel_.textures.size() - 1)});
}

}  // namespace ew::ptx
