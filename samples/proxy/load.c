/* SPDX-License-Identifier: MIT */
/*
 * load.c: clients of the proxy. Each asks for the next thing when it has got the one before (a
 * closed loop), so that the load adjusts itself to how fast the machine is; more clients may come
 * while it goes on.
 */
#include "bytes.h"

#include <curl/curl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_CLIENTS 256
#define ANSWER_MOST (64u << 20)
#define TIMEOUT_S 120L

static const char usage[] =
	"Usage: load [OPTION]... --proxy=HOST:PORT --origin=HOST:PORT\n"
	"Clients that ask a proxy for pictures and pages of an origin, three pictures for each "
	"page, and check what\n"
	"they get.\n"
	"\n"
	"  -P, --proxy=HOST:PORT    the proxy\n"
	"  -o, --origin=HOST:PORT   the origin\n"
	"  -c, --clients=N          so many at first (default 1)\n"
	"  -a, --add-every=N        one more after each N answers (default 0: never)\n"
	"  -m, --most=N             but no more than N (default 64)\n"
	"  -n, --requests=N         ends after N answers (default 0: with SIGTERM or SIGINT)\n"
	"  -h, --help               this text\n"
	"\n"
	"SIGUSR1: from then on no more clients come.\n"
	"Exit status: 0 all answers were right, 1 some were not, 2 wrong usage.\n";

static struct {
	char *proxy, *origin;
	int most, requests;
	pthread_mutex_t lock;
	/* with the lock */
	int add_every;
	pthread_t client[MOST_CLIENTS];
	int clients;
	unsigned long begun, answers, wrong;
	double seconds, longest;
	bool ends;
} all = {.most = 64, .lock = PTHREAD_MUTEX_INITIALIZER};

static double seconds_now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static size_t on_body (char *data, size_t size, size_t n, void *arg)
{
	return bytes_add (arg, data, size * n, ANSWER_MOST) == 0 ? size * n : 0;
}

/*
 * A distilled picture is a JPEG, a distilled page is text without tags; WHY says what is wrong, or
 * NULL.
 */
static const char *check (CURL *curl, bool page, const struct bytes *body)
{
	const char *type = NULL;
	long status = 0;

	curl_easy_getinfo (curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo (curl, CURLINFO_CONTENT_TYPE, &type);
	if (status != 200)
		return "its status is not 200";
	if (!type || strncmp (type, page ? "text/plain" : "image/jpeg", 10) != 0)
		return "its type is another";
	if (page && memchr (body->data, '>', body->used) != NULL)
		return "a page has markup";
	if (!page && (body->used < 4 || memcmp (body->data, "\xff\xd8", 2) != 0 ||
		      memcmp (body->data + body->used - 2, "\xff\xd9", 2) != 0))
		return "a picture is none";
	return NULL;
}

static const char *ask (CURL *curl, unsigned long number, char *error)
{
	struct bytes body = {NULL, 0, 0};
	bool page = number % 4 == 3;
	char url[300];
	const char *why = error;

	snprintf (url, sizeof url, "http://%s/%s/%lu.%s", all.origin, page ? "pages" : "pictures",
		  number / 4 % 8, page ? "html" : "jpg");
	*error = '\0';
	curl_easy_setopt (curl, CURLOPT_URL, url);
	curl_easy_setopt (curl, CURLOPT_WRITEDATA, &body);
	if (curl_easy_perform (curl) == CURLE_OK)
		why = check (curl, page, &body);
	bytes_free (&body);
	return why;
}

static void *run_client (void *arg);

/* With the lock. */
static void add_client (void)
{
	if (all.clients < all.most &&
	    pthread_create (&all.client[all.clients], NULL, run_client, NULL) == 0)
		all.clients++;
}

/* One answer more. False: that was the last one. */
static bool count_answer (double seconds, const char *why)
{
	bool ends;

	pthread_mutex_lock (&all.lock);
	all.answers++;
	all.seconds += seconds;
	all.longest = seconds > all.longest ? seconds : all.longest;
	if (why && all.wrong++ == 0)
		fprintf (stderr, "load: an answer is wrong: %s\n", why);
	if (!all.ends && all.add_every && all.answers % (unsigned long) all.add_every == 0)
		add_client ();
	if (all.requests && all.answers >= (unsigned long) all.requests && !all.ends) {
		all.ends = true;
		kill (getpid (), SIGTERM); /* blocked everywhere: it is sigwait's */
	}
	ends = all.ends;
	pthread_mutex_unlock (&all.lock);
	return !ends;
}

static void *run_client (void *arg)
{
	CURL *curl = curl_easy_init ();
	char error[CURL_ERROR_SIZE];
	unsigned long number;
	const char *why;
	double begin;

	(void) arg;
	if (!curl) {
		count_answer (0, "no memory");
		return NULL;
	}
	curl_easy_setopt (curl, CURLOPT_PROXY, all.proxy);
	curl_easy_setopt (curl, CURLOPT_NOPROXY, "");
	curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt (curl, CURLOPT_TIMEOUT, TIMEOUT_S);
	curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_body);
	do {
		pthread_mutex_lock (&all.lock);
		number = all.begun++;
		pthread_mutex_unlock (&all.lock);
		begin = seconds_now ();
		why = ask (curl, number, error);
	} while (count_answer (seconds_now () - begin, why));
	curl_easy_cleanup (curl);
	return NULL;
}

static int run (int clients)
{
	sigset_t ends;
	int signal;

	sigemptyset (&ends);
	sigaddset (&ends, SIGTERM);
	sigaddset (&ends, SIGINT);
	sigaddset (&ends, SIGUSR1);
	pthread_sigmask (SIG_BLOCK, &ends, NULL);
	pthread_mutex_lock (&all.lock);
	for (int i = 0; i < clients; i++)
		add_client ();
	pthread_mutex_unlock (&all.lock);
	do {
		sigwait (&ends, &signal);
		pthread_mutex_lock (&all.lock);
		all.add_every = 0;
		all.ends |= signal != SIGUSR1;
		pthread_mutex_unlock (&all.lock);
	} while (signal == SIGUSR1);
	for (int i = 0; i < all.clients; i++)
		pthread_join (all.client[i], NULL);
	printf ("%lu answers, %lu wrong; %d client%s at the end; %.1f ms on average, %.1f ms at "
		"most\n",
		all.answers, all.wrong, all.clients, all.clients == 1 ? "" : "s",
		all.answers ? 1e3 * all.seconds / (double) all.answers : 0, 1e3 * all.longest);
	return all.wrong || !all.answers;
}

int main (int argc, char **argv)
{
	static const struct option known[] = {{"proxy", required_argument, NULL, 'P'},
					      {"origin", required_argument, NULL, 'o'},
					      {"clients", required_argument, NULL, 'c'},
					      {"most", required_argument, NULL, 'm'},
					      {"add-every", required_argument, NULL, 'a'},
					      {"requests", required_argument, NULL, 'n'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int clients = 1, option, bad = 0;

	while (!bad && (option = getopt_long (argc, argv, "P:o:c:a:m:n:h", known, NULL)) != -1)
		switch (option) {
		case 'P':
			all.proxy = optarg;
			break;
		case 'o':
			all.origin = optarg;
			break;
		case 'c':
			bad = number_option ("load", "--clients", optarg, 1, MOST_CLIENTS,
					     &clients);
			break;
		case 'a':
			bad = number_option ("load", "--add-every", optarg, 0, 1000000,
					     &all.add_every);
			break;
		case 'm':
			bad = number_option ("load", "--most", optarg, 1, MOST_CLIENTS, &all.most);
			break;
		case 'n':
			bad = number_option ("load", "--requests", optarg, 0, 1000000000,
					     &all.requests);
			break;
		case 'h':
			fputs (usage, stdout);
			return 0;
		default:
			bad = -1;
		}
	if (!bad && (optind < argc || !all.proxy || !all.origin || strlen (all.origin) > 200)) {
		fprintf (stderr, "load: it needs --proxy and --origin, and nothing else\n");
		bad = -1;
	}
	if (bad) {
		fprintf (stderr, "Try load --help.\n");
		return 2;
	}
	all.most = all.most < clients ? clients : all.most;
	if (curl_global_init (CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		fprintf (stderr, "load: libcurl can't be used here\n");
		return 1;
	}
	return run (clients);
}
