/* SPDX-License-Identifier: MIT */
/* door.h: whether other processes of the user may ask this one for something. */
#ifndef PPI_LIBPP_DOOR_H
#define PPI_LIBPP_DOOR_H

/* Opens the door where PP_CONTROL=1 or ppctl run asks for it. At the start of the program. */
void ppi_door_ask (void);

#endif
