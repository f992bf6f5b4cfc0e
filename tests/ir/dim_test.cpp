// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/dim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tenon::ir {
namespace {

Dim dim(const std::string& text) {
  Result<Dim> parsed = Dim::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().message();
  return parsed.ok() ? *parsed : Dim(-999);
}

std::string normal(const std::string& text) { return dim(text).to_string(); }

TEST(Dim, HasOneNormalForm) {
  EXPECT_EQ(dim("N*2"), dim("N+N"));
  EXPECT_EQ(dim("(N+1)*(N-1)"), dim("N*N-1"));
  EXPECT_EQ(dim("A*B*C-C*B*A"), Dim(0));
  EXPECT_EQ(dim("2*(H+3)-6"), dim("H+H"));
  EXPECT_NE(dim("N"), dim("M"));
  EXPECT_NE(dim("N*N"), dim("N"));
  EXPECT_EQ(normal("1+H*4"), "4*H+1");
  EXPECT_EQ(normal("3-N"), "-N+3");
  EXPECT_EQ(normal("N-N"), "0");
}

TEST(Dim, SimplifiesDivision) {
  EXPECT_EQ(normal("floor_div(4*N+8,4)"), "N+2");
  EXPECT_EQ(normal("mod(4*N,4)"), "0");
  EXPECT_EQ(normal("mod(4*N+6,4)"), "2");
  EXPECT_EQ(normal("floor_div(N,1)"), "N");
  EXPECT_EQ(normal("mod(N,1)"), "0");
  EXPECT_EQ(normal("floor_div(-7,2)"), "-4");
  EXPECT_EQ(normal("mod(-7,4)"), "1");
  EXPECT_EQ(normal("ceil_div(7,2)"), "4");
  EXPECT_EQ(normal("floor_div(5,0)"), "0");
  EXPECT_EQ(normal("floor_div(N*H*W,H*W)"), "N");
  EXPECT_EQ(normal("floor_div(N*N-1,N+1)"), "N-1");
  EXPECT_EQ(normal("floor_div(N*H+3*H+1,H)"), "N+floor_div(1,H)+3");
  EXPECT_EQ(normal("floor_div(2*N+3,4)"), "ceil_div(N,2)");
  EXPECT_EQ(normal("ceil_div(ceil_div(N,2),2)"), "ceil_div(N,4)");
  EXPECT_EQ(normal("floor_div(N-3,2)+1"), "ceil_div(N,2)-1");
  EXPECT_EQ(normal("floor_div(mod(N,4),4)"), "0");
  EXPECT_EQ(normal("mod(5*N+4,4)"), "mod(N,4)");
  EXPECT_EQ(normal("ceil_div(N,M)"), "ceil_div(N,M)");
  EXPECT_EQ(normal("floor_div(N,-2)"), "floor_div(-N,2)");
}

TEST(Dim, SimplifiesExtremes) {
  EXPECT_EQ(normal("min(3,5)"), "3");
  EXPECT_EQ(normal("max(N,N)"), "N");
  EXPECT_EQ(normal("max(N+1,N)"), "N+1");
  EXPECT_EQ(normal("min(N+1,N)"), "N");
  EXPECT_EQ(dim("min(N,M)"), dim("min(M,N)"));
  EXPECT_EQ(dim("min(min(A,B),C)"), dim("min(C,min(B,min(A,B)))"));
}

TEST(Dim, DividesExactlyOrNotAtAll) {
  EXPECT_EQ(Dim::exact_div(dim("6*N+9"), 3), dim("2*N+3"));
  EXPECT_EQ(Dim::exact_div(dim("6*N+8"), 3), std::nullopt);
  EXPECT_EQ(Dim::exact_div(dim("N*M+M"), dim("M")), dim("N+1"));
  EXPECT_EQ(Dim::exact_div(dim("N*M+1"), dim("M")), std::nullopt);
  EXPECT_EQ(Dim::exact_div(dim("(N+1)*(M+2)*(N-3)"), dim("(M+2)*(N-3)")), dim("N+1"));
  EXPECT_EQ(Dim::exact_div(5, 0), std::nullopt);
  EXPECT_EQ(Dim::exact_div(0, dim("N")), Dim(0));
}

TEST(Dim, SaturatesInsteadOfOverflowing) {
  const Dim most = INT64_MAX, least = INT64_MIN;
  EXPECT_EQ(most + 1, most);
  EXPECT_EQ(least - 1, least);
  EXPECT_EQ(most * 2, most);
  EXPECT_EQ(most * -2, least);
  EXPECT_EQ(Dim::floor_div(least, -1), most);
  EXPECT_EQ(Dim::mod(least, -1), Dim(0));
  EXPECT_EQ(Dim::ceil_div(most, 2), Dim(INT64_MAX / 2 + 1));
  const Dim huge = Dim::symbol("N") * Dim::symbol("N");
  EXPECT_EQ(huge.evaluate([](const std::string&) { return INT64_MAX; }), std::nullopt);
  for (const Dim& value :
       {most, least, Dim::symbol("N") * least, Dim::symbol("N") * most + least}) {
    EXPECT_EQ(dim(value.to_string()), value);
    EXPECT_EQ(Dim::floor_div(Dim::symbol("N"), value).symbols().count("N"),
              value == Dim(0) ? 0u : 1u);
  }
}

TEST(Dim, EvaluatesAndSubstitutes) {
  const auto lookup = [](const std::string& name) -> std::optional<int64_t> {
    if (name == "N") return 7;
    if (name == "Z") return 0;
    return std::nullopt;
  };
  EXPECT_EQ(dim("ceil_div(N,2)*3-mod(N,4)").evaluate(lookup), 9);
  EXPECT_EQ(dim("floor_div(N,Z)").evaluate(lookup), std::nullopt);
  EXPECT_EQ(dim("N+Unknown").evaluate(lookup), std::nullopt);
  EXPECT_EQ(dim("floor_div(N,2)*M+N").substitute({{"N", 8}}), dim("4*M+8"));
  EXPECT_EQ(dim("max(N,M)").substitute({{"M", dim("N+2")}}), dim("N+2"));
  EXPECT_EQ(dim("N*min(K,floor_div(M,3))").symbols(), (std::set<std::string>{"K", "M", "N"}));
  EXPECT_EQ(dim("N").as_symbol(), "N");
  EXPECT_EQ(dim("2*N").as_symbol(), std::nullopt);
}

TEST(Dim, QuotesOddSymbols) {
  for (const std::string name :
       {"batch", "past+1", "", "a b", "min", "quote\"\\\n", "0x", "unk__1.2"}) {
    const Dim symbol = Dim::symbol(name) * 2 + 1;
    EXPECT_EQ(dim(symbol.to_string()), symbol) << symbol.to_string();
  }
  EXPECT_EQ(Dim::symbol("past+1").to_string(), "\"past+1\"");
}

TEST(Dim, BoundsFollowIntervals) {
  SymbolRanges ranges;
  ranges["N"] = {1, 8, 64};
  ranges["U"] = {0, 1, -1};
  const auto check = [&](const std::string& text, int64_t low, int64_t high) {
    const std::optional<Interval> interval = bounds(dim(text), ranges);
    ASSERT_TRUE(interval) << text;
    EXPECT_EQ(interval->minimum, low) << text;
    EXPECT_EQ(interval->maximum, high) << text;
  };
  check("4*N+1", 5, 257);
  check("-N", -64, -1);
  check("ceil_div(N,2)", 1, 32);
  check("mod(U,8)", 0, 7);
  check("min(U,10)", 0, 10);
  check("mod(N,100)", 1, 64);
  check("floor_div(100,N)", 1, 100);
  check("-U", INT64_MIN, 0);
  check("5-min(U,2)", 3, 5);
  check("floor_div(10,U)", 0, 10);
  EXPECT_FALSE(bounds(dim("U"), ranges));
  EXPECT_FALSE(bounds(dim("N*U"), ranges));
  EXPECT_FALSE(bounds(dim("Unknown"), ranges));
}

TEST(Dim, ReportsWhereATextIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1, column 1: expected a number, a symbol or an expression, found the end"},
      {"N+", "line 1, column 3: expected a number, a symbol or an expression"},
      {"(N", "column 3: expected ')'"},
      {"foo(N,2)", "column 1: expected floor_div, ceil_div, mod, min or max, found \"foo\""},
      {"min(N)", "column 6: expected ','"},
      {"N M", "column 3: expected the end of the text, found \"M\""},
      {"99999999999999999999", "does not fit 64 bits"},
      {"\"open", "no closing quote"},
      {std::string(100000, '('), "nests over 100 deep"},
      {std::string(100000, '-'), "nests over 100 deep"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Dim> result = Dim::parse(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.status().message().find(message), std::string::npos)
        << text.substr(0, 50) << ": " << result.status().message();
  }
  std::string sum = "N";
  for (int i = 0; i < 2000; ++i) sum += "*N";
  EXPECT_FALSE(Dim::parse(sum).ok());
}

TEST(Dim, ProductsOfLargeSumsStaySmall) {
  Dim left = 1, right = 1;
  for (int i = 0; i < 200; ++i) {
    left = left + Dim::symbol("a" + std::to_string(i));
    right = right + Dim::symbol("b" + std::to_string(i));
  }
  const Dim product = left * right;
  EXPECT_LT(product.terms().size(), 1000u);
  EXPECT_EQ(product.evaluate([](const std::string&) { return 1; }), 201 * 201);
  EXPECT_EQ(dim(product.to_string()), product);
}

/// An expression and how to compute it without the algebra.
struct Random {
  Dim dim;
  std::optional<int64_t> value;
};

std::optional<int64_t> floor_quotient(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  const int64_t quotient = a / b;
  return quotient * b != a && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

Random random_expression(std::mt19937_64& generator, const std::map<std::string, int64_t>& symbols,
                         int depth) {
  const auto pick = [&](int count) { return static_cast<int>(generator() % count); };
  if (depth == 0 || pick(6) == 0) {
    if (pick(2) == 0) {
      const int64_t constant = pick(13) - 4;
      return {constant, constant};
    }
    auto symbol = symbols.begin();
    std::advance(symbol, pick(static_cast<int>(symbols.size())));
    return {Dim::symbol(symbol->first), symbol->second};
  }
  const Random a = random_expression(generator, symbols, depth - 1);
  Random b = random_expression(generator, symbols, depth - 1);
  const int kind = pick(8);
  if (kind >= 3 && kind <= 5 && pick(2) == 0) {
    const int64_t constant = pick(2) == 0 ? 2 + pick(6) : -2 - pick(3);
    b = {constant, constant};
  }
  const bool known = a.value && b.value;
  const int64_t x = a.value.value_or(0), y = b.value.value_or(0);
  const auto when_known = [&](int64_t value) {
    return known ? std::optional(value) : std::nullopt;
  };
  const std::optional<int64_t> quotient = known ? floor_quotient(x, y) : std::nullopt;
  switch (kind) {
    case 0:
      return {a.dim + b.dim, when_known(x + y)};
    case 1:
      return {a.dim - b.dim, when_known(x - y)};
    case 2:
      return {a.dim * b.dim, when_known(x * y)};
    case 3:
      return {Dim::floor_div(a.dim, b.dim), quotient};
    case 4:
      return {Dim::mod(a.dim, b.dim), quotient ? std::optional(x - y * *quotient) : std::nullopt};
    case 5: {
      const std::optional<int64_t> down = known ? floor_quotient(-x, y) : std::nullopt;
      return {Dim::ceil_div(a.dim, b.dim), down ? std::optional(-*down) : std::nullopt};
    }
    case 6:
      return {Dim::minimum(a.dim, b.dim), when_known(std::min(x, y))};
    default:
      return {Dim::maximum(a.dim, b.dim), when_known(std::max(x, y))};
  }
}

TEST(Dim, AlgebraAgreesWithEvaluation) {
  std::mt19937_64 generator(1);
  int compared = 0;
  for (int round = 0; round < 20000; ++round) {
    std::map<std::string, int64_t> symbols;
    SymbolRanges ranges;
    for (const char* name : {"A", "B", "C"}) {
      const auto value = static_cast<int64_t>(generator() % 12);
      symbols[name] = value;
      ranges[name] = {std::max<int64_t>(0, value - static_cast<int64_t>(generator() % 4)), value,
                      value + static_cast<int64_t>(generator() % 4)};
    }
    const Random expression = random_expression(generator, symbols, 4);
    // A divisor of zero has no value, and the algebra may assume that there is none.
    if (!expression.value || std::abs(*expression.value) > int64_t{1} << 40) continue;
    const std::string text = expression.dim.to_string();
    const std::optional<int64_t> value = expression.dim.evaluate(
        [&](const std::string& name) -> std::optional<int64_t> { return symbols.at(name); });
    ASSERT_EQ(value, expression.value) << "round " << round << ": " << text;
    ASSERT_EQ(dim(text), expression.dim) << "round " << round << ": " << text;
    std::map<std::string, Dim> constants(symbols.begin(), symbols.end());
    ASSERT_EQ(expression.dim.substitute(constants), Dim(*expression.value)) << text;
    if (const std::optional<Interval> interval = bounds(expression.dim, ranges)) {
      ASSERT_LE(interval->minimum, *value) << "round " << round << ": " << text;
      ASSERT_GE(interval->maximum, *value) << "round " << round << ": " << text;
    }
    ++compared;
  }
  EXPECT_GT(compared, 10000);
}

}  // namespace
}  // namespace tenon::ir
