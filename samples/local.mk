# SPDX-License-Identifier: MIT
# samples: programs that measure themselves. Objects of instrumented sources depend on $(PPGCC_SO).
