/* SPDX-License-Identifier: MIT */
/* fetch.h: what the origin says, by libcurl; each thread keeps its connections. */
#ifndef FETCH_H
#define FETCH_H

#include "bytes.h"

#include <curl/curl.h>

#define BODY_MOST (64u << 20)
#define HEADERS_MOST (1u << 20)

struct answer {
	long status;
	struct curl_slist *headers; /* "Name: value" of those that go from end to end */
	char *media_type;           /* of Content-Type, or NULL */
	int no_transform;           /* it may not be changed on its way */
	struct bytes body;
	size_t header_bytes;
};

/* Once, before any thread. -1: libcurl can't be used. */
int fetch_init (void);

/*
 * Gets URI with the request's HEADERS. 0: *ANSWER is the caller's, for answer_free; -1: WHY, of
 * CURL_ERROR_SIZE, says why there is none.
 */
int fetch (const char *uri, struct curl_slist *headers, struct answer *answer, char *why);
void answer_free (struct answer *answer);

/*
 * Is a header, up to its ':', between two neighbours only (RFC 9110, 7.6.1), so that a proxy keeps
 * it to itself?
 */
int is_hop_by_hop (const char *header);

#endif
