#pragma once
// Ctrl-C and SIGTERM as a wish to stop that is looked at between frames. A second one ends the
// program at once; files are complete or absent even then, because they are renamed when done.

namespace pliant::app {

void watch_for_interrupts();
bool interrupted();

}  // namespace pliant::app
