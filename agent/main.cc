// SPDX-License-Identifier: Apache-2.0
#include "app/agent.h"
#include "app/cli.h"
#include "app/process.h"
#include "plugins/builtin.h"

int main(int argc, char** argv) {
  logweir::fill_standard_descriptors();
  return logweir::run_cli(argc, argv, logweir::builtin_shelf(), logweir::run_agent);
}
