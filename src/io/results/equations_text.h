// The equations of an instant as text: aligned, small matrices whole, large ones as a picture of their pattern.
#pragma once

#include <string>

#include "bricard/equations.h"

namespace bricard {

/// `widest`: matrices with more columns are drawn as a pattern.
std::string equations_text(const EquationsResult& equations, int widest = 12);

/// The same for a document: one displayed equation a matrix, by amsmath.
std::string equations_latex(const EquationsResult& equations);

/// One matrix in the format of Matrix Market: coordinates of what is not zero, or the column of a vector.
std::string matrix_market(const NamedMatrix& matrix);
/// A name for its file, without what file systems forbid: "M.mtx", "V_T_M_V.mtx".
std::string matrix_market_name(const NamedMatrix& matrix);

/// One JSON object.
std::string equations_json(const Model& model, const EquationsResult& equations);

}  // namespace bricard
