// What a mechanism is made of: counts, rank, redundancy, uniqueness of reactions, singular masses, at one state.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bricard {

struct Model;

struct RedundantRow {
  std::string joint;     // joint, motion or body
  std::string equation;  // name of the row
};

/// Which components of a joint's reaction the motion determines, as pairs (name, is unique); a large mechanism has many
/// of these, so the names are made on request.
class UniqueComponents {
 public:
  enum class Names : char { planar, spatial, efforts };  // fx fy mz; fx fy fz mx my mz; effort effort2 ...
  explicit UniqueComponents(Names names) : names_(names) {}
  static std::string name(Names names, int k);

  void push_back(bool unique) { marks_.push_back(unique ? '+' : '-'); }
  int size() const { return static_cast<int>(marks_.size()); }
  std::pair<std::string, bool> front() const { return (*this)[0]; }
  std::pair<std::string, bool> operator[](int k) const { return {name(names_, k), marks_[k] == '+'}; }
  bool operator==(const UniqueComponents&) const = default;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::pair<std::string, bool>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;
    Iterator(const UniqueComponents& of, int k) : of_(&of), k_(k) {}
    value_type operator*() const { return (*of_)[k_]; }
    Iterator& operator++() { return ++k_, *this; }
    Iterator operator++(int) { return {*of_, k_++}; }
    bool operator==(const Iterator& other) const { return k_ == other.k_; }

   private:
    const UniqueComponents* of_;
    int k_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::string marks_;  // short enough to need no memory of its own
  Names names_;
};

struct Structure {
  int coordinates = 0;  // velocity coordinates
  int positions = 0;    // position coordinates
  int constraints = 0;  // rows, velocity-level ones included
  int velocity_constraints = 0;
  int rank = 0;
  int degrees_of_freedom = 0;
  std::vector<RedundantRow> redundant;  // rows that the others imply (which ones of a dependent group is arbitrary)
  std::vector<std::pair<std::string, UniqueComponents>> reactions;  // by joint
  bool mass_is_singular = false;
  bool accelerations_are_unique = true;  // [M; P] has full column rank
  std::vector<std::string> massless;     // bodies without mass or without some moment of inertia
};

/// At the assembled start, in these coordinates (empty: as `auto` chooses). Throws InputError for a model that cannot
/// be assembled, and for coordinates that do not exist or do not fit.
Structure analyze_structure(const std::shared_ptr<const Model>& model, const std::string& coordinates = {});

}  // namespace bricard
