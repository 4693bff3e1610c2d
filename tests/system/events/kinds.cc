/* SPDX-License-Identifier: MIT */
/*
 * kinds.cc: what PP_DIM takes in C++ beside numbers: functions by their address, scoped
 * enumerations, volatile texts.
 */
#include <pp.h>

#include <atomic>
#include <vector>

enum class shade : unsigned char { dark, light = 3 };
enum class large : unsigned long { all = ~0ul };
enum plain { none, most = 7 };

static int function (int n)
{
	return n;
}

static int never_throws (int n) noexcept
{
	return n;
}

static bool is_at (pp_event_dim dim, const void *at)
{
	return dim.type == PP_ABI_VALUE_POINTER && dim.value == reinterpret_cast<uintptr_t> (at);
}

int main ()
{
	const volatile char *constant = "constant";
	volatile char text[] = "text";
	std::vector<bool> bits{true};
	std::atomic<bool> flag{true};
	int (*variadic) (const char *, ...) = nullptr;
	auto lambda = [] (int n) { return n; };
	const void *at = reinterpret_cast<const void *> (&function);
	bool addresses = is_at (PP_DIM ("f", function), at) &&
			 is_at (PP_DIM ("f", &function), at) &&
			 is_at (PP_DIM ("f", &never_throws),
				reinterpret_cast<const void *> (&never_throws)) &&
			 is_at (PP_DIM ("f", variadic), nullptr) &&
			 is_at (PP_DIM ("f", lambda), reinterpret_cast<const void *> (+lambda));
	int64_t id = pp_event_begin ("kinds", PP_DIM ("shade", shade::light),
				     PP_DIM ("large", large::all), PP_DIM ("plain", most),
				     PP_DIM ("bit", bits[0]), PP_DIM ("flag", flag));

	pp_dim ("late", shade::dark);
	pp_event_end (id, PP_DIM ("constant", constant), PP_DIM ("text", text),
		      PP_DIM ("addresses", addresses));
	return 0;
}
