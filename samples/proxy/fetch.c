/* SPDX-License-Identifier: MIT */
/* fetch.c: see fetch.h. */
#include "fetch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONNECT_S 10L
#define ALTOGETHER_S 60L

static pthread_key_t handle; /* a CURL of each thread */

static void forget_handle (void *curl)
{
	curl_easy_cleanup (curl);
}

int fetch_init (void)
{
	return curl_global_init (CURL_GLOBAL_DEFAULT) != CURLE_OK ||
			       pthread_key_create (&handle, forget_handle) != 0
		       ? -1
		       : 0;
}

static CURL *own_handle (void)
{
	CURL *curl = pthread_getspecific (handle);

	if (curl) {
		curl_easy_reset (curl);
		return curl;
	}
	curl = curl_easy_init ();
	if (curl && pthread_setspecific (handle, curl) != 0) {
		curl_easy_cleanup (curl);
		return NULL;
	}
	return curl;
}

static int is_called (const char *header, const char *name)
{
	size_t n = strlen (name);

	return strncasecmp (header, name, n) == 0 && (header[n] == ':' || header[n] == '\0');
}

int is_hop_by_hop (const char *header)
{
	static const char *const names[] = {"Connection",
					    "Keep-Alive",
					    "Proxy-Authenticate",
					    "Proxy-Authorization",
					    "Proxy-Connection",
					    "TE",
					    "Trailer",
					    "Transfer-Encoding",
					    "Upgrade"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_called (header, names[i]))
			return 1;
	return 0;
}

/* The value of a header line, without blanks around it; malloced, or NULL. */
static char *value_of (const char *line)
{
	const char *value = strchr (line, ':');
	size_t n;

	if (!value)
		return NULL;
	value += 1 + strspn (value + 1, " \t");
	n = strlen (value);
	while (n && strchr (" \t", value[n - 1]))
		n--;
	return strndup (value, n);
}

/* One line, without its end. -1: no memory. */
static int take_header (struct answer *answer, const char *line)
{
	struct curl_slist *more;

	if (strncmp (line, "HTTP/", 5) ==
	    0) { /* of the answer that counts: what came before was "100 Continue" */
		answer_free (answer);
		return 0;
	}
	if (!strchr (line, ':') || is_hop_by_hop (line) || is_called (line, "Content-Length"))
		return 0;
	if (is_called (line, "Content-Type")) {
		free (answer->media_type);
		answer->media_type = value_of (line);
		return answer->media_type ? 0 : -1;
	}
	if (is_called (line, "Cache-Control") && strcasestr (line, "no-transform"))
		answer->no_transform = 1;
	if (is_called (line, "Content-Encoding") || is_called (line, "Content-Range"))
		answer->no_transform = 1; /* not the thing itself */
	more = curl_slist_append (answer->headers, line);
	answer->headers = more ? more : answer->headers;
	return more ? 0 : -1;
}

static size_t on_header (char *data, size_t size, size_t n, void *arg)
{
	struct answer *answer = arg;
	char *line = strndup (data, size * n);
	int failed = !line || (answer->header_bytes += size * n) > HEADERS_MOST;

	if (!failed) {
		line[strcspn (line, "\r\n")] = '\0';
		failed = take_header (answer, line);
	}
	free (line);
	return failed ? 0 : size * n;
}

static size_t on_body (char *data, size_t size, size_t n, void *arg)
{
	struct answer *answer = arg;

	return bytes_add (&answer->body, data, size * n, BODY_MOST) == 0 ? size * n : 0;
}

int fetch (const char *uri, struct curl_slist *headers, struct answer *answer, char *why)
{
	CURL *curl = own_handle ();
	CURLcode code;

	*answer = (struct answer){.status = 0};
	snprintf (why, CURL_ERROR_SIZE, "no memory");
	if (!curl)
		return -1;
	curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, why);
	curl_easy_setopt (curl, CURLOPT_URL, uri);
	curl_easy_setopt (curl, CURLOPT_PROTOCOLS_STR, "http");
	curl_easy_setopt (curl, CURLOPT_PROXY, ""); /* not itself, whatever the environment says */
	curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt (curl, CURLOPT_TIMEOUT, ALTOGETHER_S);
	curl_easy_setopt (curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt (curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt (curl, CURLOPT_HEADERDATA, answer);
	curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt (curl, CURLOPT_WRITEDATA, answer);
	code = curl_easy_perform (curl);
	if (code != CURLE_OK && (code == CURLE_WRITE_ERROR || *why == '\0'))
		snprintf (why, CURL_ERROR_SIZE, "%s",
			  code == CURLE_WRITE_ERROR ? "its answer is too large"
						    : curl_easy_strerror (code));
	curl_easy_getinfo (curl, CURLINFO_RESPONSE_CODE, &answer->status);
	curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, NULL); /* it is the caller's */
	if (code != CURLE_OK)
		answer_free (answer);
	return code == CURLE_OK ? 0 : -1;
}

void answer_free (struct answer *answer)
{
	curl_slist_free_all (answer->headers);
	free (answer->media_type);
	bytes_free (&answer->body);
	*answer = (struct answer){.status = 0};
}
