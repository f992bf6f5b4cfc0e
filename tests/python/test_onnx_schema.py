# SPDX-License-Identifier: Apache-2.0
"""parser/onnx.proto has the fields of the installed onnx package: names, numbers, types and labels."""

import os
import pathlib
import shutil
import subprocess

import onnx
import pytest
from google.protobuf import descriptor_pb2

ROOT = pathlib.Path(os.environ.get("TENON_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


def without_package(name, package):
    return name.removeprefix("." + package + ".")


def describe(file):
    """Every message field, enum value and reserved range of a schema, by name."""
    facts = {}

    def visit_enum(prefix, enum):
        for value in enum.value:
            facts[f"{prefix}{enum.name}.{value.name}"] = value.number

    def visit_message(prefix, message):
        name = prefix + message.name
        facts[name] = "message"
        for field in message.field:
            facts[f"{name}.{field.name}"] = (
                field.number,
                descriptor_pb2.FieldDescriptorProto.Type.Name(field.type),
                descriptor_pb2.FieldDescriptorProto.Label.Name(field.label),
                without_package(field.type_name, file.package),
                field.options.packed,
                message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else "",
            )
        facts[f"{name} reserved names"] = sorted(message.reserved_name)
        facts[f"{name} reserved numbers"] = sorted(
            number for r in message.reserved_range for number in range(r.start, r.end))
        for nested in message.nested_type:
            visit_message(name + ".", nested)
        for enum in message.enum_type:
            visit_enum(name + ".", enum)

    for message in file.message_type:
        visit_message("", message)
    for enum in file.enum_type:
        visit_enum("", enum)
    return facts


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    protoc = shutil.which("protoc")
    assert protoc, "protoc is needed to build Tenon and to run this test"
    output = tmp_path_factory.mktemp("schema") / "onnx.desc"
    subprocess.run([protoc, f"-I{ROOT}", f"--descriptor_set_out={output}", "parser/onnx.proto"],
                   check=True, cwd=ROOT)
    return descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()).file[0]


def official():
    file = descriptor_pb2.FileDescriptorProto()
    onnx.onnx_ml_pb2.DESCRIPTOR.CopyToProto(file)
    return file


def test_same_fields_as_the_onnx_package(schema):
    ours, theirs = describe(schema), describe(official())
    differences = {key: (ours.get(key), theirs.get(key))
                   for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)}
    assert not differences, f"(ours, theirs): {differences}"
    assert len(theirs) > 200, "the onnx package's schema was not read"


def test_only_one_field_of_our_own(schema):
    assert [(e.name, e.number, e.extendee) for e in schema.extension] == [
        ("payload", 1000, ".tenon_onnx.TensorProto")]


def test_package_cannot_clash(schema):
    assert schema.package == "tenon_onnx"
    assert official().package == "onnx"
