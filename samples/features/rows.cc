/* SPDX-License-Identifier: MIT */
/*
 * rows.cc: features of C++ and its library, each used a known number of times a round: what
 * libstdcxx.yaml finds by itself, and what is marked here because no call of it is written in the
 * source: dynamic_cast, throw, copies that a parameter makes, calls of virtual functions.
 *
 *     rows ROUNDS; ppctl features rows.*.pprec
 */
#include <pp.h>

#include <algorithm>
#include <any>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace
{

struct shape {
	virtual ~shape () = default;
	virtual double area () const = 0;
};

struct square : shape {
	explicit square (double side_of_it) : side (side_of_it)
	{
	}
	double area () const override
	{
		PP_ANTIMARK (rows.dispatch) /* what the method does is the program's */
		return side * side;
	}
	double side;
};

/* A cast that is checked at run time. */
template <typename To> const To *checked_cast (const shape *from)
{
	PP_FEATURE (rows.casts)
	return dynamic_cast<const To *> (from);
}

/* The call through the table of methods, without the method. */
double area_of (const shape &one)
{
	PP_FEATURE (rows.dispatch)
	return one.area ();
}

/* A mark ends where the exception leaves its block: it has the making of the exception, and the search for its handler. */
[[noreturn]] void refuse (const char *why)
{
	PP_FEATURE (rows.exceptions)
	throw std::runtime_error (why);
}

struct picture {
	std::vector<int> pixels;
	std::string title;

	picture () : pixels (100, 1), title ("a picture whose title is no short one")
	{
	}
	picture (const picture &from) : pixels (), title ()
	{
		PP_FEATURE_PAYLOAD (rows.copies, "picture")
		pixels = from.pixels;
		title = from.title;
	}
	picture &operator= (const picture &) = default;
};

/* By value: who calls this may not know that all of it is copied. */
std::size_t size_of (picture one)
{
	return one.pixels.size ();
}

long casts (const shape *one, const std::variant<int, std::string> &variant, const std::any &any)
{
	long sum = checked_cast<square> (one) != nullptr;

	sum += std::holds_alternative<int> (variant);
	sum += std::get<int> (variant);
	sum += std::any_cast<int> (any);
	return sum;
}

long strings (const std::string &text)
{
	std::string longer = text;

	longer += text;
	return static_cast<long> (longer.find ("needle"));
}

long counts (const std::shared_ptr<picture> &one)
{
	std::shared_ptr<picture> other = one;

	return other.use_count ();
}

long sorted (std::vector<int> &numbers)
{
	std::sort (numbers.begin (), numbers.end ());
	return numbers.front ();
}

long locked (std::mutex &mutex, long value)
{
	std::lock_guard<std::mutex> guard (mutex);

	return value + 1;
}

long thrown (long value)
{
	try {
		if (value >= 0)
			refuse ("no");
	} catch (const std::runtime_error &) {
		return 1;
	}
	return 0;
}

long all (long rounds)
{
	static const std::regex words ("[a-z]+ ([a-z]+)");
	square one (2);
	std::variant<int, std::string> variant (3);
	std::any any (4);
	std::string text = "a haystack that has no such thing in it";
	std::shared_ptr<picture> shown = std::make_shared<picture> ();
	std::vector<int> numbers = {3, 1, 2};
	std::mutex mutex;
	std::ostringstream out;
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		sum += casts (&one, variant, any);
		sum += strings (text);
		sum += std::regex_search (text, words);
		sum += counts (shown);
		sum += static_cast<long> (size_of (*shown));
		sum += sorted (numbers);
		sum = locked (mutex, sum);
		sum += thrown (i);
		sum += static_cast<long> (area_of (one));
		sum += std::stoi (text.empty () ? text : "12");
		out << i << '\n';
		int *room = new int[static_cast<std::size_t> (i % 7) + 1];
		room[0] = 1;
		sum += room[0];
		delete[] room;
	}
	std::thread other ([&sum] { sum++; });
	other.join ();
	return sum + static_cast<long> (out.str ().size ());
}

} // namespace

int main (int argc, char **argv)
{
	std::printf ("%ld\n", all (argc > 1 ? std::atol (argv[1]) : 10000));
	return 0;
}
