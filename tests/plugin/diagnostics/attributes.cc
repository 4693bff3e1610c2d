// SPDX-License-Identifier: MIT
// Mistakes in pp::interval and pp::ignore, in C++.
/* flags: -std=c++20 */
#include <coroutine>
struct [[pp::interval ("a")]] type {
	[[pp::ignore]] int member;
	[[pp::interval ("")]] void empty ();
	[[pp::interval ("fine")]] constexpr int fine () const
	{
		return 1;
	}
};
[[pp::interval ("a")]] consteval int never ()
{
	return 1;
}
[[pp::interval ("a"), pp::ignore]] void both ()
{
}
template <typename T> [[pp::interval (3)]] T number (T x)
{
	return x;
}
[[pp::interval]] void no_name ()
{
}
[[pp::intervall ("a")]] void misspelt ()
{
}
void on_type () [[pp::interval ("a")]];

struct task {
	struct promise_type {
		task get_return_object ()
		{
			return {};
		}
		std::suspend_never initial_suspend ()
		{
			return {};
		}
		std::suspend_never final_suspend () noexcept
		{
			return {};
		}
		void return_void ()
		{
		}
		void unhandled_exception ()
		{
		}
	};
};
[[pp::interval ("a")]] task coroutine ()
{
	co_return;
}
/*
expect: 5:31: warning: 'interval' attribute does not apply to types [-Wattributes]
expect: 6:28: error: 'pp_ignore' belongs to functions, 'member' is none
expect: 7:36: error: the name of an interval must not be empty
expect: 13:38: error: 'pp_interval' on 'consteval int never()', which is never executed: it is 'consteval'
expect: 17:47: warning: ignoring attribute 'ignore' because it conflicts with attribute 'pp_interval' [-Wattributes]
expect: 20:46: error: the first argument of 'pp_interval' must be a string that names the interval
expect: 24:32: error: wrong number of arguments specified for 'interval' attribute
expect: 24:32: note: expected between 1 and 3, found 0
expect: 27:40: warning: 'pp::intervall' scoped attribute directive ignored [-Wattributes]
expect: 30:38: warning: 'interval' attribute does not apply to types [-Wattributes]
expect: 54:29: error: 'task coroutine()' cannot be an interval: it is a coroutine, whose body runs in parts
*/
