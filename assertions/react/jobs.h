/* SPDX-License-Identifier: MIT */
/* jobs.h: what may be slow and is done by the owner of the tick, without the lock. */
#ifndef PPI_JOBS_H
#define PPI_JOBS_H

#include <stdbool.h>

enum ppi_job_kind { PPI_JOB_FILE, PPI_JOB_SYSLOG, PPI_JOB_REPORT, PPI_JOB_SIGNAL };

/*
 * [lock] PATH and TEXT are copied and may be NULL; %p in PATH is the process id. NUMBER: of syslog
 * the priority, of signals the signal; THREAD: the thread it is for, 0: the process. False: it is
 * dropped and counted, too many wait.
 */
bool ppi_job_add (enum ppi_job_kind kind, const char *path, const char *text, int number,
		  int thread);

#endif
