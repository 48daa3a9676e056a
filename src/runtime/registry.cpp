#include "runtime/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/program.hpp"
#include "runtime/container.hpp"

namespace ew::runtime {

Image* Registry::add_image(const void* bytes, const void* group) {
  std::lock_guard lock(mutex_);
  auto image = std::make_unique<Image>();
  if (const auto container = unpack(bytes, image->refusal)) {
    const std::string name(container->name);
    image->source = {std::string(container->ptx), name.empty() ? fmt::format("module {}", images_.size() + 1) : name};
    image->group = container->rdc ? (group ? group : this) : image.get();
    per_thread_stream_ |= container->per_thread_stream;
  } else {
    image->group = image.get();
  }
  images_.push_back(std::move(image));
  return images_.back().get();
}

void Registry::remove_image(Image* image) {
  std::lock_guard lock(mutex_);
  std::erase_if(functions_, [&](const auto& entry) { return entry.second.image == image; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second.image == image; });
  std::erase_if(variable_names_, [&](const auto& entry) { return !variables_.contains(entry.second); });
  std::erase_if(images_, [&](const auto& owned) { return owned.get() == image; });
}

void Registry::add_function(Image* image, const void* host, std::string name) {
  std::lock_guard lock(mutex_);
  functions_[host] = {image, std::move(name)};
}

void Registry::add_variable(Image* image, const void* host, std::string name, u64 size, bool constant) {
  std::lock_guard lock(mutex_);
  for (const auto& [begin, end] : managed_sections_) {
    if (host >= begin && host < end) image->managed[name] = reinterpret_cast<u64>(host);
  }
  variable_names_.try_emplace(name, host);
  variables_[host] = {image, std::move(name), size, constant};
}

void Registry::add_managed_section(const void* begin, const void* end) {
  std::lock_guard lock(mutex_);
  const std::pair section{begin, end};
  if (std::find(managed_sections_.begin(), managed_sections_.end(), section) == managed_sections_.end())
    managed_sections_.push_back(section);
}

void Registry::initialise_managed(const Image& image) {
  if (image.managed.empty() || !image.refusal.empty()) return;
  try {
    const auto module = ptx::parse(image.source.text, image.source.name);
    for (const auto& variable : module.variables) {
      const auto found = image.managed.find(variable.name);
      if (found == image.managed.end() || variable.linkage == ptx::ast::Linkage::external_declaration) continue;
      auto* bytes = reinterpret_cast<u8*>(found->second);
      std::memset(bytes, 0, variable.size);
      std::copy_n(variable.data.begin(), std::min<u64>(variable.data.size(), variable.size), bytes);
    }
  } catch (const ptx::Error&) {  // reported when the module is loaded
  }
}

std::optional<RegisteredFunction> Registry::function(const void* host) const {
  std::lock_guard lock(mutex_);
  const auto found = functions_.find(host);
  return found == functions_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<RegisteredVariable> Registry::variable(const void* symbol) const {
  std::lock_guard lock(mutex_);
  if (const auto found = variables_.find(symbol); found != variables_.end()) return found->second;
  // A string is compared name by name, so that memory behind a pointer that is no string is not read far.
  for (const auto& [name, host] : variable_names_)
    if (std::equal(name.begin(), name.end() + 1, static_cast<const char*>(symbol))) return variables_.at(host);
  return {};
}

std::vector<const Image*> Registry::images() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Image*> all;
  for (const auto& image : images_) all.push_back(image.get());
  return all;
}

std::vector<const Image*> Registry::group(const void* key) const {
  std::lock_guard lock(mutex_);
  std::vector<const Image*> list;
  for (const auto& image : images_)
    if (image->group == key) list.push_back(image.get());
  return list;
}

bool Registry::per_thread_default_stream() const {
  std::lock_guard lock(mutex_);
  return per_thread_stream_;
}

}  // namespace ew::runtime
