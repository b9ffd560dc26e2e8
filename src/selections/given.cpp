#include "selections/given.h"

#include <algorithm>

namespace bricard {
namespace {

/// The numbers of the coordinates whose rows of a scaled identity these are, ascending; empty if they are combinations.
std::vector<int> boolean_rows(const Matrix& B) {
  std::vector<int> coordinates;
  for (Eigen::Index row = 0; row < B.rows(); ++row) {
    Eigen::Index column = 0;
    B.row(row).cwiseAbs().maxCoeff(&column);
    if ((B.row(row).array() != 0).count() != 1) return {};
    coordinates.push_back(static_cast<int>(column));
  }
  std::sort(coordinates.begin(), coordinates.end());
  return coordinates;
}

class Given : public Selection {
 public:
  explicit Given(const Matrix& B) : B_(B), coordinates_(boolean_rows(B)) {}
  Selected choose(const Matrix& P, const Matrix&) const override {
    if (!coordinates_.empty()) return boolean_selection(coordinates_, static_cast<int>(P.cols()));
    return {{}, B_};
  }
  bool is_outdated(const Selected&, const Matrix&, const Matrix&, double, double) const override { return false; }

 private:
  Matrix B_;
  std::vector<int> coordinates_;
};

class Kept : public Selection {
 public:
  explicit Kept(std::unique_ptr<Selection> chooser) : chooser_(std::move(chooser)) {}
  Selected choose(const Matrix& P, const Matrix& M) const override { return chooser_->choose(P, M); }
  bool is_outdated(const Selected&, const Matrix&, const Matrix&, double, double) const override { return false; }

 private:
  std::unique_ptr<Selection> chooser_;
};

}  // namespace

std::unique_ptr<Selection> given_selection(const Matrix& B) { return std::make_unique<Given>(B); }
std::unique_ptr<Selection> kept_selection(std::unique_ptr<Selection> chooser) {
  return std::make_unique<Kept>(std::move(chooser));
}

}  // namespace bricard
