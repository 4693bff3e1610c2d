/* SPDX-License-Identifier: MIT */
/*
 * pp_pragmas.h: the pragmas as macros, for sources that must also build without the plugin. Part of
 * <pp.h>: include that.
 */
#ifndef PP_PRAGMAS_H
#define PP_PRAGMAS_H

#include <pp_types.h>

/*
 * At file scope:
 *
 *   PP_METRIC (NAME, interval, stats(elapsed))
 *
 * In functions, without a semicolon; METRICs may be left out:
 *
 *   PP_POINT (NAME, METRIC, ...)                       a point
 *   PP_POINT_VALUE (NAME, EXPR, METRIC, ...)           ... that captures EXPR
 *   PP_POINT_DIM (NAME, KEY=EXPR, ...)                 ... with dimensions
 *   PP_INTERVAL (NAME, METRIC, ...)                    an interval, to the end of the block
 *   PP_INTERVAL_DIM (NAME, KEY=EXPR, ...)              ... with dimensions
 *   PP_DIM_HERE (KEY=EXPR, ...)                        more dimensions of the interval that this
 *                                                      stands in, which are known only now
 *   PP_POINT_FENCE (NAME, METRIC, ...)                 ... that the compiler moves no work of
 *                                                      memory across
 *   PP_INTERVAL_FENCE (NAME, METRIC, ...)
 *   PP_INTERVAL_INLINE (NAME, METRIC, ...)             ... that calls its metrics' functions in the
 *                                                      code itself
 *   PP_FEATURE (NAME)  PP_FEATURE_PAYLOAD (NAME, EXPR) the rest of the block is an instance of
 *                      feature NAME
 *   PP_FEATURE_DIM (NAME, KEY=EXPR, ...)               ... that these dimensions tell apart
 *   PP_ANTIMARK (NAME)                                 ... and user code inside it
 *   PP_SAMPLE_BEGIN (METRIC, ARG, ...)                 measuring with functions that take arguments
 *   PP_SAMPLE_END (METRIC, ARG, ...)
 *   PP_BIND (METRIC, SITE)  PP_UNBIND (METRIC, SITE)
 *   PP_EXPECT (NAME, EXPRESSION)
 *   PP_EXPECT_WITH (NAME, CLAUSES, EXPRESSION)         ... with clauses: for (3) clear (5) cooldown
 *                                                      ("2s"), times in quotes
 *
 * Before a function's declaration:
 *
 *   PP_INTERVAL_FUNCTION ("NAME")                      its whole body is an interval; more strings
 *                                                      may follow: "METRIC, ..." and "GROUP, ..."
 *   PP_IGNORE                                          never instrument this function from outside
 *
 * Without the plugin they are nothing, and EXPR is not computed.
 */
#ifdef __PPGCC__
#define PP_PRAGMA_(...) _Pragma (#__VA_ARGS__)
#define PP_METRIC(NAME, KIND, ...) PP_PRAGMA_ (pp metric NAME KIND __VA_ARGS__)
#define PP_POINT(...) PP_PRAGMA_ (pp point : __VA_ARGS__)
#define PP_POINT_VALUE(NAME, ...) PP_PRAGMA_ (pp point : NAME = __VA_ARGS__)
#define PP_POINT_DIM(NAME, ...) PP_PRAGMA_ (pp point NAME dim (__VA_ARGS__))
#define PP_INTERVAL(...) PP_PRAGMA_ (pp interval : __VA_ARGS__)
#define PP_INTERVAL_DIM(NAME, ...) PP_PRAGMA_ (pp interval NAME dim (__VA_ARGS__))
#define PP_DIM_HERE(...) PP_PRAGMA_ (pp dim (__VA_ARGS__))
#define PP_POINT_FENCE(...) PP_PRAGMA_ (pp point : __VA_ARGS__ fence)
#define PP_INTERVAL_FENCE(...) PP_PRAGMA_ (pp interval : __VA_ARGS__ fence)
#define PP_INTERVAL_INLINE(NAME, ...) PP_PRAGMA_ (pp interval NAME (__VA_ARGS__) inline)
#define PP_FEATURE(NAME) PP_PRAGMA_ (pp feature NAME)
#define PP_FEATURE_PAYLOAD(NAME, EXPR) PP_PRAGMA_ (pp feature NAME payload (EXPR))
#define PP_FEATURE_DIM(NAME, ...) PP_PRAGMA_ (pp feature NAME dim (__VA_ARGS__))
#define PP_ANTIMARK(NAME) PP_PRAGMA_ (pp antimark NAME)
#define PP_SAMPLE_BEGIN(...) PP_PRAGMA_ (pp sample_begin : __VA_ARGS__)
#define PP_SAMPLE_END(...) PP_PRAGMA_ (pp sample_end : __VA_ARGS__)
#define PP_BIND(METRIC, SITE) PP_PRAGMA_ (pp bind METRIC to SITE)
#define PP_UNBIND(METRIC, SITE) PP_PRAGMA_ (pp unbind METRIC from SITE)
#define PP_EXPECT(NAME, ...) PP_PRAGMA_ (pp expect NAME : #__VA_ARGS__)
#define PP_EXPECT_WITH(NAME, CLAUSES, ...) PP_PRAGMA_ (pp expect NAME : #__VA_ARGS__ CLAUSES)
#define PP_INTERVAL_FUNCTION(...) __attribute__ ((pp_interval (__VA_ARGS__)))
#define PP_IGNORE __attribute__ ((pp_ignore))
#else
/* Uses the variables in EXPR, so that no compiler says they are unused, and computes nothing. */
#define PP_UNUSED_(...) PP_UNUSED_FIRST_ (__VA_ARGS__, 0)
#define PP_UNUSED_FIRST_(EXPR, ...) (void) sizeof (1 ? (EXPR) : (EXPR));
int pp_unused_ (int, ...); /* only ever in sizeof */
#define PP_METRIC(NAME, KIND, ...) __attribute__ ((unused)) static pp_metric *const NAME = 0;
#define PP_POINT(...)
#define PP_POINT_VALUE(NAME, ...) PP_UNUSED_ (__VA_ARGS__)
#define PP_POINT_DIM(NAME, ...)
#define PP_INTERVAL(...)
#define PP_INTERVAL_DIM(NAME, ...)
#define PP_DIM_HERE(...)
#define PP_POINT_FENCE(...)
#define PP_INTERVAL_FENCE(...)
#define PP_INTERVAL_INLINE(NAME, ...)
#define PP_FEATURE(NAME)
#define PP_FEATURE_PAYLOAD(NAME, EXPR) PP_UNUSED_ (EXPR)
#define PP_FEATURE_DIM(NAME, ...)
#define PP_ANTIMARK(NAME)
#define PP_SAMPLE_BEGIN(...) PP_UNUSED_REST_ (__VA_ARGS__, 0)
#define PP_SAMPLE_END(...) PP_UNUSED_REST_ (__VA_ARGS__, 0)
#define PP_UNUSED_REST_(METRIC, ...) (void) sizeof (pp_unused_ (0, __VA_ARGS__));
#define PP_BIND(METRIC, SITE)
#define PP_UNBIND(METRIC, SITE)
#define PP_EXPECT(NAME, ...)
#define PP_EXPECT_WITH(NAME, CLAUSES, ...)
#define PP_INTERVAL_FUNCTION(...)
#define PP_IGNORE
#endif

#endif
