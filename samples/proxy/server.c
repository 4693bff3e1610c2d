/* SPDX-License-Identifier: MIT */
/* server.c: see server.h. */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS_MOST 512u
#define IDLE_S 60u

/* A request, from its first line on. */
struct request {
	bool seen; /* its headers: the next call is for the answer */
	char uri[];
};

/* libmicrohttpd cuts the URI into pieces afterwards. */
static void *begin_request (void *arg, const char *uri, struct MHD_Connection *connection)
{
	size_t n = strlen (uri);
	struct request *request = malloc (sizeof *request + n + 1);

	(void) arg;
	(void) connection;
	if (request) {
		request->seen = false;
		memcpy (request->uri, uri, n + 1);
	}
	return request;
}

static void end_request (void *arg, struct MHD_Connection *connection, void **request,
			 enum MHD_RequestTerminationCode why)
{
	(void) arg;
	(void) connection;
	(void) why;
	free (*request);
	*request = NULL;
}

static enum MHD_Result on_request (void *arg, struct MHD_Connection *connection, const char *path,
				   const char *method, const char *version, const char *data,
				   size_t *bytes, void **context)
{
	server_serve *const *serve = arg;
	struct request *request = *context;

	(void) path;
	(void) version;
	(void) data;
	if (!request)
		return MHD_NO;
	if (!request->seen) {
		request->seen = true;
		return MHD_YES;
	}
	if (*bytes) { /* a body that nobody asked for */
		*bytes = 0;
		return MHD_YES;
	}
	return (*serve) (connection, method, request->uri);
}

enum MHD_Result server_say (struct MHD_Connection *connection, unsigned status, const char *format,
			    ...)
{
	char text[512];
	struct MHD_Response *response;
	enum MHD_Result done;
	va_list ap;

	va_start (ap, format);
	vsnprintf (text, sizeof text, format, ap);
	va_end (ap);
	response = MHD_create_response_from_buffer (strlen (text), text, MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	MHD_add_response_header (response, "Content-Type", "text/plain; charset=utf-8");
	done = MHD_queue_response (connection, status, response);
	MHD_destroy_response (response);
	return done;
}

int server_run (const char *program, int port, server_serve *serve)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons ((uint16_t) port),
				      .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
	struct MHD_Daemon *daemon;
	sigset_t ends;
	int signal;

	/* all threads inherit it: the signals are sigwait's */
	sigemptyset (&ends);
	sigaddset (&ends, SIGTERM);
	sigaddset (&ends, SIGINT);
	pthread_sigmask (SIG_BLOCK, &ends, NULL);
	daemon = MHD_start_daemon (
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0,
		NULL, NULL, on_request, &serve, MHD_OPTION_SOCK_ADDR, &address,
		MHD_OPTION_URI_LOG_CALLBACK, begin_request, NULL, MHD_OPTION_NOTIFY_COMPLETED,
		end_request, NULL, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
	if (!daemon) {
		fprintf (stderr, "%s: can't listen on port %d of 127.0.0.1: %s\n", program, port,
			 strerror (errno));
		return 1;
	}
	printf ("listening on 127.0.0.1:%d\n",
		(int) MHD_get_daemon_info (daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
	fflush (stdout);
	sigwait (&ends, &signal);
	MHD_stop_daemon (daemon);
	return 0;
}
