// Arrays and texture and surface objects: what cudaArray_t, cudaMipmappedArray_t and object handles stand for. Owned by
// ProgramMemory. A handle is an index into a table that only grows, so the machine's thread finds an object without a
// lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "driver_types.h"
#include "runtime/allocations.hpp"
#include "simt/gpu.hpp"
#include "texture_types.h"

/// Texels in rows without gaps (row pitch = width), whatever the number of dimensions. Its extent is within the
/// device's limits, so that no product below overflows.
struct cudaArray {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  // as asked for: height and depth 0 for fewer dimensions
  unsigned flags = 0;
  ew::u64 address = 0;
  ew::u64 texel = 0;  // bytes
  bool of_mipmap = false;
  ew::u64 pitch() const { return extent.width * texel; }
  ew::u64 rows() const { return extent.height ? extent.height : 1; }
  ew::u64 planes() const { return extent.depth ? extent.depth : 1; }
  ew::u64 slice() const { return pitch() * rows(); }
  ew::u64 bytes() const { return slice() * planes(); }
};

struct cudaMipmappedArray {
  std::vector<cudaArray*> levels;
};

namespace ew::runtime {

struct TextureEntry {
  simt::TextureObject object;
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaResourceViewDesc view{};
  bool has_view = false;
  std::atomic<bool> live{true};
};

class Textures {
 public:
  explicit Textures(Allocations& allocations) : allocations_(allocations) {}
  ~Textures();

  cudaError_t create_array(const cudaChannelFormatDesc&, const cudaExtent&, unsigned flags, cudaArray_t&);
  cudaError_t create_mipmap(const cudaChannelFormatDesc&, const cudaExtent&, unsigned levels, unsigned flags,
                            cudaMipmappedArray_t&);
  /// cudaErrorInvalidResourceHandle unless the handle is live.
  cudaError_t destroy(cudaArray_t);
  cudaError_t destroy(cudaMipmappedArray_t);
  cudaArray* find(cudaArray_const_t) const;
  cudaMipmappedArray* find(cudaMipmappedArray_const_t) const;

  cudaError_t create_texture(const cudaResourceDesc&, const cudaTextureDesc&, const cudaResourceViewDesc*, u64& handle);
  cudaError_t create_surface(const cudaResourceDesc&, u64& handle);
  bool destroy_object(u64 handle, bool surface);
  /// Any thread, no lock. nullptr: not a live object.
  const TextureEntry* find(u64 handle) const;
  void reset();

 private:
  cudaError_t describe(const cudaResourceDesc&, simt::TextureObject&) const;
  u64 add(std::unique_ptr<TextureEntry>);

  static constexpr u64 first_handle = 0x7ec0'0000'0000'0001;  // no address, and not 0
  static constexpr std::size_t most_objects = 1 << 16;

  Allocations& allocations_;
  std::unordered_map<const void*, std::unique_ptr<cudaArray>> arrays_;  // by handle
  std::unordered_map<const void*, std::unique_ptr<cudaMipmappedArray>> mipmaps_;
  // From before a reset: no new handle equals an old one.
  std::vector<std::unique_ptr<cudaArray>> gone_;
  std::vector<std::unique_ptr<cudaMipmappedArray>> gone_mipmaps_;
  std::vector<std::unique_ptr<TextureEntry>> entries_;
  std::unique_ptr<std::array<std::atomic<const TextureEntry*>, most_objects>> table_ =
      std::make_unique<std::array<std::atomic<const TextureEntry*>, most_objects>>();
};

/// The channels and type of a texel; false for what CUDA does not have (3 channels, unequal sizes …).
bool texel_format(const cudaChannelFormatDesc&, u8& channels, u8& channel_bytes, simt::TextureObject::Format&);

}  // namespace ew::runtime
