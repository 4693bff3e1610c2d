/* SPDX-License-Identifier: MIT */
/*
 * pp.h: performance as a property of the program.
 *
 *     #include <pp.h>
 *
 *     #pragma pp metric handling interval stats(elapsed)
 *
 *     void serve (struct request *r)
 *     {
 *     #pragma pp interval serve(handling)      // from here to the end of the block, on every way
 *                                              out
 *             handle (r);
 *     }
 *     ...
 *     printf ("%g s on average\n", pp_avg (handling));
 *
 * Compiled with gcc -fplugin=ppgcc.so and linked with `pkg-config --libs pp`. An interval or point
 * that nothing is bound to is a NOP. The macros PP_METRIC, PP_INTERVAL, ... are the same forms for
 * sources that must also build without the plugin: there they are nothing, and statistics are NaN.
 *
 * Its parts, by subject: pp_types.h, pp_metric.h, pp_site.h, pp_event.h, pp_policy.h, pp_knob.h,
 * pp_report.h, pp_profile.h, pp_records.h, pp_pragmas.h.
 *
 * Conventions, unless a declaration says otherwise:
 *  - Functions return 0 or a negative enum pp_error; results come through out-parameters. errno is
 *  left as it was. - Statistics return a double in seconds, bytes or plain counts, and NaN while
 *  there is no sample. - Every function may be called from any thread, and none from a signal
 *  handler. After fork the child starts with
 *    empty data of its own; what it calls works.
 *  - Strings that go in are copied; strings that come out live as long as the object they name.
 *  - Nothing here ends the program, throws, or blocks longer than a short internal lock, or 2 ms in
 *  which a statistic waits for
 *    a thread that lost its processor in the middle of a sample.
 */
#ifndef PP_H
#define PP_H

#include <pp_types.h>

#include <pp_event.h>
#include <pp_knob.h>
#include <pp_metric.h>
#include <pp_policy.h>
#include <pp_pragmas.h>
#include <pp_profile.h>
#include <pp_records.h>
#include <pp_report.h>
#include <pp_site.h>

#endif
