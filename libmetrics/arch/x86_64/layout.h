/* SPDX-License-Identifier: MIT */
/* layout.h: offsets that fast.S needs; hot.c asserts each. */
#ifndef PP_ARCH_LAYOUT_H
#define PP_ARCH_LAYOUT_H

#define HOT_LO 0
#define HOT_SPAN 8
#define HOT_TOP 16
#define HOT_BUSY 24
#define HOT_FIRST 32
#define HOT_TABLE 40
#define HOT_SLOTS 48

#define SCRATCH_SELF 8

#define FRAME_TAG 0
#define FRAME_SP 8
#define FRAME_PREV 16
#define FRAME_PLAN 24
#define FRAME_TICKS 32
#define FRAME_BYTES 64
#define FRAME_PAGE_BYTES 2048
#define FRAME_PAGE_FIRST 256

#define SHARD_SEQ 24
#define SHARD_LAST 32
#define SHARD_LAST_TICKS 40
#define SHARD_N 48
#define SHARD_SUM 56
#define SHARD_SQUARES 72
#define SHARD_MIN 88
#define SHARD_MAX 96
#define SHARD_WAITING 120

#define PLAN_FIRST_SLOT 136 /* ops[0].slot */

#endif
