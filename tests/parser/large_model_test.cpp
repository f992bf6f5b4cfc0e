// SPDX-License-Identifier: Apache-2.0
// Models beyond the 2 GiB of protobuf, as files with holes that take no space.
#include "parser/tensor.h"
#include "tests/parser/model_maker.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tenon::parser {
namespace {

using tenon_onnx::TensorProto;

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

TEST(LargeModel, AnInitializerOfThreeGibibytesInTheFile) {
  constexpr uint64_t kSize = uint64_t{3} << 30;
  TensorProto head;
  head.set_name("w");
  head.set_data_type(TensorProto::UINT8);
  head.add_dims(static_cast<int64_t>(kSize));
  // Field 9 of the tensor, in field 5 of the graph, in field 7 of the model; the output comes last.
  const std::string tensor = head.SerializeAsString() + "\x4a" + varint(kSize);
  const std::string last = "\x62\x03\x0a\x01w";
  const std::string initializer = "\x2a" + varint(tensor.size() + kSize) + tensor;
  const std::string start = "\x3a" + varint(initializer.size() + kSize + last.size()) + initializer;

  TemporaryFolder folder;
  const std::string path = folder.write("model.onnx", {});
  std::error_code error;
  std::filesystem::resize_file(path, start.size() + kSize, error);
  if (error)
    GTEST_SKIP() << "the folder for temporary files takes no file of 3 GiB: " << error.message();
  std::ofstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out << start;
  out.seekp(static_cast<std::streamoff>(start.size() + kSize) - 1);
  out << '\x05' << last;
  out.close();

  auto file = ModelFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  ASSERT_EQ((*file)->proto.graph().output(0).name(), "w")
      << "what comes after the elements is read";
  const auto read = read_tensor(**file, (*file)->proto.graph().initializer(0));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(read->bytes.size(), kSize);
  EXPECT_EQ(read->bytes.back(), std::byte{5});
  EXPECT_EQ(read->bytes.data(), (*file)->bytes.data() + start.size()) << "in place";
}

TEST(LargeModel, ExternalDataBeyondFourGibibytes) {
  constexpr uint64_t kOffset = uint64_t{5} << 30;
  TemporaryFolder folder;
  const std::string data = folder.write("w.bin", {});
  std::error_code error;
  std::filesystem::resize_file(data, kOffset, error);
  if (error)
    GTEST_SKIP() << "the folder for temporary files takes no file of 5 GiB: " << error.message();
  std::ofstream(data, std::ios::binary | std::ios::app) << "\x01\x02\x03\x04";

  ModelMaker model;
  TensorProto* tensor = model.proto.mutable_graph()->add_initializer();
  tensor->set_data_type(TensorProto::UINT8);
  tensor->add_dims(4);
  tensor->set_data_location(TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair<std::string, std::string>("location", "w.bin"),
                                   {"offset", std::to_string(kOffset)},
                                   {"length", "4"}}) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  auto file = ModelFile::open(folder.write("model.onnx", model.bytes()));
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  const auto read = read_tensor(**file, (*file)->proto.graph().initializer(0));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(read->bytes[3], std::byte{4});
}

}  // namespace
}  // namespace tenon::parser
