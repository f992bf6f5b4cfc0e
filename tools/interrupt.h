// SPDX-License-Identifier: Apache-2.0
// Control-C asks long work to stop cleanly; a second one ends the command at once.
#pragma once

namespace tenon::tools {

void catch_interrupts();
bool was_interrupted();

}  // namespace tenon::tools
