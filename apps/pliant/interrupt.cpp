#include "interrupt.h"

#include <csignal>

namespace pliant::app {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;

void want_stop(int) { stop_wanted = 1; }

}  // namespace

void watch_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = want_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return stop_wanted != 0; }

}  // namespace pliant::app
