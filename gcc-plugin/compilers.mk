# SPDX-License-Identifier: MIT
# compilers.mk: the plugins, one for each compiler, by GNU make, included by Makefile and not read by automake: which compilers there are is
# only known when configure has run.
#
#   gcc-plugin/ppgcc.so                     what -fplugin names: loads the one of the compiler that asks (shim.c)
#   gcc-plugin/ppgcc-MACHINE-VERSION.so     for CC, built by GCC_PLUGIN_BUILDER with the headers in GCC_PLUGIN_HEADERS, its objects in
#                                           gcc-plugin/own/ROOM/; and for each word of GCC_MORE (see PP_GCC_PLUGIN in m4/ppgcc.m4), its objects in
#                                           gcc-plugin/NAME/ROOM/
#
# The first goes, with the second, where each compiler looks for plugins. Where gccplugindir was changed, by --with-gcc-plugin-dir or to make,
# all are there.

ppgcc_field = $(word $(1),$(subst |, ,$(2)))
ppgcc_name = $(call ppgcc_field,1,$(1))

ppgcc_file = ppgcc-$(shell $(1) -dumpmachine)-$(shell $(1) -dumpfullversion).so
PPGCC_OWN := gcc-plugin/$(call ppgcc_file,$(CC))
# asked once for each
$(foreach g,$(GCC_MORE),$(eval ppgcc_file_$(call ppgcc_name,$g) := $(call ppgcc_file,$(call ppgcc_field,3,$g))))
ppgcc_so = gcc-plugin/$(ppgcc_file_$(call ppgcc_name,$(1)))

PPGCC_MORE_SO := $(foreach g,$(GCC_MORE),$(call ppgcc_so,$g))

.PHONY: ppgcc install-ppgcc uninstall-ppgcc clean-ppgcc
ppgcc: $(PPGCC_SO) $(PPGCC_MORE_SO)

# GCC's headers are two thirds of what the compiler reads for a file, so gcc-compat.h, which every file begins with, is
# compiled first, once. Not for those that want other headers of the front ends, and not under ccache, which knows files better
# than precompiled headers. Where the compiler can't use it, it reads FOLDER/gcc-compat.h, which leads to the real one.
PPGCC_UNSHARED = base/names-cxx functions/functions-cxx language/captured-cxx language/front-c language/front-cxx

# ppgcc_rules FOLDER, PLUGIN, BUILDER, HEADERS: objects into FOLDER, from them PLUGIN; all anew with another version of GCC
define ppgcc_rules
ppgcc_compile_$(1) = $(3) -isystem $(4) $$(PPGCC_CPPFLAGS) $$(PPGCC_CXXFLAGS) $$(CXXFLAGS) -MMD -MP
ppgcc_objects_$(1) = $$(patsubst gcc-plugin/%.cc,gcc-plugin/$(1)/%.o,$$(filter %.cc,$$(ppgcc_sources)))
gcc-plugin/$(1)/gcc-compat.h.gch: gcc-plugin/base/gcc-compat.h $(4)/plugin-version.h
	@$$(MKDIR_P) gcc-plugin/$(1) && echo '#include "$$(abspath $$<)"' >gcc-plugin/$(1)/gcc-compat.h
	$$(AM_V_CXX)$$(ppgcc_compile_$(1)) -x c++-header -c -o $$@ $$<
ifeq ($(findstring ccache,$(3)),)
$$(filter-out $$(PPGCC_UNSHARED:%=gcc-plugin/$(1)/%.o),$$(ppgcc_objects_$(1))): gcc-plugin/$(1)/gcc-compat.h.gch
$$(filter-out $$(PPGCC_UNSHARED:%=gcc-plugin/$(1)/%.o),$$(ppgcc_objects_$(1))): PPGCC_SHARED = -include gcc-plugin/$(1)/gcc-compat.h
endif
gcc-plugin/$(1)/%.o: gcc-plugin/%.cc $(4)/plugin-version.h
	@$$(MKDIR_P) $$(@D)
	$$(AM_V_CXX)$$(ppgcc_compile_$(1)) $$(PPGCC_SHARED) -c -o $$@ $$<
$(2): $$(ppgcc_objects_$(1)) gcc-plugin/ppgcc.map
	$$(AM_V_CXXLD)$(3) $$(CXXFLAGS) -shared -Wl,--version-script=$$(filter %.map,$$^) $$(LDFLAGS) -o $$@.new $$(filter %.o,$$^) $$(PPGCC_LIBS) && mv -f $$@.new $$@
-include $$(wildcard gcc-plugin/$(1)/*.d gcc-plugin/$(1)/*/*.d)
endef

ifeq ($(PPGCC_FROM),)
$(eval $(call ppgcc_rules,own,$(PPGCC_OWN),$(GCC_PLUGIN_BUILDER),$(GCC_PLUGIN_HEADERS)))

# All places where plugins are installed, with ":" between
PPGCC_PLACES = $(subst $(ppgcc_blank),:,$(strip $(sort $(gccplugindir) $(foreach g,$(GCC_MORE),$(call ppgcc_place,$g)))))
ppgcc_empty =
ppgcc_blank = $(ppgcc_empty) $(ppgcc_empty)
$(PPGCC_SO): gcc-plugin/shim.c gcc-plugin/ppgcc.map $(PPGCC_OWN)
	$(AM_V_CC)$(GCC_PLUGIN_BUILDER) -x c -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden $(PP_WARNINGS) $(CFLAGS) -shared $(LDFLAGS) \
		-DPPGCC_MACHINE='"$(shell $(CC) -dumpmachine)"' -DPPGCC_PLACES='"$(PPGCC_PLACES)"' -DPPGCC_EXAMPLE='"gcc-N"' \
		-DPPGCC_STAMP="\"`cksum <$(PPGCC_OWN)`\"" -o $@.new $(filter %.c,$^) -x none -ldl && mv -f $@.new $@
PPGCC_MADE = $(PPGCC_OWN)
else
# --with-ppgcc: the plugin proper lies beside it
PPGCC_OWN := $(dir $(PPGCC_FROM))$(notdir $(PPGCC_OWN))
PPGCC_MADE =
$(PPGCC_SO): $(PPGCC_FROM)
	@$(MKDIR_P) gcc-plugin
	$(AM_V_GEN)ln -sf $(PPGCC_FROM) $@
endif
$(foreach g,$(GCC_MORE),$(eval $(call ppgcc_rules,$(call ppgcc_name,$g),$(call ppgcc_so,$g),$(call ppgcc_field,6,$g),$(call \
	ppgcc_field,7,$g)/include)))

# where the plugin of a word of GCC_MORE is installed
ppgcc_place = $(if $(filter $(GCC_PLUGIN_HEADERS),$(gccplugindir)/include),$(call ppgcc_field,7,$(1)),$(gccplugindir))

# ppgcc_install PLUGIN, FOLDER
define ppgcc_install
	$(MKDIR_P) '$(DESTDIR)$(2)' && $(INSTALL_PROGRAM) $(PPGCC_SO) $(1) '$(DESTDIR)$(2)'

endef
install-ppgcc: ppgcc
	$(call ppgcc_install,$(PPGCC_OWN),$(gccplugindir))
	$(foreach g,$(GCC_MORE),$(call ppgcc_install,$(call ppgcc_so,$g),$(call ppgcc_place,$g)))

uninstall-ppgcc:
	cd '$(DESTDIR)$(gccplugindir)' && rm -f ppgcc.so $(notdir $(PPGCC_OWN))
	$(foreach g,$(GCC_MORE),cd '$(DESTDIR)$(call ppgcc_place,$g)' && rm -f ppgcc.so $(notdir $(call ppgcc_so,$g));)

clean-ppgcc:
	rm -rf gcc-plugin/own $(PPGCC_SO) $(PPGCC_MADE) $(PPGCC_MORE_SO) $(foreach g,$(GCC_MORE),gcc-plugin/$(call ppgcc_name,$g) tests/plugin/$(call ppgcc_name,$g))

# ---- the plugin's tests, for each further compiler of this machine: tests/plugin/NAME/TEST.sh

ppgcc_native := $(foreach g,$(GCC_MORE),$(if $(filter native,$(call ppgcc_field,2,$g)),$g))

# ppgcc_tests NAME, CC, CXX, FORTRAN
define ppgcc_tests
.PRECIOUS: tests/plugin/$(1)/%.sh
tests/plugin/$(1)/%.sh: tests/plugin/%.sh Makefile
	@$$(MKDIR_P) tests/plugin/$(1)
	$$(AM_V_GEN)printf '%s\n' 'export CC=$(2) CXX=$(3) GFORTRAN=$(4) PP_FURTHER=1' \
		'exec bash "$$$$srcdir/tests/plugin/$$*.sh"' >$$@
$$(patsubst tests/plugin/%.sh,tests/plugin/$(1)/%.log,$$(PLUGIN_TESTS)): $(PPGCC_SO) gcc-plugin/$(ppgcc_file_$(1))
endef
$(foreach g,$(ppgcc_native),$(eval $(call ppgcc_tests,$(call ppgcc_name,$g),$(call ppgcc_field,3,$g),$(call \
	ppgcc_field,4,$g),$(filter-out -,$(call ppgcc_field,5,$g)))))

# ---- what tests may rely on: for each compiler "NAME CC CXX FORTRAN PLUGIN;" (all have one), "-" for what there is not. PP_GCCS are those that compile
# for this machine, CC first, PP_CROSS_GCCS the others.

ppgcc_line = $(foreach i,1 3 4 5,$(call ppgcc_field,$i,$(1))) $(abs_top_builddir)/$(PPGCC_SO);
PP_GCCS = own $(CC) $(CXX) $(or $(GFORTRAN),-) $(abs_top_builddir)/$(PPGCC_SO);$(foreach g,$(ppgcc_native),$(call ppgcc_line,$g))
PP_CROSS_GCCS = $(foreach g,$(filter-out $(ppgcc_native),$(GCC_MORE)),$(call ppgcc_line,$g))
