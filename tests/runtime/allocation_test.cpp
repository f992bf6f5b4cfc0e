// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <new>

#include "tests/runtime/demo_run.h"

namespace {
thread_local int64_t allocations = 0;
}

// Count what the calling thread allocates. Not inlined, as compilers then see malloc's memory
// deleted.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace tenon::testing {
namespace {

TEST(Allocation, NoneInRunUpToTheMaximum) {
  for (const uint32_t threads : {1, 2}) {
    const Engine engine = load_demo(with_threads(threads));
    Context context = engine.create_context().value();
    DemoRun small(5, 3, 1), large(512, 32, 2);
    const std::vector<int64_t> small_dims = {5, 64}, large_dims = {512, 64};
    ASSERT_TRUE(small.run(context).ok());
    ASSERT_TRUE(large.bind(context).ok());
    const int64_t before = allocations;
    ASSERT_TRUE(context.run().ok());
    ASSERT_TRUE(context.set_input("x", small.x.data(), small_dims).ok());
    ASSERT_TRUE(context.run().ok());
    ASSERT_TRUE(context.set_input("x", large.x.data(), large_dims).ok());
    ASSERT_TRUE(context.run().ok());
    EXPECT_EQ(allocations - before, 0) << threads << " threads";
    large.check();
  }
}

}  // namespace
}  // namespace tenon::testing
