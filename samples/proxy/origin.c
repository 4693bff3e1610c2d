/* SPDX-License-Identifier: MIT */
/*
 * origin.c: a web server for the proxy to ask: http://HOST/pictures/0.jpg to 7.jpg,
 * http://HOST/pages/0.html to 7.html.
 */
#include "picture.h"
#include "server.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THINGS 8
#define PARAGRAPHS 200

static struct bytes pictures[THINGS], pages[THINGS];

static const char usage[] =
	"Usage: origin [OPTION]...\n"
	"A web server with eight pictures and eight pages: /pictures/0.jpg ... /pictures/7.jpg, "
	"/pages/0.html ...\n"
	"\n"
	"  -p, --port=N   listens on this port of 127.0.0.1 (default 0: one that is free)\n"
	"  -h, --help     this text\n"
	"\n"
	"Prints \"listening on 127.0.0.1:PORT\", and runs until SIGTERM or SIGINT.\n";

static int write_page (int number, struct bytes *page)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);

	if (!out)
		return -1;
	fprintf (
		out,
		"<html><head><title>Page %d</title><style>p { margin: 1em }</style></head><body>\n",
		number);
	for (int i = 0; i < PARAGRAPHS; i++)
		fprintf (out,
			 "<h2>Section %d</h2>\n<p class=\"text\">What <b>%d</b> paragraphs say "
			 "&amp; mean, this one "
			 "says\n<a href=\"/pages/%d.html\">in a link</a>: %d &lt; %d.</p>\n",
			 i, PARAGRAPHS, (number + i) % THINGS, i, i + 1);
	fputs ("</body></html>\n", out);
	if (fclose (out) != 0)
		return -1;
	*page = (struct bytes){(unsigned char *) text, bytes, bytes};
	return 0;
}

static enum MHD_Result give (struct MHD_Connection *connection, const struct bytes *thing,
			     const char *media_type)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer (thing->used, thing->data, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result done;

	if (!response)
		return MHD_NO;
	MHD_add_response_header (response, "Content-Type", media_type);
	done = MHD_queue_response (connection, MHD_HTTP_OK, response);
	MHD_destroy_response (response);
	return done;
}

static enum MHD_Result serve (struct MHD_Connection *connection, const char *method,
			      const char *uri)
{
	int number = 0, used = 0;

	if (strcmp (method, "GET") != 0 && strcmp (method, "HEAD") != 0)
		return server_say (connection, MHD_HTTP_NOT_IMPLEMENTED, "Only GET and HEAD.\n");
	if (sscanf (uri, "/pictures/%1d.jpg%n", &number, &used) == 1 && used && !uri[used] &&
	    number >= 0 && number < THINGS)
		return give (connection, &pictures[number], "image/jpeg");
	if (sscanf (uri, "/pages/%1d.html%n", &number, &used) == 1 && used && !uri[used] &&
	    number >= 0 && number < THINGS)
		return give (connection, &pages[number], "text/html; charset=utf-8");
	return server_say (connection, MHD_HTTP_NOT_FOUND, "There is no %s here.\n", uri);
}

int main (int argc, char **argv)
{
	static const struct option known[] = {{"port", required_argument, NULL, 'p'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int port = 0, option, bad = 0;

	while (!bad && (option = getopt_long (argc, argv, "p:h", known, NULL)) != -1)
		switch (option) {
		case 'p':
			bad = number_option ("origin", "--port", optarg, 0, 65535, &port);
			break;
		case 'h':
			fputs (usage, stdout);
			return 0;
		default:
			bad = -1;
		}
	if (bad || optind < argc) {
		fprintf (stderr, "Try origin --help.\n");
		return 2;
	}
	for (int i = 0; i < THINGS; i++)
		if (picture_draw (SERVER_WIDTH, SERVER_HEIGHT, i, &pictures[i]) != 0 ||
		    write_page (i, &pages[i]) != 0) {
			fprintf (stderr, "origin: no memory\n");
			return 1;
		}
	return server_run ("origin", port, serve);
}
