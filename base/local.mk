# SPDX-License-Identifier: MIT
# base: what every room may use: the lock, clocks, messages, names, units and types, the processor. Part of libmetrics.la.

PP_ARCH_DIR = base/arch/$(PP_ARCH)
PP_BASE_SOURCES = \
	base/atomic.h \
	base/barrier.c \
	base/barrier.h \
	base/c_locale.h \
	base/channel.c \
	base/channel.h \
	base/chunk.h \
	base/clock.c \
	base/clock.h \
	base/command.c \
	base/command.h \
	base/contrast.c \
	base/contrast.h \
	base/dims.c \
	base/dims.h \
	base/environment.h \
	base/error.c \
	base/error.h \
	base/estimate.c \
	base/estimate.h \
	base/events.h \
	base/features.h \
	base/flight.h \
	base/fp.h \
	base/glob.c \
	base/glob.h \
	base/hash.c \
	base/hash.h \
	base/lock.c \
	base/lock.h \
	base/memory.c \
	base/memory.h \
	base/message.c \
	base/message.h \
	base/module.c \
	base/module.h \
	base/named.c \
	base/named.h \
	base/names.c \
	base/names.h \
	base/part.c \
	base/part.h \
	base/peek.c \
	base/peek.h \
	base/process.c \
	base/quantity.c \
	base/quantity.h \
	base/process.h \
	base/profile.c \
	base/profile.h \
	base/rank.h \
	base/signals.c \
	base/signals.h \
	base/spot.c \
	base/spot.h \
	base/stacks.c \
	base/stacks.h \
	base/start.h \
	base/ticks.c \
	base/ticks.h \
	base/twin.h \
	base/types.c \
	base/types.h
