// Where loops are opened for relative coordinates, by the projective criterion: "this criterion ... serves as a criterion
// for possible cuts of multibody systems with closed loops"            [Blajer-Schiehlen-Schirm, after (23) and section 6]
// For each joint of a loop as the cut, M and P of that tree at the start; its value is the product of cos^2 of the best
// independent coordinates that the tree offers. The cut is where this is largest, within one per cent where M is
// conditioned best. A tree whose last body lacks inertia has a singular M and is out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard {

struct CoordinatesType;

struct CutValue {
  int joint = 0;
  double projective = 0;  // product of cos^2; negative: no tree without this joint, or M is singular
  double condition = 0;   // of M, dimensionless
};

/// The joints of the loop that `cut` closes in the present tree of the model (the cut first), and what each is worth.
std::vector<CutValue> cut_values(const std::shared_ptr<const Model>& model, int cut, unsigned seed);

/// The model with every loop cut where it is worth most, one loop after the other, but for cuts that the model demands;
/// `message` says where. Throws InputError where nothing is cut.
std::shared_ptr<const Model> choose_cuts(const std::shared_ptr<const Model>& model, const CoordinatesType& coordinates,
                                         unsigned seed, std::string& message);

}  // namespace bricard
