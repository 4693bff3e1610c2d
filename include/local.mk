# SPDX-License-Identifier: MIT
# include: what users' programs see.

include_HEADERS += include/pp.h include/pp_abi.h
