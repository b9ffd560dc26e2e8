// What computes accelerations.
#pragma once

namespace bricard {

enum class Engine {
  whole,   // the formulation's own class, by matrices of the whole system
  bodies,  // bodies over the graph of the joints: the equations of `lagrange` and `lagrange-proximal`
  tree,    // recursion over a tree of the bodies: the equations of `recursive`
};

}  // namespace bricard
