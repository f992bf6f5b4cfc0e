// SPDX-License-Identifier: Apache-2.0
#include "parser/tensor.h"

#include "tests/parser/model_maker.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tenon::parser {
namespace {

using namespace tenon_onnx;

/// A model's bytes and the first initialiser read from them.
struct Read {
  std::vector<std::byte> bytes;
  std::unique_ptr<ModelFile> file;
  Result<TensorData> tensor = Status(ErrorCode::internal, "nothing was read");

  explicit Read(const TensorProto& initializer, const std::string& graph_name = "test") {
    ModelMaker model;
    model.proto.mutable_graph()->set_name(graph_name);
    *model.proto.mutable_graph()->add_initializer() = initializer;
    bytes = model.bytes();
    auto opened = ModelFile::from_memory(bytes);
    if (opened.ok()) file = *std::move(opened);
    if (file) tensor = read_tensor(*file, file->proto.graph().initializer(0));
  }
  std::string error() const { return tensor.status().to_string(); }
  bool is_in_place() const {
    return tensor->bytes.data() >= bytes.data() &&
           tensor->bytes.data() < bytes.data() + bytes.size();
  }
};

TensorProto make(int32_t type, const std::vector<int64_t>& dims) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

template <typename T>
std::vector<T> elements(const TensorData& tensor) {
  std::vector<T> out(tensor.bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
  return out;
}

TEST(Tensor, RawBytesStayInPlaceWhenAligned) {
  TensorProto tensor = make(TensorProto::UINT8, {3});
  tensor.set_raw_data("\x01\x02\x03");
  const Read read(tensor);
  ASSERT_TRUE(read.tensor.ok()) << read.error();
  EXPECT_TRUE(read.is_in_place());
  EXPECT_EQ(elements<uint8_t>(*read.tensor), (std::vector<uint8_t>{1, 2, 3}));
}

TEST(Tensor, MisalignedRawBytesAreCopied) {
  const std::vector<double> values = {1.5, -2.5};
  int in_place = 0;
  // The name moves the elements through every alignment.
  for (int length = 1; length <= 8; ++length) {
    TensorProto tensor = make(TensorProto::DOUBLE, {2});
    tensor.set_name(std::string(length, 'n'));
    tensor.set_raw_data(values.data(), 16);
    const Read read(tensor);
    ASSERT_TRUE(read.tensor.ok()) << read.error();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(read.tensor->bytes.data()) % alignof(double), 0u);
    EXPECT_EQ(elements<double>(*read.tensor), values);
    in_place += read.is_in_place();
  }
  EXPECT_EQ(in_place, 1) << "one of eight offsets is aligned";
}

TEST(Tensor, PackedFloatsStayInPlaceToo) {
  int in_place = 0;
  for (int length = 1; length <= 4; ++length) {
    TensorProto tensor = make(TensorProto::FLOAT, {2});
    tensor.add_float_data(1.5f);
    tensor.add_float_data(-2.5f);
    // The fields are written in the order of their numbers: the graph's name is before all of them.
    const Read read(tensor, std::string(length, 'g'));
    ASSERT_TRUE(read.tensor.ok()) << read.error();
    EXPECT_EQ(elements<float>(*read.tensor), (std::vector<float>{1.5f, -2.5f}));
    in_place += read.is_in_place();
  }
  EXPECT_EQ(in_place, 1) << "one of four offsets is aligned";
}

TEST(Tensor, TypedElementsOfEveryWidth) {
  TensorProto f32 = make(TensorProto::FLOAT, {2});
  f32.add_float_data(1.25f);
  f32.add_float_data(-0.0f);
  EXPECT_EQ(elements<float>(*Read(f32).tensor), (std::vector<float>{1.25f, -0.0f}));
  TensorProto f64 = make(TensorProto::DOUBLE, {1});
  f64.add_double_data(1e300);
  EXPECT_EQ(elements<double>(*Read(f64).tensor), std::vector<double>{1e300});
  TensorProto i64 = make(TensorProto::INT64, {2});
  i64.add_int64_data(INT64_MIN);
  i64.add_int64_data(7);
  EXPECT_EQ(elements<int64_t>(*Read(i64).tensor), (std::vector<int64_t>{INT64_MIN, 7}));
  TensorProto u32 = make(TensorProto::UINT32, {1});
  u32.add_uint64_data(0xfedcba98u);
  EXPECT_EQ(elements<uint32_t>(*Read(u32).tensor), std::vector<uint32_t>{0xfedcba98u});
  TensorProto i32 = make(TensorProto::INT32, {2});
  i32.add_int32_data(-1);
  i32.add_int32_data(300);
  EXPECT_EQ(elements<int32_t>(*Read(i32).tensor), (std::vector<int32_t>{-1, 300}));
  TensorProto i8 = make(TensorProto::INT8, {2});
  i8.add_int32_data(-128);
  i8.add_int32_data(127);
  EXPECT_EQ(elements<int8_t>(*Read(i8).tensor), (std::vector<int8_t>{-128, 127}));
  TensorProto f16 = make(TensorProto::FLOAT16, {1});
  f16.add_int32_data(0x3c00);
  EXPECT_EQ(elements<uint16_t>(*Read(f16).tensor), std::vector<uint16_t>{0x3c00});
}

TEST(Tensor, FourBitElementsArePackedTwoToAByte) {
  TensorProto tensor = make(TensorProto::INT4, {3});
  tensor.add_int32_data(0x21);
  tensor.add_int32_data(0x0f);
  const Read read(tensor);
  ASSERT_TRUE(read.tensor.ok()) << read.error();
  EXPECT_EQ(read.tensor->type, DataType::i4);
  EXPECT_EQ(elements<uint8_t>(*read.tensor), (std::vector<uint8_t>{0x21, 0x0f}));
}

TEST(Tensor, BoolBecomesZeroOrOne) {
  TensorProto tensor = make(TensorProto::BOOL, {3});
  tensor.set_raw_data(std::string("\0\1\2", 3));
  const Read read(tensor);
  ASSERT_TRUE(read.tensor.ok()) << read.error();
  EXPECT_EQ(elements<uint8_t>(*read.tensor), (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Tensor, ElementsWrittenOneByOne) {
  // Field 4, wire type 5: a float that is not packed, as proto2 writers did.
  const std::string unpacked("\x25\x00\x00\x80\x3f\x25\x00\x00\x00\x40", 10);
  std::string graph = "\x2a";
  const std::string body = make(TensorProto::FLOAT, {2}).SerializeAsString() + unpacked;
  graph += static_cast<char>(body.size());
  graph += body;
  std::string bytes = "\x3a";
  bytes += static_cast<char>(graph.size());
  bytes += graph;
  auto file = ModelFile::from_memory(std::as_bytes(std::span(bytes.data(), bytes.size())));
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  const auto read = read_tensor(**file, (*file)->proto.graph().initializer(0));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(elements<float>(*read), (std::vector<float>{1.0f, 2.0f}));
}

TEST(Tensor, ScalarsAndEmptyTensors) {
  TensorProto scalar = make(TensorProto::INT64, {});
  scalar.add_int64_data(5);
  const Read read(scalar);
  ASSERT_TRUE(read.tensor.ok()) << read.error();
  EXPECT_TRUE(read.tensor->dims.empty());
  EXPECT_EQ(elements<int64_t>(*read.tensor), std::vector<int64_t>{5});
  const Read empty(make(TensorProto::FLOAT, {3, 0}));
  ASSERT_TRUE(empty.tensor.ok()) << empty.error();
  EXPECT_EQ(empty.tensor->bytes.size(), 0u);
  TensorProto empty_raw = make(TensorProto::FLOAT, {0});
  empty_raw.set_raw_data("");
  EXPECT_TRUE(Read(empty_raw).tensor.ok());
}

TEST(Tensor, WrongSizesNameBoth) {
  TensorProto tensor = make(TensorProto::FLOAT, {3, 4});
  tensor.set_raw_data("12345678");
  EXPECT_EQ(Read(tensor).error(), "invalid model: f32[3,4] needs 48 bytes of elements and has 8");
  EXPECT_EQ(Read(make(TensorProto::FLOAT, {1})).error(), "invalid model: it has no elements");
}

TEST(Tensor, ImpossibleDimsAllocateNothing) {
  EXPECT_NE(Read(make(TensorProto::FLOAT, {-1})).error().find("dims are not possible"),
            std::string::npos);
  EXPECT_NE(Read(make(TensorProto::FLOAT, {int64_t{1} << 40, int64_t{1} << 40}))
                .error()
                .find("dims are not possible"),
            std::string::npos);
  EXPECT_FALSE(Read(make(TensorProto::DOUBLE, {int64_t{1} << 50})).tensor.ok());
}

TEST(Tensor, TypesThatAreAbsentSayWhich) {
  EXPECT_EQ(Read(make(TensorProto::STRING, {1})).error(),
            "unsupported: not supported yet: string tensors");
  EXPECT_EQ(Read(make(TensorProto::COMPLEX64, {1})).error(),
            "unsupported: not supported yet: complex tensors");
  EXPECT_EQ(Read(make(TensorProto::FLOAT6E2M3, {1})).error(),
            "unsupported: not supported yet: 6-bit float tensors");
  EXPECT_EQ(Read(make(99, {1})).error(), "invalid model: 99 is no ONNX element type");
  for (int type = TensorProto::FLOAT; type <= TensorProto::INT2; ++type) {
    if (type == TensorProto::STRING || type == TensorProto::COMPLEX64 ||
        type == TensorProto::COMPLEX128) {
      continue;
    }
    EXPECT_TRUE(element_type(type).ok()) << type;
  }
}

TEST(Tensor, MixedFieldsAreRefused) {
  TensorProto tensor = make(TensorProto::FLOAT, {1});
  tensor.set_raw_data("1234");
  tensor.add_float_data(1);
  EXPECT_FALSE(Read(tensor).tensor.ok());
  TensorProto wrong = make(TensorProto::FLOAT, {1});
  wrong.add_int64_data(1);
  EXPECT_FALSE(Read(wrong).tensor.ok());
}

}  // namespace
}  // namespace tenon::parser
