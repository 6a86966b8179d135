// All that may happen next in a state.
#pragma once

#include "expand_answers.hpp"
#include "expand_faults.hpp"
#include "expander.hpp"
