// SPDX-License-Identifier: Apache-2.0
#include "tests/contraction/kernel_runner.h"

#include "runtime/base/kernel_abi.h"

#include <sys/mman.h>

#include <cstring>
#include <optional>
#include <utility>

namespace tenon::test {

namespace {

constexpr size_t kPage = 4096;

size_t whole_pages(size_t size) { return (size + kPage - 1) / kPage * kPage; }

}  // namespace

int64_t evaluate(const ir::Dim& dim, const Symbols& symbols) {
  return dim
      .evaluate([&](const std::string& name) -> std::optional<int64_t> {
        const auto found = symbols.find(name);
        if (found == symbols.end()) return std::nullopt;
        return found->second;
      })
      .value();
}

GuardedBytes::GuardedBytes(size_t size) : size_(size) {
  mapped_ = whole_pages(size) + kPage;
  mapping_ = static_cast<std::byte*>(
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(mapping_ + mapped_ - kPage, kPage, PROT_NONE);
  data_ = mapping_ + mapped_ - kPage - size;
}

GuardedBytes::~GuardedBytes() {
  if (mapping_) munmap(mapping_, mapped_);
}

GuardedBytes::GuardedBytes(GuardedBytes&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      size_(other.size_) {}

std::vector<std::byte> to_layout(const ir::TensorType& type, const Symbols& symbols,
                                 std::span<const std::byte> natural) {
  const size_t element = static_cast<size_t>(bit_width(type.type)) / 8;
  std::vector<int64_t> shape, physical;
  for (const ir::Dim& dim : type.shape) shape.push_back(evaluate(dim, symbols));
  int64_t total = 1;
  for (const ir::Dim& dim : ir::physical_dims(type.layout, type.shape)) {
    physical.push_back(evaluate(dim, symbols));
    total *= physical.back();
  }
  std::vector<std::byte> result(static_cast<size_t>(total) * element);
  std::vector<int64_t> index(shape.size(), 0);
  for (size_t at = 0; at * element < natural.size(); ++at) {
    std::vector<int64_t> outer = index, inner;
    for (size_t b = type.layout.blocks.size(); b-- > 0;) {
      const ir::Layout::Block& block = type.layout.blocks[b];
      inner.insert(inner.begin(), outer[block.axis] % block.size);
      outer[block.axis] /= block.size;
    }
    int64_t offset = 0;
    for (size_t p = 0; p < physical.size(); ++p) {
      const int64_t position = p >= shape.size() ? inner[p - shape.size()]
                               : type.layout.permutation.empty()
                                   ? outer[p]
                                   : outer[type.layout.permutation[p]];
      offset = offset * physical[p] + position;
    }
    std::memcpy(&result[static_cast<size_t>(offset) * element], &natural[at * element], element);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

LoadedKernel::LoadedKernel(codegen::GeneratedKernel generated, const Symbols& symbols)
    : generated_(std::move(generated)) {
  for (const ir::Dim& dim : generated_.dims) dims_.push_back(evaluate(dim, symbols));
  grid_ = evaluate(generated_.grid, symbols);
  scratch_bytes_ = evaluate(generated_.scratch_bytes, symbols);
  mapped_ = whole_pages(generated_.code.size());
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(mapping_, generated_.code.data(), generated_.code.size());
  mprotect(mapping_, mapped_, PROT_READ | PROT_EXEC);
}

LoadedKernel::~LoadedKernel() { munmap(mapping_, mapped_); }

int32_t LoadedKernel::run(std::span<const std::span<std::byte>> buffers, int64_t begin,
                          int64_t end) const {
  std::vector<void*> pointers;
  std::vector<int64_t> sizes;
  for (const auto& buffer : buffers) {
    pointers.push_back(buffer.data());
    sizes.push_back(static_cast<int64_t>(buffer.size()));
  }
  const size_t scratch_stride = (static_cast<size_t>(scratch_bytes_) + 63) / 64 * 64;
  std::vector<unsigned char> storage(scratch_stride + 64);
  const auto misaligned = reinterpret_cast<uintptr_t>(storage.data()) % 64;
  KernelError error{};
  KernelArgs args{};
  args.buffers = pointers.data();
  args.dims = dims_.data();
  args.buffer_bytes = sizes.data();
  args.scratch = storage.data() + (64 - misaligned) % 64;
  args.scratch_stride = static_cast<int64_t>(scratch_stride);
  args.errors = &error;
  const auto entry =
      reinterpret_cast<KernelFunction>(static_cast<std::byte*>(mapping_) + generated_.entry);
  return entry(&args, begin, end, 0);
}

}  // namespace tenon::test
