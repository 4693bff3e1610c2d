/* SPDX-License-Identifier: MIT */
/* Mistakes in pp_interval and pp_ignore, in C: "expect: LINE:COLUMN: KIND: text" at the end of the file. */
#pragma pp metric for_points point count(count)
#pragma pp metric for_intervals interval count(count)
__attribute__ ((pp_interval ("fine", "for_intervals, elsewhere", "g"))) void fine (void);
__attribute__ ((pp_interval ("fine", "for_intervals, elsewhere", "g"))) void fine (void) {}
__attribute__ ((pp_ignore)) void also_fine (void) {}
__attribute__ ((__pp_ignore__)) void again_fine (void) {}
__attribute__ ((pp_interval ("x"))) int variable;
__attribute__ ((pp_ignore)) int another;
__attribute__ ((pp_interval)) void no_name (void) {}
__attribute__ ((pp_interval (""))) void empty_name (void) {}
__attribute__ ((pp_interval (3))) void number (void) {}
__attribute__ ((pp_interval (L"wide"))) void wide (void) {}
__attribute__ ((pp_interval ("a/b"))) void slash (void) {}
__attribute__ ((pp_interval ("a", "for_points"))) void wrong_kind (void) {}
__attribute__ ((pp_interval ("a", "m n"))) void joined (void) {}
__attribute__ ((pp_interval ("a", "m,,n"))) void empty_metric (void) {}
__attribute__ ((pp_interval ("a", "m-n"))) void no_metric (void) {}
__attribute__ ((pp_interval ("a", "", "7"))) void no_group (void) {}
__attribute__ ((pp_interval ("a", "", "g", "more"))) void too_many (void) {}
__attribute__ ((pp_ignore ("a"))) void ignores_argument (void) {}
__attribute__ ((pp_interval ("a"), pp_interval ("b"))) void twice (void) {}
__attribute__ ((pp_interval ("a"))) void differs (void);
__attribute__ ((pp_interval ("b"))) void differs (void) {}
__attribute__ ((pp_interval ("a"), pp_ignore)) void both (void) {}
__attribute__ ((naked, pp_interval ("a"))) void naked (void) {}
__attribute__ ((pp_interval ("a"))) void *leaves_by_builtin (void *p) { __builtin_return (p); }
struct __attribute__ ((pp_interval ("a"))) type {
	int x;
};
/*
expect: 9:41: error: 'pp_interval' belongs to functions, 'variable' is none
expect: 10:33: error: 'pp_ignore' belongs to functions, 'another' is none
expect: 11:1: error: wrong number of arguments specified for 'pp_interval' attribute
expect: 11:1: note: expected between 1 and 3, found 0
expect: 12:41: error: the name of an interval must not be empty
expect: 13:40: error: the first argument of 'pp_interval' must be a string that names the interval
expect: 14:46: error: the first argument of 'pp_interval' must be a string that names the interval
expect: 15:44: error: the name 'a/b' of an interval must not contain '/'
expect: 16:56: error: 'for_points' is a metric for points, it cannot be measured at an interval
expect: 3:19: note: declared here
expect: 17:49: error: 'm n' among the metrics of 'pp_interval' is no name
expect: 18:50: error: '' among the metrics of 'pp_interval' is no name
expect: 19:49: error: 'm-n' among the metrics of 'pp_interval' is no name
expect: 20:51: error: '7' among the groups of 'pp_interval' is no name
expect: 21:1: error: wrong number of arguments specified for 'pp_interval' attribute
expect: 21:1: note: expected between 1 and 3, found 4
expect: 22:1: error: wrong number of arguments specified for 'pp_ignore' attribute
expect: 22:1: note: expected between 0 and 0, found 1
expect: 23:61: error: 'twice' is interval 'a' already, it cannot be 'b' too
expect: 26:1: warning: ignoring attribute 'pp_ignore' because it conflicts with attribute 'pp_interval' [-Wattributes]
expect: 31:1: warning: 'pp_interval' attribute does not apply to types [-Wattributes]
expect: 25:42: error: 'differs' is declared as interval 'a' and as interval 'b'
expect: 27:49: error: 'naked' cannot be an interval: it is naked
expect: 28:43: error: 'leaves_by_builtin' cannot be an interval: it returns by __builtin_return
*/
