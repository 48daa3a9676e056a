#include "case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "memory/address_space.hpp"
#include "ptx/program.hpp"
#include "simt/flat_memory.hpp"
#include "simt/functional_gpu.hpp"

namespace ew::test {
namespace {

u32 size_of_type(const std::string& type) {
  if (type == "u8" || type == "s8") return 1;
  if (type == "u16" || type == "s16") return 2;
  if (type == "u64" || type == "s64" || type == "f64") return 8;
  return 4;
}

u64 bits_of(const std::string& type, const std::string& text) {
  if (type == "f32") {
    const float value = std::stof(text);
    u32 bits;
    std::memcpy(&bits, &value, 4);
    return bits;
  }
  if (type == "f64") {
    const double value = std::stod(text);
    u64 bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  return text[0] == '-' ? static_cast<u64>(std::stoll(text, nullptr, 0)) : std::stoull(text, nullptr, 0);
}

void append(std::vector<u8>& bytes, const std::string& type, u64 bits) {
  for (u32 i = 0; i < size_of_type(type); ++i) bytes.push_back(static_cast<u8>(bits >> (i * 8)));
}

/// "7", "3*32" (32 times 3), "0..31" (each of them).
void append_values(std::vector<u8>& bytes, const std::string& type, std::istream& words) {
  for (std::string word; words >> word;) {
    const auto range = word.find("..");
    const auto times = word.find('*');
    if (range != std::string::npos) {
      for (long long v = std::stoll(word.substr(0, range)); v <= std::stoll(word.substr(range + 2)); ++v)
        append(bytes, type, bits_of(type, std::to_string(v)));
    } else if (times != std::string::npos) {
      for (u64 n = std::stoull(word.substr(times + 1)); n-- > 0;)
        append(bytes, type, bits_of(type, word.substr(0, times)));
    } else {
      append(bytes, type, bits_of(type, word));
    }
  }
}

std::string rest_of(std::istream& words) {
  std::string rest;
  std::getline(words >> std::ws, rest);
  return rest;
}

Dim3 read_dim(std::istream& words) {
  Dim3 d;
  words >> d.x;
  if (!(words >> d.y))
    d.y = 1;
  else if (!(words >> d.z))
    d.z = 1;
  return d;
}

/// texture NAME BUFFER width H D key=value …
TextureSpec read_texture(std::istream& words) {
  TextureSpec spec;
  auto& o = spec.object;
  words >> spec.name >> spec.buffer;
  using Address = simt::TextureObject::Address;
  using Format = simt::TextureObject::Format;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "width")
      o.width = std::stoul(value);
    else if (key == "height")
      o.height = std::stoul(value);
    else if (key == "depth")
      o.depth = std::stoul(value);
    else if (key == "layers")
      o.layers = std::stoul(value);
    else if (key == "pitch")
      o.row_pitch = std::stoul(value);
    else if (key == "slice")
      o.slice_pitch = std::stoul(value);
    else if (key == "channels")
      o.channels = std::stoul(value);
    else if (key == "bytes")
      o.channel_bytes = std::stoul(value);
    else if (key == "unsigned")
      o.format = Format::unsigned_integer;
    else if (key == "signed")
      o.format = Format::signed_integer;
    else if (key == "wrap")
      for (auto& a : o.address_mode) a = Address::wrap;
    else if (key == "mirror")
      for (auto& a : o.address_mode) a = Address::mirror;
    else if (key == "border")
      for (auto& a : o.address_mode) a = Address::border;
    else if (key == "linear")
      o.linear_filter = true;
    else if (key == "normalized")
      o.normalized_coordinates = true;
    else if (key == "normalized_read")
      o.normalized_read = true;
    else if (key == "linear_memory")
      o.linear_memory = true;
    else if (key == "surface")
      o.surface = true;
    else
      throw std::runtime_error("texture: unknown word " + word);
  }
  return spec;
}

void read_expectation(Case& c, std::istream& words) {
  std::string what;
  words >> what;
  if (what == "fault")
    c.fault = rest_of(words);
  else if (what == "report")
    c.report.push_back(rest_of(words));
  else if (what == "printed")
    c.printed.push_back(rest_of(words));
  else if (what == "refused")
    c.refused = rest_of(words);
  else if (what == "instructions")
    c.instructions = std::stoull(rest_of(words));
  else if (what == "divergent")
    c.divergent = std::stoull(rest_of(words));
  else {
    for (const Buffer& buffer : c.buffers) {
      if (buffer.name != what) continue;
      Buffer expected{what, buffer.type, {}};
      append_values(expected.bytes, buffer.type, words);
      c.expected.push_back(expected);
      return;
    }
    throw std::runtime_error("expect: no buffer named " + what);
  }
}

void read_line(Case& c, const std::string& line) {
  std::istringstream words(line);
  std::string word;
  if (!(words >> word) || word[0] == '#') return;
  if (word == "grid")
    c.grid = read_dim(words);
  else if (word == "block")
    c.block = read_dim(words);
  else if (word == "shared")
    words >> c.dynamic_shared;
  else if (word == "stack")
    words >> c.stack;
  else if (word == "sms")
    words >> c.sms;
  else if (word == "limit")
    words >> c.limit;
  else if (word == "launches")
    words >> c.launches;
  else if (word == "timed")
    c.timed = true;
  else if (word == "cooperative")
    c.cooperative = true;
  else if (word == "assist")
    words >> c.assist.model >> c.assist.warps >> c.assist.registers;
  else if (word == "kernels") {
    for (std::string name; words >> name;) c.kernels.push_back(name);
  } else if (word == "buffer") {
    Buffer buffer;
    words >> buffer.name >> buffer.type;
    append_values(buffer.bytes, buffer.type, words);
    c.buffers.push_back(buffer);
  } else if (word == "parameter") {
    Parameter parameter;
    std::string type, value;
    words >> type;
    if (words >> value) {
      if (value[0] == '+' || value[0] == '-') {
        parameter.buffer = type;
        parameter.bits = static_cast<u64>(std::stoll(value));
      } else {
        parameter.type = type;
        parameter.bits = bits_of(type, value);
      }
    } else {
      parameter.buffer = type;
    }
    c.parameters.push_back(parameter);
  } else if (word == "texture")
    c.textures.push_back(read_texture(words));
  else if (word == "expect")
    read_expectation(c, words);
  else
    throw std::runtime_error("unknown word " + word);
}

class Services final : public simt::DeviceServices {
 public:
  explicit Services(memory::AddressSpace& space) : space_(space) {}
  std::string printed;
  std::map<u64, simt::TextureObject> textures;

  i32 print(const char* format, const u8* arguments, const simt::ReadString&) override {
    i32 value = 0;
    if (arguments) std::memcpy(&value, arguments, 4);
    printed += fmt::format("{}|{}\n", format, value);
    return 1;
  }
  u64 heap_allocate(u64 bytes) override {
    return bytes > 1 << 20 ? 0 : space_.allocate(memory::Region::internal, bytes, 16, "device heap");
  }
  bool heap_free(u64 address) override { return space_.release(address); }
  const simt::TextureObject* texture(u64 handle) override {
    const auto found = textures.find(handle);
    return found == textures.end() ? nullptr : &found->second;
  }
  bool knows_region(std::string_view) override { return true; }
  bool region(std::string_view name, LaneMask lanes) override {
    printed += fmt::format("region {} {:#x}\n", name, lanes);
    return name == "replaced";
  }

 private:
  memory::AddressSpace& space_;
};

u8* host(u64 address) {
  return reinterpret_cast<u8*>(address);
}

std::map<std::string, u64> load_variables(const ptx::ast::Module& module, memory::AddressSpace& space) {
  std::map<std::string, u64> addresses;
  for (const auto& variable : module.variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const bool constant = variable.space == ptx::Space::constant;
    const u64 address = space.allocate(constant ? memory::Region::constant : memory::Region::device,
                                       std::max<u64>(variable.size, 1), variable.alignment, variable.name, constant);
    std::memset(host(address), 0, variable.size);
    std::copy_n(variable.data.begin(), variable.data.size(), host(address));
    addresses[variable.name] = address;
  }
  for (const auto& variable : module.variables)
    for (const auto& relocation : variable.relocations) {
      u64 value = 0;
      if (const auto found = addresses.find(relocation.symbol); found != addresses.end()) value = found->second;
      for (u32 f = 0; f < module.functions.size(); ++f)
        if (module.functions[f].name == relocation.symbol) value = ptx::code_base + 16 * f;
      value += relocation.addend;
      std::memcpy(host(addresses[variable.name]) + relocation.offset, &value, relocation.size);
    }
  return addresses;
}

}  // namespace

Case read_case(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Case c;
  bool in_ptx = false;
  for (std::string line; std::getline(file, line);) {
    if (in_ptx)
      c.ptx += line + "\n";
    else if (line == "ptx")
      in_ptx = true;
    else
      read_line(c, line);
  }
  if (c.ptx.find(".version") == std::string::npos) c.ptx = ".version 8.3\n.target sm_90\n.address_size 64\n" + c.ptx;
  return c;
}

namespace {

using MakeGuardedGpu = std::function<std::unique_ptr<simt::Gpu>(const simt::GpuLimits&, memory::AddressSpace&,
                                                                simt::DeviceServices&, Guard&)>;

Outcome run_on(const Case& c, u64 slice, bool guarded, const MakeGuardedGpu& make) {
  memory::AddressSpace space(u64{1} << 30);
  Guard guard;
  Services services(space);
  simt::GpuLimits limits;
  limits.sms = c.sms;
  limits.assist = c.assist.limits();
  const std::unique_ptr<simt::Gpu> made = make(limits, space, services, guard);
  simt::Gpu& gpu = *made;
  gpu.set_instruction_limit(c.limit);

  std::map<std::string, u64> addresses;
  for (const Buffer& buffer : c.buffers) {
    const u64 alignment = guarded ? Guard::page : 256;
    addresses[buffer.name] = space.allocate(memory::Region::device, buffer.bytes.size(), alignment, "cudaMalloc");
    if (guarded) guard.add(addresses[buffer.name], buffer.bytes.size());
    std::memcpy(host(addresses[buffer.name]), buffer.bytes.data(), buffer.bytes.size());
  }
  if (guarded) space.allocate(memory::Region::device, 1, Guard::page, "what lies behind the buffers");
  u64 next_handle = 1;
  for (TextureSpec spec : c.textures) {
    spec.object.address = addresses.at(spec.buffer);
    const u64 texel = spec.object.channels * spec.object.channel_bytes;
    if (!spec.object.row_pitch) spec.object.row_pitch = spec.object.width * texel;
    if (!spec.object.slice_pitch) spec.object.slice_pitch = spec.object.row_pitch * std::max(spec.object.height, 1u);
    services.textures[next_handle] = spec.object;
    addresses[spec.name] = next_handle++;
  }
  std::vector<ptx::ast::Module> modules;
  modules.push_back(ptx::parse(c.ptx, "case"));
  const ptx::ast::Module module = ptx::link(std::move(modules));
  const auto variables = load_variables(module, space);
  const ptx::Program program =
      ptx::load(module, [&](std::string_view name) { return variables.at(std::string(name)); });

  Outcome outcome;
  const u32 launches = c.kernels.empty() ? c.launches : static_cast<u32>(c.kernels.size());
  for (u32 i = 0; i < launches; ++i) {
    simt::Launch launch;
    launch.kernel = c.kernels.empty() ? program.kernels.at(0).get() : program.find(c.kernels[i]);
    if (!launch.kernel) throw std::runtime_error("no kernel named " + c.kernels[i]);
    launch.grid = c.grid;
    launch.block = c.block;
    launch.dynamic_shared = c.dynamic_shared;
    launch.stack_bytes = c.stack;
    launch.cooperative = c.cooperative;
    launch.parameters.resize(launch.kernel->parameter_bytes);
    for (u32 p = 0; p < launch.kernel->parameters.size() && p < c.parameters.size(); ++p) {
      const Parameter& parameter = c.parameters[p];
      const u64 bits = parameter.buffer.empty() ? parameter.bits : addresses.at(parameter.buffer) + parameter.bits;
      std::memcpy(launch.parameters.data() + launch.kernel->parameters[p].offset, &bits,
                  std::min<u32>(launch.kernel->parameters[p].size, 8));
    }
    outcome.refused = gpu.refuse(launch);
    if (!outcome.refused.empty()) return outcome;
    gpu.start(std::move(launch));
  }
  guard.close();
  while (gpu.run(slice)) {
    for (auto& completion : gpu.take_completions()) outcome.completions.push_back(std::move(completion));
  }
  for (auto& completion : gpu.take_completions()) outcome.completions.push_back(std::move(completion));
  guard.open();
  for (const Buffer& buffer : c.buffers) {
    const u8* from = host(addresses[buffer.name]);
    outcome.memory[buffer.name].assign(from, from + buffer.bytes.size());
  }
  outcome.printed = services.printed;
  outcome.nanoseconds = gpu.simulated_nanoseconds();
  return outcome;
}

}  // namespace

Outcome run_case(const Case& c, u64 slice, const MakePerformer& make_performer) {
  return run_on(c, slice, make_performer != nullptr,
                [&](const simt::GpuLimits& limits, memory::AddressSpace& space, simt::DeviceServices& services,
                    Guard& guard) -> std::unique_ptr<simt::Gpu> {
                  std::unique_ptr<simt::Performer> performer;
                  if (make_performer)
                    performer = make_performer(space, guard);
                  else
                    performer = std::make_unique<simt::FlatMemory>(space);
                  return std::make_unique<simt::FunctionalGpu>(limits, space, services, std::move(performer));
                });
}

Outcome run_case(const Case& c, u64 slice, const MakeGpu& make) {
  return run_on(c, slice, false,
                [&](const simt::GpuLimits& limits, memory::AddressSpace& space, simt::DeviceServices& services,
                    Guard&) { return make(limits, space, services); });
}

std::string values_text(const std::string& type, const std::vector<u8>& bytes) {
  std::string text;
  const u32 size = size_of_type(type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    u64 bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    if (at) text += ' ';
    if (type == "f32") {
      float value;
      std::memcpy(&value, &bits, 4);
      text += fmt::format("{}", value);
    } else if (type == "f64") {
      double value;
      std::memcpy(&value, &bits, 8);
      text += fmt::format("{}", value);
    } else if (type[0] == 's') {
      const i64 value = static_cast<i64>(bits << (64 - size * 8)) >> (64 - size * 8);
      text += std::to_string(value);
    } else {
      text += std::to_string(bits);
    }
  }
  return text;
}

std::string name_of(simt::FaultKind kind) {
  constexpr const char* names[] = {"none",
                                   "illegal_address",
                                   "misaligned_address",
                                   "write_to_constant",
                                   "invalid_address_space",
                                   "stack_overflow",
                                   "trap",
                                   "assert_failed",
                                   "illegal_instruction",
                                   "barrier_deadlock",
                                   "deadlock",
                                   "instruction_limit",
                                   "device_heap",
                                   "texture"};
  return names[static_cast<u32>(kind)];
}

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(EW_TEST_DATA "/cases"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ew::test
