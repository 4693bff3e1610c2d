/* SPDX-License-Identifier: MIT */
/* heap_module.c: an object that is loaded while heap metrics are in use (test_stdmetrics.c). */
#include <stdlib.h>

__attribute__ ((visibility ("default"))) void *heap_module_allocate (size_t bytes);
void *heap_module_allocate (size_t bytes)
{
	return malloc (bytes);
}
