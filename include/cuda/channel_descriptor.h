// cudaCreateChannelDesc<T>().
#pragma once
#define __CHANNEL_DESCRIPTOR_H__  // CUDA's include guard: programs and libraries test it

#include "cuda_runtime_api.h"

#if defined(__cplusplus)
namespace everwarp_detail {
template <class T>
struct Channels {  // a type that a texture cannot hold has no channels
  static const int bits = 0, count = 0;
  static const cudaChannelFormatKind kind = cudaChannelFormatKindNone;
};
#define EW_CHANNELS(type, element, number, format)                        \
  template <>                                                             \
  struct Channels<type> {                                                 \
    static const int bits = 8 * int(sizeof(element)), count = number;     \
    static const cudaChannelFormatKind kind = cudaChannelFormatKind##format; \
  };
#define EW_CHANNELS_1234(name, element, format) \
  EW_CHANNELS(name##1, element, 1, format)      \
  EW_CHANNELS(name##2, element, 2, format)      \
  EW_CHANNELS(name##3, element, 3, format)      \
  EW_CHANNELS(name##4, element, 4, format)
EW_CHANNELS(char, char, 1, Signed)
EW_CHANNELS(signed char, char, 1, Signed)
EW_CHANNELS(unsigned char, char, 1, Unsigned)
EW_CHANNELS(short, short, 1, Signed)
EW_CHANNELS(unsigned short, short, 1, Unsigned)
EW_CHANNELS(int, int, 1, Signed)
EW_CHANNELS(unsigned int, int, 1, Unsigned)
EW_CHANNELS(float, float, 1, Float)
EW_CHANNELS_1234(char, char, Signed)
EW_CHANNELS_1234(uchar, char, Unsigned)
EW_CHANNELS_1234(short, short, Signed)
EW_CHANNELS_1234(ushort, short, Unsigned)
EW_CHANNELS_1234(int, int, Signed)
EW_CHANNELS_1234(uint, int, Unsigned)
EW_CHANNELS_1234(float, float, Float)
#undef EW_CHANNELS_1234
#undef EW_CHANNELS
}  // namespace everwarp_detail

template <class T>
inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef everwarp_detail::Channels<T> C;
  const cudaChannelFormatDesc desc = {C::count > 0 ? C::bits : 0, C::count > 1 ? C::bits : 0,
                                      C::count > 2 ? C::bits : 0, C::count > 3 ? C::bits : 0, C::kind};
  return desc;
}

inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
#endif
