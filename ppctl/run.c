/* SPDX-License-Identifier: MIT */
/*
 * run.c: ppctl run -- PROGRAM: runs a program under policies and prints the first screen at its
 * end. The program has stdin and stdout, the screen goes to stderr. Where no policy records, and -o
 * is not given, the recording is made in a folder that goes away.
 */
#include "ppctl/calls.h"
#include "ppctl/ppctl.h"
#include "ppctl/preload.h"
#include "ppctl/report.h"

#include "assertions/language/ppctl.h"
#include "base/profile.h"
#include "base/quantity.h"
#include "recording/file.h"
#include "recording/read.h"
#include "report/shell_word.h"
#include "stdmetrics/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TOLD = 20 }; /* recordings that are named one by one */
enum { OWN = 125, NOT_EXECUTABLE = 126, NOT_FOUND = 127, SIGNALLED = 128 };

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl run [OPTION]... [--] PROGRAM [ARGUMENT]...\n\n"
		"Runs PROGRAM, records it, and tells on stderr at its end what ppctl report does:\n"
		"what was measured, how that compares with what was expected, what was done.\n\n"
		"  -p, --policy POLICY  what is measured and expected; may be given several "
		"times,\n"
		"                       and those of PP_POLICY are loaded, too\n"
		"  -o, --output REC     keeps the recording; %%p and the other letters of record:\n"
		"                       in a policy mean the same\n"
		"  --sample RATE        has a profile taken by sampling, so many times per second "
		"of\n"
		"                       CPU time, 1 to 10000, or with ,wall behind it of all\n"
		"                       time; the recording, NAME.PID.pprec unless said, has it\n"
		"                       for ppctl profile. A program that was not linked with\n"
		"                       libpp gets it by LD_PRELOAD\n"
		"  --calls              tells instead how often each function was called and how "
		"long\n"
		"                       that took: exactly, of a program that was compiled with\n"
		"                       -fplugin-arg-ppgcc-calls=interval (without times: -calls)\n"
		"  --fail-on SEVERITY   exit status 3 where an assertion fired that is so bad, or\n"
		"                       worse: info, warning, error, critical\n\n"
		"SIGINT, SIGTERM and SIGHUP are passed on. The exit status is PROGRAM's, 128 and\n"
		"the number where a signal ended it, 126 where it can't be run, 127 where there\n"
		"is none, 125 where ppctl itself failed.\n");
}

struct run {
	struct ppctl_list policies;
	const char *output, *fail_on, *sample;
	enum pp_severity least;
	char record[PATH_MAX]; /* as a policy says it, where one does */
	const char *recorder;  /* that policy */
	bool profiles;         /* a policy has a profile taken */
	char folder[PATH_MAX]; /* our own; "": none */
	char *pattern;         /* where recordings are, for glob () */
	bool is_kept;
	const char *program;
	bool calls; /* are told in place of the first screen */
	struct timespec begun;
	pid_t pid;
};

/* ---- policies -------------------------------------------------------------------------------- */

/*
 * Checks POLICY as far as that is possible without the program; notes where it records. IS_OURS:
 * errors are told. What is no error the program tells itself, which knows more: a metric that is
 * waited for here may be its own.
 */
static int look_at (struct run *run, const char *policy, bool is_ours)
{
	struct ppi_offline_result result;
	char *told = NULL;
	size_t length;
	FILE *lines = is_ours ? open_memstream (&told, &length) : NULL;
	bool is_wrong = ppi_policy_check_offline (policy, &(struct ppi_offline){.known = false},
						  ppctl_put_line, lines, &result) != 0;

	if (lines)
		fclose (lines);
	if (is_wrong && told)
		fputs (told, stderr);
	free (told);
	if (is_wrong && is_ours)
		return OWN;
	run->profiles |= result.profiles;
	if (*result.record) {
		snprintf (run->record, sizeof run->record, "%s", result.record);
		run->recorder = policy;
	}
	return PPCTL_OK;
}

static int look_at_all (struct run *run, const char *others)
{
	char *copy = strdup (others), *rest = copy, *path;
	int status = PPCTL_OK;

	ppi_stdmetrics_init ();
	for (size_t i = 0; i < run->policies.n && status == PPCTL_OK; i++) {
		path = run->policies.text[i];
		status = strchr (path, ':')
				 ? ppctl_fail (OWN, "run",
					       "%s: the name of a policy can't have a ':' here",
					       path)
				 : look_at (run, path, true);
	}
	/* what is wrong with these the program says itself */
	while (rest && (path = strsep (&rest, ":")))
		if (*path)
			(void) look_at (run, path, false);
	if (status == PPCTL_OK && run->output && *run->record)
		status = ppctl_fail (
			OWN, "run",
			"%s says itself where the recording goes (record:): leave -o out",
			run->recorder);
	free (copy);
	return status;
}

/* TEXT as YAML has it between double quotes */
static void put_quoted (FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf (out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* A policy that records to FILE, or, where that is NULL, elsewhere; in our folder */
static int write_policy (const struct run *run, const char *file)
{
	char path[PATH_MAX + 16], here[PATH_MAX] = "";
	FILE *out;

	snprintf (path, sizeof path, "%s/record.yaml", run->folder);
	out = fopen (path, "w");
	if (!out)
		return ppctl_fail (OWN, "run", "%s: %s", path, strerror (errno));
	fputs ("version: 1\n", out);
	if (run->calls)
		ppctl_calls_policy (out, run->program);
	if (file) {
		fprintf (out, "record: {file: \"");
		if (*file != '/' && getcwd (here, sizeof here))
			put_quoted (out, here);
		fprintf (out, "%s", *here ? "/" : "");
		put_quoted (out, file);
		fprintf (out, "\"}\n");
	}
	return fclose (out) == 0 ? PPCTL_OK
				 : ppctl_fail (OWN, "run", "%s: %s", path, strerror (errno));
}

static int make_folder (struct run *run)
{
	const char *where = getenv ("TMPDIR");

	snprintf (run->folder, sizeof run->folder, "%s/ppctl.XXXXXX",
		  where && *where == '/' ? where : "/tmp");
	if (strchr (run->folder, ':') || !mkdtemp (run->folder)) {
		int status = ppctl_fail (
			OWN, "run", "no folder can be made in %s: %s; TMPDIR chooses another",
			where && *where ? where : "/tmp",
			strchr (run->folder, ':') ? "it has a ':'" : strerror (errno));

		*run->folder = '\0';
		return status;
	}
	return PPCTL_OK;
}

static void remove_folder (const struct run *run)
{
	DIR *folder = *run->folder ? opendir (run->folder) : NULL;
	struct dirent *entry;

	if (!folder)
		return;
	/* what was being written when the program was killed begins with a dot */
	while ((entry = readdir (folder)))
		if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
			unlinkat (dirfd (folder), entry->d_name, 0);
	closedir (folder);
	rmdir (run->folder);
}

/* FILE of a policy, with its letters, as a pattern of glob (). To be freed. */
static char *pattern_of (const char *file)
{
	char *out = malloc (2 * strlen (file) + 1), *to = out;

	for (; out && *file; file++)
		if (*file == '%' && file[1] && file[1] != '%') {
			*to++ = '*';
			file++;
		} else {
			file += *file == '%' && file[1] == '%';
			if (strchr ("*?[\\", *file))
				*to++ = '\\';
			*to++ = *file;
		}
	if (out)
		*to = '\0';
	return out;
}

/*
 * Recordings of one run have its number: 32 hex digits, which children inherit. False: no memory.
 */
static bool set_run (void)
{
	const char *given = getenv ("PP_RUN");
	unsigned char id[16];
	char text[2 * sizeof id + 1];

	if (given && strlen (given) == 2 * sizeof id)
		return true; /* this is part of a larger one */
	if (getrandom (id, sizeof id, 0) != (ssize_t) sizeof id)
		memset (id, getpid () & 0xff, sizeof id);
	for (size_t i = 0; i < sizeof id; i++)
		snprintf (text + 2 * i, 3, "%02x", id[i]);
	return setenv ("PP_RUN", text, 1) == 0;
}

/* The environment's PP_SAMPLE. */
static int prepare_sample (struct run *run)
{
	const char *text = run->sample;
	uint32_t rate;
	bool is_wall;

	if (!text)
		return PPCTL_OK;
	if (!ppi_sample_text_read (text, &rate, &is_wall))
		return ppctl_fail (OWN, "run",
				   "--sample: '%s' is not from 1 to %d samples a second, or such "
				   "a number and ',wall'",
				   text, PPI_SAMPLE_RATE_MOST);
	if (ppctl_preload (run->program) != PPCTL_OK)
		return OWN;
	run->profiles = true;
	return setenv ("PP_SAMPLE", text, 1) == 0 ? PPCTL_OK : ppctl_fail (OWN, "run", "no memory");
}

/* Where the recording goes, and the environment's PP_POLICY */
static int prepare (struct run *run)
{
	const char *others = getenv ("PP_POLICY");
	char file[PATH_MAX + 16], *list = NULL;
	int status = look_at_all (run, others ? others : "");
	bool is_own = !*run->record || run->calls; /* we need a policy of our own */
	size_t bytes;
	FILE *out;

	if (status == PPCTL_OK)
		status = prepare_sample (run);
	if (status != PPCTL_OK)
		return status;
	/* a profile is for another look, so its recording stays */
	if (run->profiles && !*run->record && !run->output)
		run->output = "%x.%p.pprec";
	if (is_own && (status = make_folder (run)) != PPCTL_OK)
		return status;
	run->is_kept = *run->record || run->output;
	snprintf (file, sizeof file, "%s/%%p.pprec", run->folder);
	if (is_own && (status = write_policy (run, *run->record  ? NULL
						   : run->output ? run->output
								 : file)) != PPCTL_OK)
		return status;
	run->pattern = pattern_of (*run->record ? run->record : run->output ? run->output : file);
	out = open_memstream (&list, &bytes);
	if (!out || !run->pattern)
		return ppctl_fail (OWN, "run", "no memory");
	/*
	 * ours first: others that profile see that there is a recording, and make none of their own
	 */
	if (is_own)
		fprintf (out, "%s/record.yaml", run->folder);
	for (size_t i = 0; i < run->policies.n; i++)
		fprintf (out, "%s%s", is_own || i ? ":" : "", run->policies.text[i]);
	if (others && *others)
		fprintf (out, "%s%s", is_own || run->policies.n ? ":" : "", others);
	if (fclose (out) != 0 || setenv ("PP_POLICY", list, 1) != 0 || !set_run ())
		status = ppctl_fail (OWN, "run", "no memory");
	free (list);
	return status;
}

/* ---- the program ----------------------------------------------------------------------------- */

/*
 * Signals are waited for, not handled: between two looks at the program none can come too early,
 * and ThreadSanitizer lets no handler run while waitpid () waits.
 */
static const int passed[] = {SIGINT, SIGTERM, SIGHUP};
enum { PASSED = sizeof passed / sizeof *passed };

/* What the program gets back: what nohup ignores it ignores. */
struct former {
	struct sigaction quit, child;
	sigset_t mask;
};

/* The program's end of fork (): exec's errno is written to REPORT */
static void become (char **argv, int report, const struct former *former)
{
	sigaction (SIGQUIT, &former->quit, NULL);
	sigaction (SIGCHLD, &former->child, NULL);
	signal (SIGXFSZ, SIG_DFL); /* main ignores it */
	sigprocmask (SIG_SETMASK, &former->mask, NULL);
	execvp (argv[0], argv);
	(void) !write (report, &errno, sizeof errno);
	_exit (NOT_FOUND);
}

/* What exec said: 0, or its errno */
static int exec_error (int report)
{
	int error = 0;
	ssize_t n;

	do
		n = read (report, &error, sizeof error);
	while (n < 0 && errno == EINTR);
	close (report);
	return n == (ssize_t) sizeof error ? error : 0;
}

/*
 * Waits for PID's end: its wait status. What somebody sends us meanwhile is sent on; the terminal
 * sends it to both.
 */
static int wait_for (pid_t pid, const sigset_t *awaited)
{
	siginfo_t info;
	int result = 0;

	while (waitpid (pid, &result, WNOHANG) == 0)
		if (sigwaitinfo (awaited, &info) > 0 && info.si_signo != SIGCHLD &&
		    info.si_code <= 0)
			kill (pid, info.si_signo);
	return result;
}

/* Runs ARGV to its end: its wait status, or -1, and *STATUS is ours. */
static int run_program (struct run *run, char **argv, int *status)
{
	int ends[2], result, error;
	struct former former;
	sigset_t awaited;

	clock_gettime (CLOCK_REALTIME_COARSE, &run->begun);
	if (pipe2 (ends, O_CLOEXEC) != 0) {
		*status = ppctl_fail (OWN, "run", "%s", strerror (errno));
		return -1;
	}
	sigemptyset (&awaited);
	sigaddset (&awaited, SIGCHLD);
	for (size_t i = 0; i < PASSED; i++)
		sigaddset (&awaited, passed[i]);
	/*
	 * until ppctl ends: the screen behind the program's end is short, and the folder has to go
	 */
	sigprocmask (SIG_BLOCK, &awaited, &former.mask);
	sigaction (SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &former.child);
	sigaction (SIGQUIT, &(struct sigaction){.sa_handler = SIG_IGN}, &former.quit);
	run->pid = fork ();
	if (run->pid == 0)
		become (argv, ends[1], &former);
	error = errno;
	close (ends[1]);
	if (run->pid < 0) {
		close (ends[0]);
		*status = ppctl_fail (OWN, "run", "no process can be made: %s", strerror (error));
		return -1;
	}
	error = exec_error (ends[0]);
	result = wait_for (run->pid, &awaited);
	if (!error)
		return result;
	*status = ppctl_fail (error == ENOENT || error == ENOTDIR ? NOT_FOUND : NOT_EXECUTABLE,
			      "run", "%s: %s", argv[0], strerror (error));
	return -1;
}

/* ---- its recording --------------------------------------------------------------------------- */

static bool is_of_this_run (const struct run *run, const struct stat *st)
{
	return st->st_mtim.tv_sec > run->begun.tv_sec ||
	       (st->st_mtim.tv_sec == run->begun.tv_sec &&
		st->st_mtim.tv_nsec >= run->begun.tv_nsec);
}

/* Behind a blank. */
static void put_word (FILE *out, const char *path)
{
	char word[PATH_MAX];

	if (ppi_shell_word (word, sizeof word, path))
		fprintf (out, " %s", word);
}

/*
 * What the pattern of RUN matches, and the recordings beside it that have a number behind that name,
 * for each process has its own. Nonzero: nothing. To be globfree ()d.
 */
static int find_all (const struct run *run, glob_t *found)
{
	size_t n = strlen (run->pattern);
	bool has_them = n && run->pattern[n - 1] == '*';
	int is_none = glob (run->pattern, 0, NULL, found);
	char *numbered;

	if (is_none || has_them || asprintf (&numbered, "%s.[0-9]*", run->pattern) < 0)
		return is_none;
	glob (numbered, GLOB_APPEND, NULL, found);
	free (numbered);
	return 0;
}

/*
 * The program's recording, or that of the process it made that was measured longest; NULL: there is
 * none. *N processes recorded; the words ALL are their recordings, if those are few.
 */
static struct ppi_recording *find (const struct run *run, char **path, FILE *all, size_t *n)
{
	struct ppi_recording *best = NULL;
	double longest = -1;
	glob_t found;

	*n = 0;
	if (find_all (run, &found) != 0)
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct ppi_recording *one = NULL;
		const struct ppi_region_header *header;
		struct stat st;
		double measured;

		if (stat (found.gl_pathv[i], &st) != 0 || !is_of_this_run (run, &st) ||
		    ppctl_open ("run", found.gl_pathv[i], &one) != PPCTL_OK)
			continue;
		header = ppi_recording_header (one);
		measured = header->pid == (uint32_t) run->pid
				   ? (double) INFINITY
				   : (double) (header->now_ns - header->start_ns);
		++*n;
		if (*n <= TOLD)
			put_word (all, found.gl_pathv[i]);
		if (measured <= longest) {
			ppi_recording_close (one);
			continue;
		}
		longest = measured;
		ppi_recording_close (best);
		best = one;
		free (*path);
		*path = strdup (found.gl_pathv[i]);
	}
	globfree (&found);
	return best;
}

/* N processes recorded, to ALL or, where they are many, to what its pattern is. */
static void tell_all (const struct run *run, size_t n, const char *all)
{
	if (n < 2)
		return;
	fprintf (stderr, "%zu processes recorded%s\n", n,
		 run->is_kept ? "; this is one of them"
			      : "; this is one of them: -o REC.%p keeps them all");
	if (run->is_kept && n > TOLD)
		fprintf (stderr, "all of them: %s*, those of this run\n", run->pattern);
	else if (run->is_kept)
		fprintf (stderr, "all of them:%s%s\n", run->sample ? " ppctl profile" : "", all);
}

static int tell (const struct run *run, const char *program)
{
	char *path = NULL, *all = NULL;
	size_t n, bytes;
	FILE *words = open_memstream (&all, &bytes);
	struct ppi_recording *recording = words ? find (run, &path, words, &n) : NULL;
	int status = PPCTL_OK;

	if (!words || fclose (words) != 0) {
		ppi_recording_close (recording);
		free (path);
		free (all);
		return ppctl_fail (OWN, "run", "no memory");
	}
	if (!recording) {
		free (path);
		free (all);
		(void) ppctl_fail (
			0, "run", "%s left no recording: was it %s?", program,
			run->calls ? "compiled with -fplugin-arg-ppgcc-calls, and linked with libpp"
				   : "linked with libpp");
		return run->fail_on || run->calls ? OWN : PPCTL_OK;
	}
	fputc ('\n', stderr);
	if (run->calls)
		status = ppctl_calls_show (stderr, recording) == PPCTL_OK ? PPCTL_OK : OWN;
	else if (ppctl_first_screen (stderr, recording, run->is_kept ? path : NULL) != PPCTL_OK)
		status = ppctl_fail (OWN, "run", "no memory");
	if (status == PPCTL_OK && run->fail_on && ppctl_has_fired (recording, run->least))
		status = PPCTL_FIRED;
	tell_all (run, n, all);
	ppi_recording_close (recording);
	free (path);
	free (all);
	return status;
}

int ppctl_run (int argc, char **argv)
{
	static struct run run;
	const struct ppctl_option options[] = {{"policy", PPCTL_TEXTS, &run.policies, 'p'},
					       {"output", PPCTL_TEXT, &run.output, 'o'},
					       {"fail-on", PPCTL_TEXT, &run.fail_on, 0},
					       {"sample", PPCTL_TEXT, &run.sample, 0},
					       {"calls", PPCTL_FLAG, &run.calls, 0},
					       {0}};
	int status = ppctl_options_before (argc, argv, "run", options, help), result, told;

	if (status == PPCTL_GO_ON && optind == argc)
		status = ppctl_wrong ("run", "it needs a program");
	if (status == PPCTL_GO_ON && run.fail_on)
		status = ppctl_severity ("run", run.fail_on, &run.least);
	if (status != PPCTL_GO_ON)
		return status == PPCTL_OK ? status : OWN;
	run.program = argv[optind];
	status = prepare (&run);
	result = status == PPCTL_OK ? run_program (&run, argv + optind, &status) : -1;
	if (result >= 0) {
		told = tell (&run, argv[optind]);
		status = WIFSIGNALED (result)        ? SIGNALLED + WTERMSIG (result)
			 : WEXITSTATUS (result) != 0 ? WEXITSTATUS (result)
						     : told;
	}
	remove_folder (&run);
	free (run.pattern);
	return status;
}
