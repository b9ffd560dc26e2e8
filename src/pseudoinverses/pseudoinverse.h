// Moore-Penrose pseudoinverse as a choice of its own: factorise once, apply to vectors, report the rank.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard {

class Pseudoinverse {
 public:
  virtual ~Pseudoinverse() = default;
  /// Singular values (or what stands for them) up to threshold * the largest count as zero. False if it did not
  /// converge.
  virtual bool factorize(const Matrix& A, double threshold) = 0;
  /// x = A+ b
  virtual void apply(const Vector& b, Vector& x) = 0;
  /// x = (A+)^T b = (A^T)+ b
  virtual void apply_transposed(const Vector& b, Vector& x) = 0;
  virtual int rank() const = 0;
};

/// A+ of a factorised A (rows x columns) as a matrix, for people to look at.
Matrix dense(Pseudoinverse& pseudoinverse, int rows, int columns);

struct PseudoinverseType {
  const char* name;
  const char* description;
  const char* source;
  std::unique_ptr<Pseudoinverse> (*create)(int rows, int columns);
};

/// All pseudoinverses, in the order of pseudoinverses.def.
const std::deque<PseudoinverseType>& pseudoinverse_types();
const PseudoinverseType* find_pseudoinverse_type(const std::string& name);

}  // namespace bricard
