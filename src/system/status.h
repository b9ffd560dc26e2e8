// What becomes of a numerical operation.
#pragma once

namespace bricard {

/// `failed` may succeed at another state (a smaller step); `fatal` will not.
enum class Status { ok, failed, fatal };

/// What happened to a state after a step.
enum class StepChange {
  none,       // as the integrator left it
  corrected,  // moved within its error (projection): a multistep method may go on
  replaced,   // a different meaning or a jump (new coordinates): a multistep method must restart
  failed,     // the state cannot be corrected: the step was too long
};

}  // namespace bricard
