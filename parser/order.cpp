// SPDX-License-Identifier: Apache-2.0
#include "parser/order.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace tenon::parser {
namespace {

class Sorter {
 public:
  Sorter(std::vector<FlatNode>& nodes, Problems& problems, FailedValues& failed)
      : nodes_(nodes),
        problems_(problems),
        failed_(failed),
        states_(nodes.size(), State::waiting) {}

  void find_producers(const std::set<std::string>& defined) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& name : nodes_[i].outputs) {
        if (name.empty()) continue;
        if (defined.contains(name)) {
          reject(i, fmt::format("its output \"{}\" is already an input or initialiser", name));
        } else if (const auto [entry, is_new] = producers_.emplace(name, i); !is_new) {
          reject(i, fmt::format("its output \"{}\" is already an output of node {} \"{}\"", name,
                                nodes_[entry->second].index, nodes_[entry->second].name));
        }
      }
    }
  }

  void find_undefined_inputs(const std::set<std::string>& defined) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& name : nodes_[i].inputs) {
        if (name.empty() || defined.contains(name) || producers_.contains(name) ||
            failed_.contains(name)) {
          continue;
        }
        reject(i, fmt::format("its input \"{}\" is produced by nothing", name));
      }
    }
  }

  /// Always the first node of the file whose inputs are there.
  std::vector<size_t> sort() {
    std::vector<int> missing(nodes_.size(), 0);
    std::vector<std::vector<size_t>> readers(nodes_.size());
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& name : nodes_[i].inputs) {
        const auto producer = producers_.find(name);
        if (producer == producers_.end()) continue;
        readers[producer->second].push_back(i);
        ++missing[i];
      }
      if (missing[i] == 0) ready.push(i);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
      const size_t node = ready.top();
      ready.pop();
      if (states_[node] == State::waiting) order.push_back(node);
      states_[node] = State::done;
      for (const size_t reader : readers[node]) {
        if (--missing[reader] == 0) ready.push(reader);
      }
    }
    return order;
  }

  /// What was not sorted stands in a cycle or behind one.
  void report_cycles() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (states_[i] == State::done || states_[i] == State::in_reported_cycle) continue;
      report_cycle_behind(i);
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (states_[i] != State::done) fail_outputs(i);
    }
  }

 private:
  enum class State : uint8_t { waiting, rejected, done, in_reported_cycle };

  void reject(size_t node, std::string why) {
    if (states_[node] == State::rejected) return;
    states_[node] = State::rejected;
    fail_outputs(node);
    problems_.add(nodes_[node].index, nodes_[node].name, nodes_[node].label(),
                  Status(ErrorCode::invalid_model, std::move(why)));
  }

  void fail_outputs(size_t node) {
    failed_.insert(nodes_[node].outputs.begin(), nodes_[node].outputs.end());
  }

  /// Walks against the edges among unsorted nodes until one comes again, or one that was reported.
  void report_cycle_behind(size_t node) {
    std::vector<size_t> path;
    std::unordered_map<size_t, size_t> position;
    while (states_[node] != State::in_reported_cycle && !position.contains(node)) {
      position[node] = path.size();
      path.push_back(node);
      node = unsorted_producer(node);
    }
    const bool is_new = states_[node] != State::in_reported_cycle;
    for (const size_t seen : path) states_[seen] = State::in_reported_cycle;
    if (!is_new) return;
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(position[node]));
    std::reverse(path.begin(), path.end());
    // The name that comes first in the file begins.
    std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
    constexpr size_t kMostNames = 20;
    std::string names;
    for (size_t i = 0; i < path.size() && i < kMostNames; ++i) {
      names += fmt::format("\"{}\" -> ", nodes_[path[i]].name);
    }
    if (path.size() > kMostNames) names += fmt::format("{} more -> ", path.size() - kMostNames);
    const FlatNode& first = nodes_[path.front()];
    problems_.add(first.index, first.name, first.label(),
                  Status(ErrorCode::invalid_model,
                         fmt::format("it needs its own result: {}\"{}\"", names, first.name)));
  }

  size_t unsorted_producer(size_t node) const {
    for (const std::string& name : nodes_[node].inputs) {
      const auto producer = producers_.find(name);
      if (producer != producers_.end() && states_[producer->second] != State::done) {
        return producer->second;
      }
    }
    return node;
  }

  std::vector<FlatNode>& nodes_;
  Problems& problems_;
  FailedValues& failed_;
  std::vector<State> states_;
  std::unordered_map<std::string, size_t> producers_;
};

}  // namespace

std::vector<FlatNode> sort_nodes(std::vector<FlatNode> nodes, const std::set<std::string>& defined,
                                 Problems& problems, FailedValues& failed) {
  Sorter sorter(nodes, problems, failed);
  sorter.find_producers(defined);
  sorter.find_undefined_inputs(defined);
  const std::vector<size_t> order = sorter.sort();
  sorter.report_cycles();
  std::vector<FlatNode> sorted;
  sorted.reserve(order.size());
  for (const size_t node : order) sorted.push_back(std::move(nodes[node]));
  return sorted;
}

}  // namespace tenon::parser
