// SPDX-License-Identifier: Apache-2.0
#include "parser/external_data.h"

#include "parser/tensor.h"
#include "tests/parser/model_maker.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <map>

namespace tenon::parser {
namespace {

using tenon_onnx::TensorProto;

std::vector<std::byte> numbers(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

class ExternalData : public ::testing::Test {
 protected:
  /// Reads f32[4] with these entries, from a model in `folder`.
  Result<TensorData> read(const std::map<std::string, std::string>& entries,
                          const std::string& model_path = "") {
    ModelMaker model;
    TensorProto* tensor = model.proto.mutable_graph()->add_initializer();
    tensor->set_data_type(TensorProto::FLOAT);
    tensor->add_dims(4);
    tensor->set_data_location(TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto* entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    folder_.write("model.onnx", model.bytes());
    auto file =
        ModelFile::open(model_path.empty() ? (folder_.path / "model.onnx").string() : model_path);
    if (!file.ok()) return file.status();
    return read_tensor(**file, (*file)->proto.graph().initializer(0));
  }
  std::string error(const std::map<std::string, std::string>& entries) {
    return read(entries).status().to_string();
  }

  TemporaryFolder folder_;
};

float element(const TensorData& tensor, size_t index) {
  float value = 0;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof(float), sizeof(float));
  return value;
}

TEST_F(ExternalData, IsMappedAtItsOffset) {
  folder_.write("w.bin", numbers(100));
  const auto all = read({{"location", "w.bin"}, {"offset", "40"}, {"length", "16"}});
  ASSERT_TRUE(all.ok()) << all.status().to_string();
  EXPECT_EQ(element(*all, 0), 10.0f);
  EXPECT_EQ(element(*all, 3), 13.0f);
  EXPECT_NE(all->owner, nullptr) << "the mapping outlives the parser";
  const auto short_form = read({{"location", "w.bin"}});
  ASSERT_TRUE(short_form.ok()) << short_form.status().to_string();
  EXPECT_EQ(element(*short_form, 3), 3.0f);
}

TEST_F(ExternalData, MisalignedOffsetsAreCopied) {
  folder_.write("w.bin", numbers(100));
  const auto tensor = read({{"location", "w.bin"}, {"offset", "2"}});
  ASSERT_TRUE(tensor.ok()) << tensor.status().to_string();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->bytes.data()) % 4, 0u);
}

TEST_F(ExternalData, MayLieInAFolderBelow) {
  std::filesystem::create_directory(folder_.path / "data");
  folder_.write("data/w.bin", numbers(4));
  EXPECT_TRUE(read({{"location", "data/w.bin"}}).ok());
  EXPECT_TRUE(read({{"location", "./data/w.bin"}}).ok());
}

TEST_F(ExternalData, MayNotLeaveTheFolder) {
  TemporaryFolder other;
  const std::string outside = other.write("w.bin", numbers(4));
  const std::string up = "../" + other.path.filename().string() + "/w.bin";
  for (const std::string& location : {outside, up, "data/../" + up, std::string("..")}) {
    const Result<TensorData> tensor = read({{"location", location}});
    ASSERT_FALSE(tensor.ok()) << location;
    EXPECT_EQ(tensor.status().code(), ErrorCode::invalid_model);
    EXPECT_NE(tensor.status().message().find("not in the model's folder"), std::string::npos)
        << tensor.status().message();
  }
  std::filesystem::create_symlink(outside, folder_.path / "link.bin");
  EXPECT_NE(error({{"location", "link.bin"}}).find("a link out of the model's folder"),
            std::string::npos);
  std::filesystem::create_directory_symlink(other.path, folder_.path / "linked");
  EXPECT_FALSE(read({{"location", "linked/w.bin"}}).ok());
}

TEST_F(ExternalData, LinksOfAModelCacheWork) {
  // A snapshot folder links model and data to files that lie side by side elsewhere.
  folder_.write("w.bin", numbers(4));
  ASSERT_TRUE(read({{"location", "w.bin"}}).ok());
  TemporaryFolder snapshot;
  std::filesystem::create_symlink(folder_.path / "model.onnx", snapshot.path / "model.onnx");
  std::filesystem::create_symlink(folder_.path / "w.bin", snapshot.path / "w.bin");
  const auto tensor = read({{"location", "w.bin"}}, (snapshot.path / "model.onnx").string());
  EXPECT_TRUE(tensor.ok()) << tensor.status().to_string();
}

TEST_F(ExternalData, ErrorsNameTheFile) {
  EXPECT_NE(error({{"location", "missing.bin"}}).find("missing.bin cannot be opened"),
            std::string::npos);
  EXPECT_EQ(read({{"location", "missing.bin"}}).status().code(), ErrorCode::io);
  folder_.write("w.bin", numbers(4));
  EXPECT_NE(error({{"location", "w.bin"}, {"offset", "4"}}).find("passes the end of \"w.bin\""),
            std::string::npos);
  EXPECT_FALSE(read({{"location", "w.bin"}, {"offset", "18446744073709551615"}}).ok());
  EXPECT_NE(error({{"location", "w.bin"}, {"offset", "-1"}}).find("no number"), std::string::npos);
  EXPECT_NE(error({{"location", "w.bin"}, {"length", "12"}})
                .find("12 bytes, and its type and dims need 16"),
            std::string::npos);
  EXPECT_NE(error({}).find("names no file"), std::string::npos);
  EXPECT_FALSE(read({{"location", "."}}).ok()) << "a folder";
}

TEST_F(ExternalData, PipesDoNotBlock) {
  ASSERT_EQ(::mkfifo((folder_.path / "pipe").c_str(), 0600), 0);
  EXPECT_NE(error({{"location", "pipe"}}).find("not a regular file"), std::string::npos);
}

TEST(ExternalDataInMemory, IsRefused) {
  TensorProto tensor;
  tensor.set_data_location(TensorProto::EXTERNAL);
  const Result<TensorData> read = ExternalFolder().read(tensor, 4);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("parse it by path"), std::string::npos);
}

}  // namespace
}  // namespace tenon::parser
