# SPDX-License-Identifier: MIT
# samples: programs that measure themselves. Objects of instrumented sources depend on $(PPGCC_SO).

noinst_PROGRAMS += samples/server_loop/server_loop
if HAVE_PNG
noinst_PROGRAMS += samples/raytracer/raytracer
$(samples_raytracer_raytracer_OBJECTS): $(PPGCC_SO)
endif

# The samples see what a user sees: pp.h and the plugin, not the library's own folders.
SAMPLES_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_WARNINGS) $(SANITIZER_FLAGS) $(PPGCC_FLAGS)

samples_raytracer_raytracer_SOURCES = \
	samples/raytracer/bvh.c \
	samples/raytracer/image.c \
	samples/raytracer/image.h \
	samples/raytracer/intersect.c \
	samples/raytracer/main.c \
	samples/raytracer/mesh.c \
	samples/raytracer/mesh.h \
	samples/raytracer/pixel.c \
	samples/raytracer/random.h \
	samples/raytracer/render.c \
	samples/raytracer/render.h \
	samples/raytracer/scene.c \
	samples/raytracer/scene.h \
	samples/raytracer/shade.c \
	samples/raytracer/story.c \
	samples/raytracer/story.h \
	samples/raytracer/vec.h
samples_raytracer_raytracer_CFLAGS = $(SAMPLES_CFLAGS) $(PNG_CFLAGS)
samples_raytracer_raytracer_LDADD = libpp/libpp.la $(PNG_LIBS) -lm -lpthread

samples_server_loop_server_loop_SOURCES = \
	samples/server_loop/clients.c \
	samples/server_loop/clients.h \
	samples/server_loop/server_loop.c
samples_server_loop_server_loop_CFLAGS = $(SAMPLES_CFLAGS)
samples_server_loop_server_loop_LDADD = libpp/libpp.la -lpthread
$(samples_server_loop_server_loop_OBJECTS): $(PPGCC_SO)

EXTRA_DIST += \
	samples/raytracer/modes.yaml \
	samples/raytracer/policy.yaml \
	samples/server_loop/policy.yaml
