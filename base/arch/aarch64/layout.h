/* SPDX-License-Identifier: MIT */
/* layout.h: offsets that entry.S needs; hot.c asserts each. */
#ifndef PP_ARCH_LAYOUT_H
#define PP_ARCH_LAYOUT_H

#define PLAN_GUARD_BEGIN 24
#define PLAN_GUARD_END 32
#define PLAN_GUARD_POINT 40

#endif
