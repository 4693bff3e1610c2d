/* SPDX-License-Identifier: MIT */
/*
 * server.h: what proxy and origin have in common: a server of libmicrohttpd's with a thread for
 * each connection, until a signal.
 */
#ifndef SERVER_H
#define SERVER_H

#include <microhttpd.h>

/* pictures of the origin, and the proxy's probe */
#define SERVER_WIDTH 640
#define SERVER_HEIGHT 480

/*
 * Answers one request: URI is as the client wrote it. In the thread of the connection. MHD_NO
 * closes it.
 */
typedef enum MHD_Result server_serve (struct MHD_Connection *connection, const char *method,
				      const char *uri);

/*
 * Listens on PORT of 127.0.0.1 (0: any), says so, and serves until SIGTERM or SIGINT. To be called
 * before there are other threads. The exit status.
 */
int server_run (const char *program, int port, server_serve *serve);

/* Answers with a line of text, printf-like. */
enum MHD_Result server_say (struct MHD_Connection *connection, unsigned status, const char *format,
			    ...) __attribute__ ((format (printf, 3, 4)));

#endif
