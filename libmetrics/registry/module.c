/* SPDX-License-Identifier: MIT */
/* module.c: registration at start-up and dlopen, withdrawal at dlclose. */
#include "libmetrics/registry/module.h"

#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/start.h"
#include "libmetrics/code/block.h"
#include "libmetrics/code/patch.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/rule.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/users_statistic.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/thread/thread_life.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static struct ppi_module *modules;
static struct ppi_record_handler handlers[8];

/* ---- records --------------------------------------------------------------------------------- */

/* Calls FN for each record of MODULE of TYPE (0: any) that this library can read. */
static void each_record (const struct ppi_module *module, unsigned type,
			 void (*fn) (struct pp_abi_record *))
{
	char *at = (char *) (uintptr_t) module->records_begin,
	     *end = (char *) (uintptr_t) module->records_end;

	while (at && at + sizeof (struct pp_abi_record) <= end) {
		struct pp_abi_record *r = (struct pp_abi_record *) at;

		if (r->size < sizeof (*r) || r->size % PP_ABI_ALIGN ||
		    r->size > (size_t) (end - at)) {
			ppi_message (
				"%s: its static records are damaged; the rest of them is not used",
				module->name);
			return;
		}
		if (r->abi == PP_ABI_VERSION && fn && (!type || r->type == type))
			fn (r);
		at += r->size;
	}
}

void ppi_record_handler_set (enum pp_abi_record_type type, const struct ppi_record_handler *handler)
{
	ppi_lock ();
	handlers[type] = *handler;
	for (const struct ppi_module *m = modules; m; m = m->next)
		each_record (m, type, handler->add);
	ppi_unlock ();
}

static const unsigned char record_order[] = {
	PP_ABI_RECORD_SOURCE, PP_ABI_RECORD_OPERATOR, PP_ABI_RECORD_STATISTIC, PP_ABI_RECORD_METRIC,
	PP_ABI_RECORD_KNOB,   PP_ABI_RECORD_CALLABLE, PP_ABI_RECORD_EXPECT};

/* Sources and operators before the metrics that name them, metrics before the expectations. */
static void records_add (const struct ppi_module *module)
{
	for (unsigned i = 0; i < sizeof (record_order); i++)
		each_record (module, record_order[i], handlers[record_order[i]].add);
}

/*
 * A record that goes with its module, as long as no other has taken its name over; and the module.
 * With the lock
 */
static const struct pp_abi_record *leaving;
static const struct ppi_module *closing;

static const char *name_in (const struct pp_abi_record *r)
{
	return (const char *) r + r->name;
}

static void take_over (struct pp_abi_record *r)
{
	if (!leaving || r->runtime || strcmp (name_in (r), name_in (leaving)) != 0)
		return;
	handlers[r->type].add (r);
	if (r->runtime)
		leaving = NULL;
}

/*
 * A plug-in's new version may be loaded before its old one is closed: then the new one's knobs,
 * functions and sources were refused, as there were such names. The newest module that has one gets
 * the name now. Metrics and expectations stay with what they are.
 */
static void remove_one (struct pp_abi_record *r)
{
	bool was_used =
		r->runtime && r->type != PP_ABI_RECORD_METRIC && r->type != PP_ABI_RECORD_EXPECT;

	if (handlers[r->type].remove)
		handlers[r->type].remove (r);
	leaving = was_used ? r : NULL;
	for (const struct ppi_module *other = modules; other && leaving; other = other->next)
		if (other != closing)
			each_record (other, r->type, take_over);
}

static void records_remove (const struct ppi_module *module)
{
	closing = module;
	for (unsigned i = sizeof (record_order); i-- > 0;)
		each_record (module, record_order[i], remove_one);
}

static void own_handlers (void)
{
	handlers[PP_ABI_RECORD_SOURCE] =
		(struct ppi_record_handler){ppi_metric_add_source, ppi_metric_forget_source};
	handlers[PP_ABI_RECORD_OPERATOR] =
		(struct ppi_record_handler){ppi_operator_add, ppi_operator_remove};
	handlers[PP_ABI_RECORD_STATISTIC] =
		(struct ppi_record_handler){ppi_statistic_add, ppi_statistic_remove};
	handlers[PP_ABI_RECORD_METRIC] =
		(struct ppi_record_handler){ppi_metric_add_record, ppi_metric_remove_record};
}

/* ---- modules --------------------------------------------------------------------------------- */

static const void *first_address (const struct pp_abi_module *m)
{
	return m->sites_begin    ? m->sites_begin
	       : m->guards_begin ? m->guards_begin
				 : m->records_begin;
}

static bool is_module (const struct ppi_module *m, const struct pp_abi_module *abi)
{
	return m->sites_begin == abi->sites_begin && m->guards_begin == abi->guards_begin &&
	       m->records_begin == abi->records_begin;
}

/* The base name of the file that holds ADDRESS, and whether that is the program itself. */
static char *name_of (const void *address, bool *is_program)
{
	uintptr_t headers = (uintptr_t) getauxval (AT_PHDR);
	Dl_info info, program;
	const char *path = NULL, *slash;

	if (dladdr (address, &info) && info.dli_fname)
		path = info.dli_fname;
	*is_program = !dladdr ((void *) headers, &program) || !path ||
		      program.dli_fbase == info.dli_fbase;
	if (*is_program)
		path = program_invocation_name;
	slash = strrchr (path, '/');
	return strdup (slash ? slash + 1 : path);
}

static struct ppi_module *module_make (const struct pp_abi_module *abi)
{
	struct ppi_module *m = calloc (1, sizeof (*m));

	if (!m)
		return NULL;
	m->sites_begin = abi->sites_begin;
	m->sites_end = abi->sites_end;
	m->guards_begin = abi->guards_begin;
	m->guards_end = abi->guards_end;
	m->records_begin = abi->records_begin;
	m->records_end = abi->records_end;
	m->estimates_begin = abi->estimates_begin;
	m->estimates_end = abi->estimates_end;
	m->name = name_of (first_address (abi), &m->is_program);
	if (!m->name) {
		free (m);
		return NULL;
	}
	m->users = 1;
	m->next = modules;
	modules = m;
	return m;
}

static bool abi_fits (const struct pp_abi_module *abi)
{
	bool is_program;
	char *name;

	if (abi->abi == PP_ABI_VERSION && abi->size >= sizeof (*abi) &&
	    abi->marker_bytes == sizeof (struct pp_abi_marker))
		return true;
	name = name_of (abi, &is_program);
	ppi_message ("%s was compiled with a plugin of ABI version %u, this library has %u: "
		     "nothing of it is measured; build both with the same version",
		     name ? name : "?", abi->abi, PP_ABI_VERSION);
	free (name);
	return false;
}

static unsigned n_waiting;

/* Where memory is short the batch has said so itself. */
static void tell_unchanged (const struct ppi_module *m, int error)
{
	if (error == PP_ECODE)
		ppi_message ("%s: not everything that its sources bind is measured: %s", m->name,
			     pp_strerror (error));
}

static void sites_take_in (struct ppi_module *m)
{
	ppi_batch_begin ();
	ppi_sites_add (m);
	ppi_rules_apply (m, NULL);
	ppi_bindings_look ();
	tell_unchanged (m, ppi_batch_end ());
}

static void stop_waiting (struct ppi_module *m)
{
	n_waiting -= m->waits;
	m->waits = false;
}

/* The list has the newest first, and sites are in the order in which they came. */
static struct ppi_module *oldest_waiting (void)
{
	struct ppi_module *oldest = NULL;

	if (n_waiting)
		for (struct ppi_module *m = modules; m; m = m->next)
			if (m->waits)
				oldest = m;
	return oldest;
}

void ppi_modules_take_in (void)
{
	struct ppi_module *m;

	while ((m = oldest_waiting ())) {
		stop_waiting (m);
		sites_take_in (m);
	}
}

static void module_take_in (struct ppi_module *m)
{
	ppi_batch_begin ();
	records_add (m);
	m->names_metrics = ppi_sites_name_metrics (m);
	m->waits = !ppi_rules_exist () && !m->names_metrics;
	n_waiting += m->waits;
	if (!m->waits)
		sites_take_in (m);
	tell_unchanged (m, ppi_batch_end ());
	ppi_parts_module_added ();
}

void ppi_site_appeared (pp_site *site)
{
	ppi_batch_begin ();
	ppi_rules_apply (NULL, site);
	ppi_batch_end ();
	ppi_parts_module_added ();
}

void ppi_program_ready (void)
{
	static uint32_t called;

	if (!__atomic_exchange_n (&called, 1, __ATOMIC_RELAXED))
		ppi_parts_module_ready (true);
}

void pp_rt_register (const struct pp_abi_module *abi)
{
	/* modules register one at a time, but for dlopen's, which come behind it */
	static bool program_came;
	int saved = errno;
	struct ppi_module *m;

	ppi_runtime_start ();
	if (!abi_fits (abi) || !first_address (abi)) {
		errno = saved;
		return;
	}
	ppi_lock ();
	for (m = modules; m && !is_module (m, abi); m = m->next)
		;
	if (m) {
		m->users++;
		m = NULL;
	} else {
		if (!handlers[PP_ABI_RECORD_METRIC].add)
			own_handlers ();
		m = module_make (abi);
		if (m)
			module_take_in (m);
		else
			ppi_message ("no memory to register a module: nothing of it is measured");
	}
	ppi_unlock ();
	if (m)
		ppi_parts_module_ready (m->is_program);
	/*
	 * a library's sites may name metrics of the program, which registers last, and of its
	 * policies
	 */
	program_came |= m && m->is_program;
	if (m && (program_came || !ppi_program_has_table ())) {
		ppi_lock ();
		ppi_metrics_missed_tell ();
		ppi_unlock ();
	}
	errno = saved;
}

/* Its pages will be another module's, or nobody's. */
static void forget_code (const struct ppi_module *m)
{
	uintptr_t first = UINTPTR_MAX, last = 0;

	for (const struct pp_abi_marker *marker = m->sites_begin;
	     marker < (const struct pp_abi_marker *) m->sites_end; marker++) {
		uintptr_t code = (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop;
		uintptr_t stub = (uintptr_t) &marker->stub + (uintptr_t) (intptr_t) marker->stub;

		first = code < first ? code : first;
		first = stub < first ? stub : first;
		last = code > last ? code : last;
		last = stub > last ? stub : last;
	}
	ppi_patch_forget (first, last);
}

static void module_let_go (struct ppi_module *m)
{
	struct ppi_module **at = &modules;

	stop_waiting (m);
	ppi_parts_module_removed ();
	ppi_batch_begin ();
	ppi_sites_remove (m);
	ppi_batch_end ();
	records_remove (m);
	for (const struct ppi_module *other = modules; other; other = other->next)
		if (other != m)
			each_record (other, PP_ABI_RECORD_METRIC, ppi_metric_lend_functions);
	/* threads that were in one of its stubs or functions have left before its pages go */
	ppi_blocks_forget (m, ppi_quiesce (1000));
	forget_code (m);
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	free (m->name);
	free (m);
}

void pp_rt_unregister (const struct pp_abi_module *abi)
{
	int saved = errno;
	struct ppi_module *m;

	ppi_lock ();
	for (m = modules; m && !is_module (m, abi); m = m->next)
		;
	/*
	 * the program's sites stay enabled while it exits: destructors and other threads still run
	 * through them
	 */
	if (m && !--m->users && !m->is_program)
		module_let_go (m);
	ppi_unlock ();
	errno = saved;
}
