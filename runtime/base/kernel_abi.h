// SPDX-License-Identifier: Apache-2.0
// What a generated kernel and its caller agree on. Freestanding. Version: kKernelAbiVersion.
#pragma once

#include <stdint.h>

namespace tenon {

inline constexpr uint32_t kKernelAbiVersion = 1;

/// Why a kernel stopped, written by it to KernelArgs::errors[worker] before it returns non-zero.
struct KernelError {
  int32_t buffer;   ///< number of the buffer in the kernel
  int32_t access;   ///< number of the load or store in the kernel
  int64_t index;    ///< the offending element offset (address range test) or index value
  int64_t extent;   ///< what it had to be below
};

enum KernelResult : int32_t {
  kKernelOk = 0,
  kKernelAccessOutOfBounds = 1,   ///< a checked kernel caught its own bug: internal
  kKernelIndexOutOfRange = 2,     ///< an index given in the user's data is out of range
};

struct KernelArgs {
  void* const* buffers;           ///< base addresses, by buffer number; arena ones 64-byte aligned
  const int64_t* dims;            ///< evaluated dims and strides, by number in the kernel's dim list
  const int64_t* buffer_bytes;    ///< size of each buffer, read by checked kernels only
  unsigned char* scratch;         ///< worker w owns [scratch + w*scratch_stride, +scratch_stride)
  int64_t scratch_stride;         ///< a multiple of 64
  KernelError* errors;            ///< one for each worker
};

/// Computes work items [begin, end) of the kernel's grid. Items are independent: any partition and any
/// order of them give the same bits. Returns a KernelResult.
using KernelFunction = int32_t (*)(const KernelArgs* args, int64_t begin, int64_t end, uint32_t worker);

}  // namespace tenon
