// SPDX-License-Identifier: Apache-2.0
#include "app/front.h"

int main(int argc, char** argv) { return logweir::front(argc, argv); }
