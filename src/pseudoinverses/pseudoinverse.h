// Moore-Penrose pseudoinverse as a choice of its own: factorise once, apply to vectors, report the rank.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bricard/types.h"
#include "pseudoinverses/greville_changes.h"
#include "pseudoinverses/rank_threshold.h"

namespace bricard {

class Pseudoinverse {
 public:
  virtual ~Pseudoinverse() = default;
  /// Singular values (or what stands for them) up to the threshold count as zero. False if A+ was not found.
  virtual bool factorize(const Matrix& A, RankThreshold threshold) = 0;
  /// x = A+ b
  virtual void apply(const Vector& b, Vector& x) = 0;
  /// x = (A+)^T b = (A^T)+ b
  virtual void apply_transposed(const Vector& b, Vector& x) = 0;
  /// As it was found; where the threshold does not decide it, that of full rank.
  virtual int rank() const = 0;
};

/// A+ of a factorised A (rows x columns) as a matrix, for people to look at.
Matrix dense(Pseudoinverse& pseudoinverse, int rows, int columns);

struct PseudoinverseTraits {
  bool any_rank = true;            // takes every matrix; otherwise wrong, or not found, where rank is missing
  bool decides_rank = true;        // by the threshold; otherwise the rank is taken for full
  bool chooses_order = true;       // so that what the threshold is compared with is near a singular value
  bool squares_condition = false;  // errors like eps cond(A)^2 instead of eps cond(A)
};

struct PseudoinverseOptions {
  GrevilleChanges greville = GrevilleChanges::all();
};

/// What it takes to form A+: each + - * / and square root counts one.
struct Operations {
  double count = 0;
  bool counted = true;  // by a scalar that counts, in the code that runs; otherwise by formulas for LAPACK's parts
};

struct PseudoinverseType {
  const char* name;
  const char* description;
  const char* source;
  PseudoinverseTraits traits = {};
  std::unique_ptr<Pseudoinverse> (*create)(int rows, int columns, const PseudoinverseOptions& options);
  Operations (*operations)(const Matrix& A, RankThreshold threshold);
};

/// All pseudoinverses, in the order of pseudoinverses.def.
const std::deque<PseudoinverseType>& pseudoinverse_types();
const PseudoinverseType* find_pseudoinverse_type(const std::string& name);

}  // namespace bricard
