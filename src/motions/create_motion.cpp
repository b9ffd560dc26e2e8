#include "motions/create_motion.h"

namespace bricard {

std::unique_ptr<MechanismMotion> create_motion(MotionSetting setting) {
  switch (setting.state) {
#define STATE(name) \
  case State::name: \
    return motions::name(std::move(setting));
#include "formulations/states.def"
#undef STATE
  }
  return nullptr;
}

}  // namespace bricard
