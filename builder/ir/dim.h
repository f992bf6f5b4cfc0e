// SPDX-License-Identifier: Apache-2.0
// Symbolic dims: integer expressions over named symbols, kept in a normal form.
#pragma once

#include <tenon/status.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::ir {

class Dim;
struct DimAtom;
using DimAtomPointer = std::shared_ptr<const DimAtom>;

/// What a term multiplies: sorted atoms, each as often as its power.
using DimProduct = std::vector<DimAtomPointer>;
struct DimProductLess {
  bool operator()(const DimProduct& a, const DimProduct& b) const;
};

/// A sum of integer multiples of products of atoms. Equal values of the normal form compare equal,
/// so `N*2 == N+N` and `(N+1)*(N-1) == N*N-1`. Immutable; cheap to copy when constant.
class Dim {
 public:
  Dim(int64_t constant = 0) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
  static Dim symbol(std::string name);

  bool is_constant() const { return !terms_; }
  /// The constant part; the value when is_constant().
  int64_t constant() const { return constant_; }
  /// True and the name when this is one bare symbol.
  std::optional<std::string> as_symbol() const;
  std::set<std::string> symbols() const;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend bool operator==(const Dim& a, const Dim& b);
  friend bool operator!=(const Dim& a, const Dim& b) { return !(a == b); }
  /// A total order for sorting and maps; no meaning otherwise.
  friend bool operator<(const Dim& a, const Dim& b);

  /// Rounds toward minus infinity. The divisor must not be zero (constant zero gives zero).
  static Dim floor_div(const Dim& a, const Dim& b);
  static Dim ceil_div(const Dim& a, const Dim& b);
  /// a - b*floor_div(a,b)
  static Dim mod(const Dim& a, const Dim& b);
  static Dim minimum(const Dim& a, const Dim& b);
  static Dim maximum(const Dim& a, const Dim& b);

  /// a/b when b divides every term of a, else nothing.
  static std::optional<Dim> exact_div(const Dim& a, const Dim& b);

  /// The value with symbols given by `lookup`; nothing when a symbol is unknown or a divisor is 0.
  std::optional<int64_t> evaluate(
      const std::function<std::optional<int64_t>(const std::string&)>& lookup) const;
  /// Replaces symbols, e.g. when a profile fixes them.
  Dim substitute(const std::map<std::string, Dim>& values) const;

  /// "4*H+1", "ceil_div(W,2)"; parses back.
  std::string to_string() const;
  static Result<Dim> parse(std::string_view text);

  using Terms = std::map<DimProduct, int64_t, DimProductLess>;
  /// The non-constant terms; empty when is_constant().
  const Terms& terms() const;
  /// The inverse: products must be sorted as those of terms() are. Zero coefficients are dropped.
  static Dim from_terms(Terms terms, int64_t constant);

 private:
  int64_t constant_ = 0;
  std::shared_ptr<const Terms> terms_;  // null when there are none
};

/// A symbol, or an operation that sums and products do not express.
struct DimAtom {
  enum class Kind : uint8_t { symbol, floor_div, mod, minimum, maximum };
  Kind kind = Kind::symbol;
  std::string name;  // symbol
  Dim a, b;          // the others
};

/// The range of a symbol, from the profile. `maximum` < 0: unbounded.
struct SymbolRange {
  int64_t minimum = 0, optimum = 0, maximum = -1;
};
using SymbolRanges = std::map<std::string, SymbolRange>;

/// Bounds of an expression by interval arithmetic; nothing when unbounded above. A symbol without a
/// range may be anything; `minimum` is the least int64 when there is no lower bound.
struct Interval {
  int64_t minimum = 0, maximum = 0;
};
std::optional<Interval> bounds(const Dim& dim, const SymbolRanges& ranges);

/// The value with every symbol at its optimum, or at its maximum. 0 when a symbol has no range.
int64_t at_optimum(const Dim& dim, const SymbolRanges& ranges);
int64_t at_maximum(const Dim& dim, const SymbolRanges& ranges);

}  // namespace tenon::ir
