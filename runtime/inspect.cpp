// SPDX-License-Identifier: Apache-2.0
#include "runtime/inspect.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/without_exceptions.h"

namespace tenon {
namespace runtime {
namespace {

// "6.1 MiB".
std::string size_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

// "12.3 M".
std::string count_text(double count) {
  const char* const units[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  for (; count >= 1000 && unit + 1 < std::size(units); ++unit) count /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f%s" : "%.1f%s", count, units[unit]);
  return text;
}

std::string joined(const std::vector<std::string>& items, const char* separator) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  return text;
}

// A label, padded, and its text.
std::string row(const char* label, const std::string& text) {
  char padded[16];
  std::snprintf(padded, sizeof padded, "%-10s", label);
  return padded + text + "\n";
}

std::string binding_text(const BindingInfo& info) {
  std::vector<std::string> dims, ranges;
  for (const DimInfo& dim : info.dims) {
    dims.push_back(dim.expression);
    if (dim.minimum == dim.maximum) continue;
    ranges.push_back(dim.expression + " in " + std::to_string(dim.minimum) + ".." +
                     std::to_string(dim.maximum) + ", tuned for " + std::to_string(dim.optimum));
  }
  const std::string text = "\"" + info.name + "\" " + tensor_text(info.type, dims);
  return ranges.empty() ? text : text + "   " + joined(ranges, "; ");
}

// Columns as wide as their widest cell; the last one is not padded.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& cells : rows) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const auto& cells : rows) {
    text += "  ";
    for (size_t i = 0; i + 1 < cells.size(); ++i) {
      text += cells[i] + std::string(widths[i] - cells[i].size() + 2, ' ');
    }
    text += cells.back() + "\n";
  }
  return text;
}

std::string steps_text(const PlanReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"#", "operators", "tactic", "bits", "code", "operations", "bytes", "origins"}};
  const auto& steps = report.plan.meta->program->steps;
  for (size_t s = 0; s < steps.size(); ++s) {
    const StepInfo& info = report.steps[s];
    const bool copy = steps[s]->kind == plan::StepKind::copy;
    std::vector<std::string> cells = {std::to_string(s), info.operators, info.tactic, "", ""};
    if (copy && info.operators.empty()) cells[1] = "copy";
    if (report.plan.debug != nullptr && !copy) {
      const plan::DebugStepT& debug = *report.plan.debug->steps[s];
      cells[3] = debug.vector_bits == 0 ? "" : std::to_string(debug.vector_bits);
      cells[4] = size_text(static_cast<double>(debug.code_bytes));
    }
    cells.push_back(count_text(info.operations));
    cells.push_back(size_text(info.bytes));
    cells.push_back(joined(info.origins, ", "));
    rows.push_back(std::move(cells));
  }
  return table_text(rows);
}

std::string kernels_text(const PlanReport& report) {
  std::string text;
  for (size_t s = 0; s < report.plan.debug->steps.size(); ++s) {
    const plan::DebugStepT& debug = *report.plan.debug->steps[s];
    text += "\nkernel " + std::to_string(s) + " \"" + debug.name + "\"\n" + debug.kernel_text;
    if (!debug.kernel_text.ends_with('\n')) text += '\n';
  }
  return text + "\ngraph\n" + report.plan.debug->graph_text + "\n";
}

}  // namespace

std::string inspect_text(const PlanReport& report, const InspectOptions& options) {
  const plan::Plan& plan = report.plan;
  const plan::ProgramT& program = *plan.meta->program;
  const auto size = [](auto bytes) { return size_text(static_cast<double>(bytes)); };
  std::string text = row("plan", plan.name + "   " + size(plan.file.bytes().size()) + ", format " +
                                     std::to_string(report.format_major) + "." +
                                     std::to_string(report.format_minor) + ", built by Tenon " +
                                     plan.meta->tenon_version);
  text += row("target", plan.meta->target + (plan.meta->checked ? "   checked kernels" : ""));
  text += row("features", joined(plan.meta->features, ", "));
  if (plan.debug != nullptr && !plan.debug->profile.empty()) {
    text += row("profile", plan.debug->profile);
  }
  for (const BindingInfo& info : report.inputs) text += row("input", binding_text(info));
  for (const BindingInfo& info : report.outputs) text += row("output", binding_text(info));
  text += row("arena", size(program.arena_bytes) + "   (lower bound " +
                           size(program.arena_lower_bound) + ", of the unrewritten graph " +
                           size(program.unrewritten_lower_bound) + ")");
  text += row("scratch", size(program.max_scratch) + " for each worker");
  text += row("weights", size(plan.sections.weights.size()));
  text += row("code", size(plan.sections.code.size()));
  text += row("steps", std::to_string(program.steps.size()) +
                           (plan.debug == nullptr ? "   (no debug information)" : ""));
  text += steps_text(report);
  if (options.kernels && plan.debug != nullptr) text += kernels_text(report);
  return text;
}

}  // namespace runtime

Result<std::string> inspect_plan(const std::string& path, const InspectOptions& options) {
  return runtime::without_exceptions([&]() -> Result<std::string> {
    TENON_ASSIGN(MappedFile file, MappedFile::open(path));
    TENON_ASSIGN(const plan::Plan plan, plan::open_plan(path, std::move(file), false));
    plan::FileHeader header;
    std::memcpy(&header, plan.file.bytes().data(), sizeof header);
    const runtime::PlanReport report = {plan,
                                        runtime::describe_bindings(*plan.meta->program, true),
                                        runtime::describe_bindings(*plan.meta->program, false),
                                        runtime::describe_steps(plan),
                                        header.format_major,
                                        header.format_minor};
    return options.json ? runtime::inspect_json(report, options)
                        : runtime::inspect_text(report, options);
  });
}

}  // namespace tenon
