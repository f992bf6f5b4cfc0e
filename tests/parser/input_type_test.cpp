// SPDX-License-Identifier: Apache-2.0
#include "parser/input_type.h"

#include "tests/parser/model_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::parser {
namespace {

using namespace tenon_onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(InputType, DimsBecomeNumbersAndSymbols) {
  ModelMaker model;
  SymbolNames symbols;
  const auto type = read_input_type(
      *model.input("my image", {"N", 3, "", -1, "batch size", "2*H", "min"}, TensorProto::INT64),
      symbols);
  ASSERT_TRUE(type.ok()) << type.status().to_string();
  EXPECT_EQ(type->type, DataType::i64);
  EXPECT_THAT(type->dims, ElementsAre(InputDim("N"), InputDim(int64_t{3}),
                                      InputDim("my_image_dim2"), InputDim("my_image_dim3"),
                                      InputDim("batch_size"), InputDim("_2_H"), InputDim("min_")));
}

TEST(InputType, SymbolsAreSharedByTextOnly) {
  SymbolNames symbols;
  EXPECT_EQ(symbols.of("a b"), "a_b");
  EXPECT_EQ(symbols.of("a-b"), "a_b_2");
  EXPECT_EQ(symbols.of("a b"), "a_b");
  EXPECT_EQ(symbols.fresh("a_b"), "a_b_3");
}

TEST(InputType, AbsentKindsSayWhich) {
  SymbolNames symbols;
  const auto error = [&](const ValueInfoProto& input) {
    return read_input_type(input, symbols).status().to_string();
  };
  ModelMaker model;
  EXPECT_EQ(error(*model.input("s", {1}, TensorProto::STRING)),
            "unsupported: not supported yet: string tensors");
  ValueInfoProto input;
  EXPECT_EQ(error(input), "invalid model: it has no type");
  input.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  EXPECT_THAT(error(input), HasSubstr("inputs of unknown rank"));
  input.mutable_type()->mutable_sequence_type();
  EXPECT_THAT(error(input), HasSubstr("sequences as inputs"));
  input.mutable_type()->mutable_optional_type();
  EXPECT_THAT(error(input), HasSubstr("optional inputs"));
  EXPECT_THAT(error(*model.input("big", {int64_t{1} << 50, int64_t{1} << 50})),
              HasSubstr("dims are not possible"));
  EXPECT_THAT(error(*model.input("deep", ModelMaker::Dims(1000000, int64_t{1}))),
              HasSubstr("not supported yet: tensors of rank 1000000"));
}

}  // namespace
}  // namespace tenon::parser
