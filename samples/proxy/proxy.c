/* SPDX-License-Identifier: MIT */
/*
 * proxy.c: an HTTP proxy that distills what it passes on, for clients behind a thin line: pictures
 * become smaller, pages become text. A thread for each connection; what is measured, and the knob,
 * are in distill.c; what is expected is in policy.yaml.
 *
 *     PP_POLICY=policy.yaml ./proxy --port 8080
 *     http_proxy=http://127.0.0.1:8080 curl http://ORIGIN/picture.jpg
 */
#include "distill.h"
#include "fetch.h"
#include "picture.h"
#include "server.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define PROBES 20
/* What the average may be, in times of what one picture takes that nobody is in the way of. */
#define PROBE_HEADROOM 10

static const char usage[] =
	"Usage: proxy [OPTION]...\n"
	"An HTTP proxy that makes pictures (JPEG) smaller and text of pages (HTML).\n"
	"\n"
	"  -p, --port=N         listens on this port of 127.0.0.1 (default 0: one that is free)\n"
	"  -d, --distillers=N   so many threads may distill at the same time (default 1)\n"
	"      --probe          only print which limit of i1's average suits this machine "
	"(limit_ms)\n"
	"  -h, --help           this text\n"
	"\n"
	"Prints \"listening on 127.0.0.1:PORT\", and runs until SIGTERM or SIGINT. Measured and "
	"steered\n"
	"by a policy: PP_POLICY=policy.yaml proxy\n";

/* ---- one request ----------------------------------------------------------------------------- */

/* What a connection's thread gathers for the origin. */
struct forwarded {
	struct curl_slist *headers;
	int failed;
};

static enum MHD_Result forward_header (void *arg, enum MHD_ValueKind kind, const char *name,
				       const char *value)
{
	/* what is distilled must come whole, and as it is */
	static const char *const kept[] = {"Host",          "Accept-Encoding",  "Range",
					   "If-Range",      "Content-Length",   "Expect",
					   "If-None-Match", "If-Modified-Since"};
	struct forwarded *f = arg;
	struct curl_slist *more;
	char *line;

	(void) kind;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (strcasecmp (name, kept[i]) == 0)
			return MHD_YES;
	if (is_hop_by_hop (name) || !value)
		return MHD_YES;
	/* to libcurl "Name:" means to leave it out, "Name;" is one without a value */
	if (asprintf (&line, *value ? "%s: %s" : "%s;%s", name, value) < 0) {
		f->failed = 1;
		return MHD_NO;
	}
	more = curl_slist_append (f->headers, line);
	free (line);
	f->failed = !more;
	f->headers = more ? more : f->headers;
	return more ? MHD_YES : MHD_NO;
}

/* The header's name is cut off its line. */
static void add_header (struct MHD_Response *response, char *line)
{
	char *value = strchr (line, ':');

	*value = '\0';
	value += 1 + strspn (value + 1, " \t");
	MHD_add_response_header (response, line, value);
	value[-1] = ' ';
}

static int is_validator (const char *line)
{
	return strncasecmp (line, "ETag:", 5) == 0 || strncasecmp (line, "Content-MD5:", 12) == 0 ||
	       strncasecmp (line, "Accept-Ranges:", 14) == 0;
}

static enum MHD_Result pass_on (struct MHD_Connection *connection, struct answer *answer)
{
	enum content content = answer->status == 200 && !answer->no_transform
				       ? content_of (answer->media_type)
				       : CONTENT_OTHER;
	struct bytes less = {NULL, 0, 0};
	int distilled = content != CONTENT_OTHER && distill (content, &answer->body, &less) == 0;
	struct bytes *body = distilled ? &less : &answer->body;
	struct MHD_Response *response =
		MHD_create_response_from_buffer (body->used, body->data, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result done;

	if (!response) {
		bytes_free (&less);
		return MHD_NO;
	}
	*body = (struct bytes){NULL, 0, 0};
	for (struct curl_slist *h = answer->headers; h; h = h->next)
		if (!distilled || !is_validator (h->data))
			add_header (response, h->data);
	if (distilled && content == CONTENT_HTML)
		MHD_add_response_header (response, "Content-Type", "text/plain; charset=utf-8");
	else if (answer->media_type)
		MHD_add_response_header (response, "Content-Type", answer->media_type);
	if (distilled)
		MHD_add_response_header (response, "Warning",
					 "214 ppgcc-proxy \"Transformation Applied\"");
	MHD_add_response_header (response, "Via", "1.1 ppgcc-proxy");
	done = MHD_queue_response (connection, (unsigned) answer->status, response);
	MHD_destroy_response (response);
	return done;
}

static enum MHD_Result serve (struct MHD_Connection *connection, const char *method,
			      const char *uri)
{
	struct forwarded forwarded = {NULL, 0};
	struct answer answer;
	char why[CURL_ERROR_SIZE];
	enum MHD_Result done;

	if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
		return server_say (connection, MHD_HTTP_NOT_IMPLEMENTED,
				   "This proxy knows GET and HEAD.\n");
	if (strncasecmp (uri, "http://", 7) != 0)
		return server_say (connection, MHD_HTTP_BAD_REQUEST,
				   "This is a proxy: ask it for http://HOST/PATH.\n");
	MHD_get_connection_values (connection, MHD_HEADER_KIND, forward_header, &forwarded);
	if (forwarded.failed || fetch (uri, forwarded.headers, &answer, why) != 0) {
		done = server_say (connection, MHD_HTTP_BAD_GATEWAY,
				   "The origin gives no answer: %s.\n",
				   forwarded.failed ? "no memory" : why);
	} else {
		done = pass_on (connection, &answer);
		answer_free (&answer);
	}
	curl_slist_free_all (forwarded.headers);
	return done;
}

/* ---- the program ----------------------------------------------------------------------------- */

static double now_ms (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static int probe (void)
{
	struct bytes picture = {NULL, 0, 0}, less;
	double ms;

	if (picture_draw (SERVER_WIDTH, SERVER_HEIGHT, 0, &picture) != 0)
		return 1;
	ms = now_ms ();
	for (int i = 0; i < PROBES; i++) {
		if (picture_distill (&picture, DETAIL_MOST, &less) != 0)
			return 1;
		bytes_free (&less);
	}
	ms = (now_ms () - ms) / PROBES;
	bytes_free (&picture);
	printf ("limit_ms %d\n", (int) (PROBE_HEADROOM * ms) + 1);
	return 0;
}

int main (int argc, char **argv)
{
	static const struct option known[] = {{"port", required_argument, NULL, 'p'},
					      {"distillers", required_argument, NULL, 'd'},
					      {"probe", no_argument, NULL, 'P'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int port = 0, distillers = 1, option, bad = 0;

	while (!bad && (option = getopt_long (argc, argv, "p:d:h", known, NULL)) != -1)
		switch (option) {
		case 'p':
			bad = number_option ("proxy", "--port", optarg, 0, 65535, &port);
			break;
		case 'd':
			bad = number_option ("proxy", "--distillers", optarg, 1, 1024, &distillers);
			break;
		case 'P':
			return probe ();
		case 'h':
			fputs (usage, stdout);
			return 0;
		default:
			bad = -1;
		}
	if (bad || optind < argc) {
		fprintf (stderr, "Try proxy --help.\n");
		return 2;
	}
	if (fetch_init () != 0) {
		fprintf (stderr, "proxy: libcurl can't be used here\n");
		return 1;
	}
	distill_init (distillers);
	return server_run ("proxy", port, serve);
}
