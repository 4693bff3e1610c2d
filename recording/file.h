/* SPDX-License-Identifier: MIT */
/*
 * file.h: names files that are recorded to, and puts files in place: whole, mode 0600, beside what
 * is there and then in its stead. Nothing is ever written through a link, to a device or into
 * somebody else's file, also where others change the directory meanwhile. Needs nothing of the
 * runtime. Ordinary context; errno is lost.
 */
#ifndef PPI_RECORDING_FILE_H
#define PPI_RECORDING_FILE_H

#include <limits.h>
#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* What may stand where a file is put. Directories, devices, pipes and sockets never may. */
enum ppi_replace {
	PPI_REPLACE_NOTHING,
	/* a recording, a regular file of this user that its owner may write */
	PPI_REPLACE_RECORDING,
	PPI_REPLACE_FILE, /* any regular file of this user that its owner may write */
	PPI_REPLACE_ANY,  /* also others' files and links, as far as the directory permits */
};

/* The directory that a path led to when it was first used; all 0: any will do. */
struct ppi_directory {
	dev_t device;
	ino_t inode;
};

/*
 * What is wrong with the letters after % in PATTERN: "" or a sentence about them. %p is the process
 * id, %h the host's name, %t the time, %x the program, %% a percent sign; %n, the least number from
 * 1 that makes a new name, only where NUMBERED.
 */
const char *ppi_path_problem (const char *pattern, bool numbered, char *out, size_t room);
/* Does PATTERN have the letter, behind a %? */
bool ppi_path_has (const char *pattern, char letter);
/*
 * PATTERN as a path of now, absolute, since the program may change its directory; false: too long.
 */
bool ppi_path_expand (const char *pattern, unsigned number, char *out, size_t room);

/*
 * May a file be put at PATH? PP_OK; PP_EEXIST: not with WHAT, but with PPI_REPLACE_ANY; PP_ENOENT:
 * there is no such directory; PP_EIO: not at all. WHY says why not, as "it is …". DIRECTORY, if not
 * NULL, becomes that of PATH, or is compared with it.
 */
int ppi_file_check (const char *path, enum ppi_replace what, struct ppi_directory *directory,
		    char *why, size_t room);
/* A file that is made beside its place. */
struct ppi_new_file {
	int fd;        /* for who writes it; -1: none */
	int directory; /* where it is */
	char name[32]; /* there */
	char place[NAME_MAX + 1];
	struct stat seen; /* what was in its place; st_mode 0: nothing */
	struct stat own;
};

/*
 * The same, and begins a file that is to be put there, mode 0600; then ppi_file_commit puts it in
 * place, or ppi_file_abandon removes it. Both close all but FILE->fd after a commit, which is the
 * caller's then.
 */
int ppi_file_begin (const char *path, enum ppi_replace what, struct ppi_directory *directory,
		    struct ppi_new_file *file, char *why, size_t room);
int ppi_file_commit (struct ppi_new_file *file, char *why, size_t room);
void ppi_file_abandon (struct ppi_new_file *file);
/*
 * A descriptor of the file at PATH for writing, if that is still the one that OWN says. -ENOENT:
 * nothing is there any more; -ESTALE: something else is; else a negative errno, with WHY, which may
 * pass.
 */
int ppi_file_reopen (const char *path, struct ppi_directory *directory, const struct stat *own,
		     char *why, size_t room);

/* The same, and puts a file of BYTES at DATA there. */
int ppi_file_put (const char *path, enum ppi_replace what, struct ppi_directory *directory,
		  const void *data, size_t bytes, char *why, size_t room);

#endif
