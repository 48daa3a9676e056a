#include "runtime/textures.hpp"

#include <algorithm>

#include "core/checked.hpp"
#include "runtime/properties.hpp"

namespace ew::runtime {

namespace {

/// A limit a dimension; 0 stands for a dimension that there is not, and is always allowed.
template <std::size_t n>
bool within(const cudaExtent& extent, const int (&limits)[n]) {
  const u64 sizes[] = {extent.width, extent.height, extent.depth};
  for (std::size_t i = 0; i < 3; ++i)
    if (sizes[i] > (i < n ? static_cast<u64>(limits[i]) : 0)) return false;
  return true;
}

bool within_limits(const cudaExtent& extent, unsigned flags) {
  static const cudaDeviceProp most = texture_limits();
  const auto& size = extent;
  const bool layered = (flags & cudaArrayLayered) != 0;
  if (flags & cudaArrayCubemap) {
    const int layers = layered ? most.maxTextureCubemapLayered[1] / 6 * 6 : 6;
    const int side = layered ? most.maxTextureCubemapLayered[0] : most.maxTextureCubemap;
    return size.width == size.height && size.depth != 0 && size.depth % 6 == 0 && within(size, {side, side, layers});
  }
  if (layered && size.height == 0) return within({size.width, size.depth, 0}, most.maxTexture1DLayered);
  if (layered) return within(size, most.maxTexture2DLayered);
  if (size.depth) return within(size, most.maxTexture3D) || within(size, most.maxTexture3DAlt);
  return size.height ? within(size, most.maxTexture2D) : size.width <= static_cast<u64>(most.maxTexture1D);
}

simt::TextureObject::Address address_mode(cudaTextureAddressMode mode) {
  using Address = simt::TextureObject::Address;
  switch (mode) {
    case cudaAddressModeWrap:
      return Address::wrap;
    case cudaAddressModeMirror:
      return Address::mirror;
    case cudaAddressModeBorder:
      return Address::border;
    default:
      return Address::clamp;
  }
}

cudaError_t check(const cudaTextureDesc& description, const simt::TextureObject& object) {
  for (auto mode : description.addressMode)
    if (mode < cudaAddressModeWrap || mode > cudaAddressModeBorder) return cudaErrorInvalidValue;
  const bool floats = object.format == simt::TextureObject::Format::floating;
  const bool normalized_read = description.readMode == cudaReadModeNormalizedFloat;
  if (normalized_read && object.channel_bytes == 4 && !floats) return cudaErrorInvalidNormSetting;
  if (description.filterMode == cudaFilterModeLinear && !floats && !normalized_read)
    return cudaErrorInvalidFilterSetting;
  return cudaSuccess;
}

}  // namespace

bool texel_format(const cudaChannelFormatDesc& format, u8& channels, u8& channel_bytes,
                  simt::TextureObject::Format& kind) {
  const int bits[4] = {format.x, format.y, format.z, format.w};
  int count = 0;
  while (count < 4 && bits[count] > 0) ++count;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < count ? bits[0] : 0)) return false;
  if (count == 0 || count == 3 || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32)) return false;
  using Format = simt::TextureObject::Format;
  switch (format.f) {
    case cudaChannelFormatKindSigned:
      kind = Format::signed_integer;
      break;
    case cudaChannelFormatKindUnsigned:
      kind = Format::unsigned_integer;
      break;
    case cudaChannelFormatKindFloat:
      if (bits[0] == 8) return false;
      kind = Format::floating;
      break;
    default:
      return false;
  }
  channels = static_cast<u8>(count);
  channel_bytes = static_cast<u8>(bits[0] / 8);
  return true;
}

Textures::~Textures() = default;

cudaError_t Textures::create_array(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags,
                                   cudaArray_t& handle) {
  u8 channels, channel_bytes;
  simt::TextureObject::Format kind;
  if (!texel_format(format, channels, channel_bytes, kind)) return cudaErrorInvalidChannelDescriptor;
  if (extent.width == 0 || !within_limits(extent, flags)) return cudaErrorInvalidValue;
  if (flags & (cudaArraySparse | cudaArrayDeferredMapping)) return cudaErrorNotSupported;
  auto array = std::make_unique<cudaArray>();
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  array->texel = u64{channels} * channel_bytes;
  array->address = allocations_.allocate(AllocatedBy::array, array->bytes(), 512, "cudaMallocArray");
  if (array->address == 0) return cudaErrorMemoryAllocation;
  handle = array.get();
  arrays_.emplace(handle, std::move(array));
  return cudaSuccess;
}

cudaError_t Textures::create_mipmap(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned levels,
                                    unsigned flags, cudaMipmappedArray_t& handle) {
  if (levels == 0) return cudaErrorInvalidValue;
  auto mipmap = std::make_unique<cudaMipmappedArray>();
  cudaExtent size = extent;
  for (unsigned level = 0; level < levels; ++level) {
    cudaArray_t array = nullptr;
    if (const cudaError_t error = create_array(format, size, flags, array)) {
      for (cudaArray* made : mipmap->levels) {
        made->of_mipmap = false;
        destroy(made);
      }
      return error;
    }
    array->of_mipmap = true;
    mipmap->levels.push_back(array);
    if (size.width <= 1 && size.height <= 1 && size.depth <= 1) break;
    size.width = std::max<std::size_t>(size.width / 2, 1);
    if (size.height) size.height = std::max<std::size_t>(size.height / 2, 1);
    if (size.depth && !(flags & (cudaArrayLayered | cudaArrayCubemap)))
      size.depth = std::max<std::size_t>(size.depth / 2, 1);
  }
  handle = mipmap.get();
  mipmaps_.emplace(handle, std::move(mipmap));
  return cudaSuccess;
}

cudaError_t Textures::destroy(cudaArray_t handle) {
  const auto found = arrays_.find(handle);
  if (found == arrays_.end() || found->second->of_mipmap) return cudaErrorInvalidResourceHandle;
  allocations_.release(found->second->address, bit(AllocatedBy::array));
  arrays_.erase(found);
  return cudaSuccess;
}

cudaError_t Textures::destroy(cudaMipmappedArray_t handle) {
  const auto found = mipmaps_.find(handle);
  if (found == mipmaps_.end()) return cudaErrorInvalidResourceHandle;
  for (cudaArray* level : found->second->levels) {
    level->of_mipmap = false;
    destroy(level);
  }
  mipmaps_.erase(found);
  return cudaSuccess;
}

cudaArray* Textures::find(cudaArray_const_t handle) const {
  const auto found = arrays_.find(handle);
  return found == arrays_.end() ? nullptr : found->second.get();
}

cudaMipmappedArray* Textures::find(cudaMipmappedArray_const_t handle) const {
  const auto found = mipmaps_.find(handle);
  return found == mipmaps_.end() ? nullptr : found->second.get();
}

cudaError_t Textures::describe(const cudaResourceDesc& resource, simt::TextureObject& object) const {
  const auto set_format = [&](const cudaChannelFormatDesc& format) {
    return texel_format(format, object.channels, object.channel_bytes, object.format)
               ? cudaSuccess
               : cudaErrorInvalidChannelDescriptor;
  };
  const u64 address = reinterpret_cast<u64>(resource.resType == cudaResourceTypePitch2D ? resource.res.pitch2D.devPtr
                                                                                        : resource.res.linear.devPtr);
  switch (resource.resType) {
    case cudaResourceTypeArray:
    case cudaResourceTypeMipmappedArray: {
      const cudaArray* array = nullptr;
      if (resource.resType == cudaResourceTypeArray) {
        array = find(resource.res.array.array);
      } else if (const auto* mipmap = find(resource.res.mipmap.mipmap)) {
        array = mipmap->levels.front();
      }
      if (!array) return cudaErrorInvalidResourceHandle;
      object.address = array->address;
      object.width = static_cast<u32>(array->extent.width);
      object.height = static_cast<u32>(array->extent.height);
      const bool layered = (array->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
      object.depth = layered ? 0 : static_cast<u32>(array->extent.depth);
      object.layers = layered ? static_cast<u32>(array->extent.depth) : 0;
      object.cube = (array->flags & cudaArrayCubemap) != 0;
      object.row_pitch = array->pitch();
      object.slice_pitch = array->slice();
      return set_format(array->format);
    }
    case cudaResourceTypeLinear: {
      const auto block = allocations_.find(address);
      if (const cudaError_t error = set_format(resource.res.linear.desc)) return error;
      const u64 bytes = resource.res.linear.sizeInBytes, texels = bytes / (object.channels * object.channel_bytes);
      if (!block || !core::lies_within(address, bytes, block->begin, block->size)) return cudaErrorInvalidValue;
      if (texels == 0 || texels > static_cast<u64>(texture_limits().maxTexture1DLinear)) return cudaErrorInvalidValue;
      object.address = address;
      object.width = static_cast<u32>(texels);
      object.height = object.depth = 0;
      object.row_pitch = resource.res.linear.sizeInBytes;
      object.linear_memory = true;
      return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto block = allocations_.find(address);
      const auto& plane = resource.res.pitch2D;
      if (const cudaError_t error = set_format(plane.desc)) return error;
      if (plane.width == 0 || plane.height == 0 ||
          !within({plane.width, plane.height, plane.pitchInBytes}, texture_limits().maxTexture2DLinear))
        return cudaErrorInvalidValue;
      const u64 row = plane.width * object.channels * object.channel_bytes;
      if (row > plane.pitchInBytes || plane.pitchInBytes % texture_limits().texturePitchAlignment || !block ||
          !core::lies_within(address, plane.pitchInBytes * (plane.height - 1) + row, block->begin, block->size))
        return cudaErrorInvalidValue;
      object.address = address;
      object.width = static_cast<u32>(plane.width);
      object.height = static_cast<u32>(plane.height);
      object.depth = 0;
      object.row_pitch = plane.pitchInBytes;
      return cudaSuccess;
    }
  }
  return cudaErrorInvalidValue;
}

u64 Textures::add(std::unique_ptr<TextureEntry> entry) {
  if (entries_.size() == most_objects) return 0;
  const u64 index = entries_.size();
  (*table_)[index].store(entry.get(), std::memory_order_release);
  entries_.push_back(std::move(entry));
  return first_handle + index;
}

cudaError_t Textures::create_texture(const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                                     const cudaResourceViewDesc* view, u64& handle) {
  auto entry = std::make_unique<TextureEntry>();
  simt::TextureObject& object = entry->object;
  if (const cudaError_t error = describe(resource, object)) return error;
  if (const cudaError_t error = check(texture, object)) return error;
  if (resource.resType == cudaResourceTypeMipmappedArray && find(resource.res.mipmap.mipmap)->levels.size() > 1 &&
      std::max(texture.minMipmapLevelClamp, texture.maxMipmapLevelClamp) > 0)
    return cudaErrorNotSupported;  // a fetch would take texels of other levels, too
  if (view && view->format != cudaResViewFormatNone &&
      (view->width != object.width || view->firstLayer != 0 || view->firstMipmapLevel != 0))
    return cudaErrorNotSupported;
  for (int i = 0; i < 3; ++i) object.address_mode[i] = address_mode(texture.addressMode[i]);
  object.linear_filter = texture.filterMode == cudaFilterModeLinear;
  object.normalized_coordinates = texture.normalizedCoords != 0 || object.cube;  // a direction has no unit
  object.seamless = texture.seamlessCubemap != 0;
  object.normalized_read = texture.readMode == cudaReadModeNormalizedFloat;
  object.srgb = texture.sRGB != 0;
  std::copy(std::begin(texture.borderColor), std::end(texture.borderColor), std::begin(object.border));
  entry->resource = resource;
  entry->texture = texture;
  if (view) entry->view = *view;
  entry->has_view = view != nullptr;
  handle = add(std::move(entry));
  return handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t Textures::create_surface(const cudaResourceDesc& resource, u64& handle) {
  if (resource.resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const cudaArray* array = find(resource.res.array.array);
  if (!array) return cudaErrorInvalidResourceHandle;
  if (!(array->flags & cudaArraySurfaceLoadStore)) return cudaErrorInvalidValue;
  auto entry = std::make_unique<TextureEntry>();
  if (const cudaError_t error = describe(resource, entry->object)) return error;
  entry->object.surface = true;
  entry->resource = resource;
  handle = add(std::move(entry));
  return handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

const TextureEntry* Textures::find(u64 handle) const {
  const u64 index = handle - first_handle;
  if (index >= most_objects) return nullptr;
  const TextureEntry* entry = (*table_)[index].load(std::memory_order_acquire);
  return entry && entry->live.load(std::memory_order_relaxed) ? entry : nullptr;
}

bool Textures::destroy_object(u64 handle, bool surface) {
  const TextureEntry* entry = find(handle);
  if (!entry || entry->object.surface != surface) return false;
  entries_[handle - first_handle]->live = false;
  return true;
}

void Textures::reset() {
  for (const auto& entry : entries_) entry->live = false;
  for (auto& [handle, array] : arrays_) gone_.push_back(std::move(array));
  for (auto& [handle, mipmap] : mipmaps_) gone_mipmaps_.push_back(std::move(mipmap));
  arrays_.clear();
  mipmaps_.clear();
}

}  // namespace ew::runtime
