// SPDX-License-Identifier: Apache-2.0
// Targets, the flat linker, checked kernels, and what the machine code looks like.
#include "builder/codegen/cpu/linker.h"
#include "tests/codegen/kernel_builder.h"
#include "tests/codegen/kernel_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>

#include <cstring>
#include <thread>

namespace tenon::test {
namespace {

using codegen::parse_target;
using testing::HasSubstr;

TEST(Target, SetsFeaturesAndTuningApart) {
  auto v3 = parse_target("cpu:x86-64-v3").value();
  EXPECT_TRUE(v3.has("avx2") && v3.has("fma") && v3.has("f16c"));
  EXPECT_FALSE(v3.has("avx512f"));
  EXPECT_EQ(v3.unit.bits, 256);
  auto v4 = parse_target("cpu:x86-64-v4").value();
  EXPECT_TRUE(v4.has("avx512bw"));
  EXPECT_EQ(v4.unit.bits, 512);
  EXPECT_EQ(v4.unit.registers, 32);
  EXPECT_EQ(v4.tuning, "sapphirerapids");
  auto zen = parse_target("cpu:znver5").value();
  EXPECT_EQ(zen.tuning, "znver5");
  EXPECT_THAT(zen.description(), HasSubstr("AVX-512, VNNI, BF16"));
}

TEST(Target, ClosesFeaturesOverWhatTheyImply) {
  auto more = parse_target("cpu:x86-64-v4+avx512vnni").value();
  EXPECT_TRUE(more.has("avx512vnni"));
  auto less = parse_target("cpu:x86-64-v4-avx512f").value();
  EXPECT_FALSE(less.has("avx512bw")) << "what needs avx512f goes with it";
  EXPECT_EQ(less.unit.bits, 256);
}

TEST(Target, RejectsWhatItCannotServe) {
  auto old = parse_target("cpu:x86-64-v2");
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.status().code(), ErrorCode::unsupported);
  EXPECT_THAT(old.status().message(), HasSubstr("avx2"));
  auto unknown = parse_target("cpu:znver55");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().code(), ErrorCode::bad_argument);
  EXPECT_THAT(unknown.status().message(), HasSubstr("znver5"));
  auto feature = parse_target("cpu:x86-64-v3+avx512vnn");
  ASSERT_FALSE(feature.ok());
  EXPECT_THAT(feature.status().message(), HasSubstr("avx512vnni"));
  EXPECT_FALSE(parse_target("cuda:sm_90").ok());
  EXPECT_FALSE(parse_target("cpu:").ok());
}

loop::Kernel double_kernel(int64_t size) {
  KernelBuilder k("double");
  int i = k.grid(size);
  int x = k.input(DataType::f32, {size}), y = k.output(DataType::f32, {size});
  k.store(y, {i}, k.at(x, {i}) + k.at(x, {i}));
  return k.kernel();
}

TEST(Checked, CatchesLoadsAndStoresBeyondTheBuffer) {
  auto kernel = double_kernel(100);
  std::mt19937_64 random(1);
  auto buffers = random_buffers(kernel, {}, random);
  for (const auto& target : runnable_targets()) {
    for (const auto& schedule : {lanes(0, 16), lanes(0, 64), lanes(-1, 1)}) {
      for (int buffer : {0, 1}) {
        RunOptions options;
        options.checked = true;
        options.claimed_bytes = {{buffer, 99 * 4}};
        auto result = run(kernel, schedule, target, {}, buffers, options);
        EXPECT_EQ(result.code, kKernelAccessOutOfBounds);
        EXPECT_EQ(result.error.buffer, buffer);
        EXPECT_EQ(result.error.index, 99);
        EXPECT_EQ(result.error.extent, 99);
      }
    }
  }
}

TEST(Checked, LetsSoundKernelsPass) {
  RunOptions options;
  options.checked = true;
  for (int64_t size : {1, 31, 100}) {
    for (const auto& schedule : {lanes(0, 16), lanes(-1, 1)}) {
      expect_as_interpreted(double_kernel(size), schedule, Symbols{}, 2, options);
    }
  }
}

TEST(Code, HotLoopsUseTheWidestRegisters) {
  KernelBuilder k("norm");
  int i = k.grid(64), r = k.axis(1024);
  int x = k.input(DataType::f32, {64, 1024}), y = k.output(DataType::f32, {64});
  int sum = k.reduce(loop::Combiner::sum, {r}, k.at(x, {i, r}), loop::constant(DataType::f32, 0));
  k.store(y, {i}, k.stage(sum));
  for (const auto& [text, bits] : std::vector<std::pair<std::string, int>>{
           {"cpu:x86-64-v3", 256}, {"cpu:x86-64-v4", 512}, {"cpu:znver5", 512}}) {
    auto target = parse_target(text).value();
    auto elementwise = codegen::generate(double_kernel(100000), lanes(0, 64), target).value();
    EXPECT_EQ(elementwise.vector_bits, bits) << text;
    auto reduction = codegen::generate(k.kernel(), lanes(r, 64), target, {false, true}).value();
    EXPECT_EQ(reduction.vector_bits, bits) << text << "\n" << reduction.assembly;
    EXPECT_THAT(reduction.assembly, HasSubstr(bits == 512 ? "zmm" : "ymm"));
    auto scalar = codegen::generate(double_kernel(100000), lanes(-1, 1), target).value();
    EXPECT_LE(scalar.vector_bits, 128) << text;
  }
}

TEST(Code, ListsEachDimOnceInOrderOfUse) {
  auto n = ir::Dim::symbol("N");
  KernelBuilder k("dims");
  int i = k.grid(n), j = k.grid(n + 1);
  int x = k.input(DataType::f32, {n, n + 1}), y = k.output(DataType::f32, {n, n + 1});
  k.store(y, {i, j}, k.at(x, {i, j}));
  auto generated =
      codegen::generate(k.kernel(), lanes(j, 16), parse_target("cpu:x86-64-v3").value()).value();
  EXPECT_EQ(generated.dims.size(), 2u);
  EXPECT_EQ(generated.grid, n);
  EXPECT_EQ(generated.scratch_bytes, ir::Dim(0));
}

TEST(Code, IsTheSameFromManyThreads) {
  auto target = parse_target("cpu:x86-64-v3").value();
  auto kernel = double_kernel(1000);
  std::vector<codegen::GeneratedKernel> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = codegen::generate(kernel, lanes(0, 32), target).value(); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result.code, results[0].code);
}

TEST(Code, UnsupportedTypesAreNamed) {
  KernelBuilder k("nibbles");
  int i = k.grid(8);
  int x = k.input(DataType::i4, {8}), y = k.output(DataType::i4, {8});
  k.store(y, {i}, k.at(x, {i}));
  auto result = codegen::generate(k.kernel(), lanes(-1, 1), parse_target("cpu:x86-64-v3").value());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::unsupported);
  EXPECT_THAT(result.status().message(), HasSubstr("i4"));
}

/// A minimal object: .text, .data or .rodata, a symbol table, and relocations of .text.
class ObjectBuilder {
 public:
  uint32_t relocation = R_X86_64_PC32;
  bool defined = true;
  uint64_t data_flags = SHF_ALLOC;
  int64_t relocation_offset = 2;

  std::vector<std::byte> build() const {
    const std::string names("\0.text\0.data\0.rela.text\0.symtab\0.strtab\0", 40);
    const std::string strings("\0entry\0value\0", 13);
    std::vector<std::byte> text(8), data(16, std::byte{7});
    Elf64_Sym symbols[3] = {};
    symbols[1].st_name = 1;
    symbols[1].st_shndx = 1;
    symbols[2].st_name = 7;
    symbols[2].st_shndx = defined ? 2 : SHN_UNDEF;
    symbols[2].st_value = 4;
    Elf64_Rela rela{static_cast<uint64_t>(relocation_offset), ELF64_R_INFO(uint64_t{2}, relocation),
                    -4};
    std::vector<std::byte> bytes(sizeof(Elf64_Ehdr));
    std::vector<Elf64_Shdr> sections(7);
    auto add = [&](size_t number, uint32_t name, uint32_t type, uint64_t flags, const void* content,
                   size_t size) {
      auto& section = sections[number];
      section.sh_name = name;
      section.sh_type = type;
      section.sh_flags = flags;
      section.sh_offset = bytes.size();
      section.sh_size = size;
      auto* first = static_cast<const std::byte*>(content);
      bytes.insert(bytes.end(), first, first + size);
    };
    add(1, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, text.data(), text.size());
    add(2, 7, SHT_PROGBITS, data_flags, data.data(), data.size());
    add(3, 13, SHT_RELA, 0, &rela, sizeof(rela));
    sections[3].sh_link = 4;
    sections[3].sh_info = 1;
    add(4, 24, SHT_SYMTAB, 0, symbols, sizeof(symbols));
    sections[4].sh_link = 5;
    add(5, 32, SHT_STRTAB, 0, strings.data(), strings.size());
    add(6, 32, SHT_STRTAB, 0, names.data(), names.size());
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shoff = bytes.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections.size());
    header.e_shstrndx = 6;
    std::memcpy(bytes.data(), &header, sizeof(header));
    auto* first = reinterpret_cast<const std::byte*>(sections.data());
    bytes.insert(bytes.end(), first, first + sections.size() * sizeof(Elf64_Shdr));
    return bytes;
  }
};

TEST(Linker, PlacesConstantsBeforeTextAndResolves) {
  auto code = codegen::link_flat(ObjectBuilder().build(), "entry");
  ASSERT_TRUE(code.ok()) << code.status().to_string();
  EXPECT_EQ(code->entry, 64u);
  EXPECT_EQ(code->bytes.size(), 72u);
  int32_t displacement;
  std::memcpy(&displacement, code->bytes.data() + 66, 4);
  EXPECT_EQ(displacement, 4 - 4 - 66) << "the constant at 4, from the place at 66";
}

TEST(Linker, NamesWhatItCannotLink) {
  auto message = [](const ObjectBuilder& object, const std::string& function = "entry") {
    auto code = codegen::link_flat(object.build(), function);
    EXPECT_FALSE(code.ok());
    EXPECT_EQ(code.status().code(), ErrorCode::internal);
    return code.status().message();
  };
  ObjectBuilder undefined, absolute, writable, outside;
  undefined.defined = false;
  EXPECT_THAT(message(undefined), HasSubstr("undefined symbol 'value'"));
  absolute.relocation = R_X86_64_64;
  EXPECT_THAT(message(absolute), HasSubstr("relocation of type 1 against 'value'"));
  writable.data_flags = SHF_ALLOC | SHF_WRITE;
  EXPECT_THAT(message(writable), HasSubstr("writable data in section .data"));
  outside.relocation_offset = 6;
  EXPECT_THAT(message(outside), HasSubstr("relocates outside"));
  EXPECT_THAT(message(ObjectBuilder(), "other"), HasSubstr("does not define function 'other'"));
}

TEST(Linker, SurvivesDamagedObjects) {
  auto sound = ObjectBuilder().build();
  std::mt19937_64 random(5);
  for (int round = 0; round < 20000; ++round) {
    auto damaged = sound;
    for (int change = 0; change < 3; ++change) {
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    }
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    (void)codegen::link_flat(damaged, "entry").ok();
  }
}

}  // namespace
}  // namespace tenon::test
