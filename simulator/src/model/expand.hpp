// All that may happen next in a state.
#pragma once

#include "model/expand_answers.hpp"
#include "model/expand_faults.hpp"
#include "model/expand_refusals.hpp"
#include "model/expand_time.hpp"
#include "model/expander.hpp"
