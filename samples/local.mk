# SPDX-License-Identifier: MIT
# samples: programs that measure themselves. Objects of instrumented sources depend on $(PPGCC_SO).

noinst_PROGRAMS += samples/server_loop/server_loop
if HAVE_PNG
noinst_PROGRAMS += samples/raytracer/raytracer
$(samples_raytracer_raytracer_OBJECTS): $(PPGCC_SO)
endif

noinst_PROGRAMS += samples/features/fizzbuzz
samples_features_fizzbuzz_SOURCES = samples/features/fizzbuzz.c
samples_features_fizzbuzz_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC)
samples_features_fizzbuzz_LDADD = libpp/libpp.la
$(samples_features_fizzbuzz_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml
EXTRA_DIST += samples/features/README.md samples/features/dispatch.features.yaml samples/features/features.yaml samples/features/libc.yaml samples/features/libstdcxx.yaml \
	samples/features/marked/assert.h samples/features/others/never_free.c samples/features/others/others.sh samples/features/others/output.h samples/profiles/beside_perf.sh \
	samples/features/others/words.lua samples/features/rows.cc

# Programs whose culprit a profile of features names, each with its repaired version beside it. -no-install: a profile is called after its program
noinst_PROGRAMS += \
	samples/features/maze samples/features/maze_repaired \
	samples/features/messages/server samples/features/messages/server_repaired \
	samples/features/synth/synth samples/features/synth/synth_repaired
SAMPLES_MAZE_FILES = \
	samples/features/maze.c
samples_features_maze_SOURCES = $(SAMPLES_MAZE_FILES)
samples_features_maze_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC)
samples_features_maze_LDFLAGS = $(PP_LDFLAGS) -no-install
samples_features_maze_LDADD = libpp/libpp.la
$(samples_features_maze_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml
samples_features_maze_repaired_SOURCES = $(SAMPLES_MAZE_FILES)
samples_features_maze_repaired_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC) -DREPAIRED
samples_features_maze_repaired_LDFLAGS = $(PP_LDFLAGS) -no-install
samples_features_maze_repaired_LDADD = libpp/libpp.la
$(samples_features_maze_repaired_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml
SAMPLES_SERVER_FILES = \
	samples/features/messages/bus.c \
	samples/features/messages/bus.h \
	samples/features/messages/calculate.c \
	samples/features/messages/contract.c \
	samples/features/messages/packet.c \
	samples/features/messages/server.c \
	samples/features/messages/server.h \
	samples/features/messages/session.c \
	samples/features/messages/spy.c
samples_features_messages_server_SOURCES = $(SAMPLES_SERVER_FILES)
samples_features_messages_server_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC)
samples_features_messages_server_LDFLAGS = $(PP_LDFLAGS) -no-install
samples_features_messages_server_LDADD = libpp/libpp.la
$(samples_features_messages_server_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml
samples_features_messages_server_repaired_SOURCES = $(SAMPLES_SERVER_FILES)
samples_features_messages_server_repaired_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC) -DREPAIRED
samples_features_messages_server_repaired_LDFLAGS = $(PP_LDFLAGS) -no-install
samples_features_messages_server_repaired_LDADD = libpp/libpp.la
$(samples_features_messages_server_repaired_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml
SAMPLES_SYNTH_FILES = \
	samples/features/synth/array.c \
	samples/features/synth/array.h \
	samples/features/synth/array_int.h \
	samples/features/synth/contract.c \
	samples/features/synth/drum.c \
	samples/features/synth/mixer.c \
	samples/features/synth/sequencer.c \
	samples/features/synth/synth.c \
	samples/features/synth/synth.h \
	samples/features/synth/wav.c \
	samples/features/synth/wave.c
samples_features_synth_synth_SOURCES = $(SAMPLES_SYNTH_FILES)
samples_features_synth_synth_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC)
samples_features_synth_synth_LDFLAGS = $(PP_LDFLAGS) -no-install
samples_features_synth_synth_LDADD = libpp/libpp.la
$(samples_features_synth_synth_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml
samples_features_synth_synth_repaired_SOURCES = $(SAMPLES_SYNTH_FILES)
samples_features_synth_synth_repaired_CFLAGS = $(SAMPLES_CFLAGS) $(SAMPLES_OF_LIBC) -DREPAIRED
samples_features_synth_synth_repaired_LDFLAGS = $(PP_LDFLAGS) -no-install
samples_features_synth_synth_repaired_LDADD = libpp/libpp.la
$(samples_features_synth_synth_repaired_OBJECTS): $(PPGCC_SO) samples/features/libc.yaml

# Analyses of one's own for ppctl features: objects that it loads when they are named.
noinst_DATA = samples/features/contract_graph.so samples/features/process_table.so
CLEANFILES += $(noinst_DATA)
EXTRA_DIST += samples/features/contract_graph.c samples/features/process_table.c
SAMPLES_ANALYSIS = $(AM_V_CCLD)$(MKDIR_P) samples/features && $(CC) -std=gnu11 -D_GNU_SOURCE -I$(top_srcdir)/include $(PP_WARNINGS) \
	$(SANITIZER_FLAGS) $(CFLAGS) -shared -fPIC -fvisibility=hidden
samples/features/contract_graph.so: samples/features/contract_graph.c include/pp_analysis.h
	$(SAMPLES_ANALYSIS) -o $@ $(srcdir)/samples/features/contract_graph.c
samples/features/process_table.so: samples/features/process_table.c include/pp_analysis.h
	$(SAMPLES_ANALYSIS) -o $@ $(srcdir)/samples/features/process_table.c
if HAVE_GCC_PLUGIN
SAMPLES_OF_LIBC = -fplugin-arg-ppgcc-instrument=$(top_srcdir)/samples/features/libc.yaml -fplugin-arg-ppgcc-Wno-pp-rules
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

noinst_PROGRAMS += samples/attributes/attributes
samples_attributes_attributes_SOURCES = \
	samples/attributes/attribute.c \
	samples/attributes/attribute.h \
	samples/attributes/counts.c \
	samples/attributes/counts.h \
	samples/attributes/environment.c \
	samples/attributes/expression.c \
	samples/attributes/main.c \
	samples/attributes/names.c \
	samples/attributes/obfuscate.c \
	samples/attributes/pico.c \
	samples/attributes/pico.h \
	samples/attributes/programs.h \
	samples/attributes/strategy.c \
	samples/attributes/strategy.h \
	samples/attributes/term.c \
	samples/attributes/term.h
samples_attributes_attributes_CFLAGS = $(SAMPLES_CFLAGS)
samples_attributes_attributes_LDADD = libpp/libpp.la
$(samples_attributes_attributes_OBJECTS): $(PPGCC_SO)

if HAVE_PROXY
noinst_PROGRAMS += samples/proxy/proxy samples/proxy/origin samples/proxy/load
$(samples_proxy_proxy_OBJECTS): $(PPGCC_SO)
endif
# only the proxy is measured: its neighbours are compiled without the plugin
SAMPLES_PLAIN_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(PP_WARNINGS) $(SANITIZER_FLAGS)
SAMPLES_PROXY_BOTH = \
	samples/proxy/bytes.c \
	samples/proxy/bytes.h \
	samples/proxy/picture.c \
	samples/proxy/picture.h \
	samples/proxy/server.c \
	samples/proxy/server.h
samples_proxy_proxy_SOURCES = $(SAMPLES_PROXY_BOTH) \
	samples/proxy/distill.c \
	samples/proxy/distill.h \
	samples/proxy/fetch.c \
	samples/proxy/fetch.h \
	samples/proxy/plain.c \
	samples/proxy/plain.h \
	samples/proxy/proxy.c
samples_proxy_proxy_CFLAGS = $(SAMPLES_CFLAGS) $(MICROHTTPD_CFLAGS) $(CURL_CFLAGS) $(JPEG_CFLAGS)
samples_proxy_proxy_LDADD = libpp/libpp.la $(MICROHTTPD_LIBS) $(CURL_LIBS) $(JPEG_LIBS) -lm -lpthread
samples_proxy_origin_SOURCES = $(SAMPLES_PROXY_BOTH) samples/proxy/origin.c
samples_proxy_origin_CFLAGS = $(SAMPLES_PLAIN_CFLAGS) $(MICROHTTPD_CFLAGS) $(JPEG_CFLAGS)
samples_proxy_origin_LDADD = $(MICROHTTPD_LIBS) $(JPEG_LIBS) -lm -lpthread
samples_proxy_load_SOURCES = samples/proxy/bytes.c samples/proxy/bytes.h samples/proxy/load.c
samples_proxy_load_CFLAGS = $(SAMPLES_PLAIN_CFLAGS) $(CURL_CFLAGS)
samples_proxy_load_LDADD = $(CURL_LIBS) -lpthread

EXTRA_DIST += \
	samples/attributes/README.md \
	samples/attributes/policy.yaml \
	samples/proxy/README.md \
	samples/proxy/policy.yaml \
	samples/raytracer/README.md \
	samples/raytracer/figure.sh \
	samples/raytracer/modes.yaml \
	samples/raytracer/policy.yaml \
	samples/server_loop/policy.yaml

noinst_PROGRAMS += samples/parser/parser
samples_parser_parser_SOURCES = samples/parser/parser.c
samples_parser_parser_CFLAGS = $(SAMPLES_CFLAGS)
samples_parser_parser_LDADD = libpp/libpp.la
$(samples_parser_parser_OBJECTS): $(PPGCC_SO)
EXTRA_DIST += samples/parser/README.md samples/parser/policy.yaml

# builds Lua from its Debian source package, by hand only
EXTRA_DIST += samples/lua/operand.h samples/lua/profile.sh samples/lua/work.lua
