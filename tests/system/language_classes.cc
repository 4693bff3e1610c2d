// SPDX-License-Identifier: MIT
//
// language_classes.cc: the forms of the language in C++: members, references, templates, lambdas,
// standard attributes, exceptions between a begin and its end.

#include "check.h"

#include <stdexcept>
#include <string>
#include <vector>

static int64_t counter_begin (int by);
static int64_t counter_end (const int64_t *begun, int by);

// clang-format off
#pragma pp metric values   point    stats(value)
#pragma pp metric ratios   point    stats(value)
#pragma pp metric words    point    count(value)
#pragma pp metric dim_size interval stats(dim:size)
#pragma pp metric dim_half interval stats(dim:half)
#pragma pp metric runs     interval count(count)
#pragma pp metric payloads interval stats(value)
#pragma pp metric counted  interval stats(counter_begin, counter_end)
// clang-format on

static int64_t total;

static int64_t counter_begin (int by)
{
	return total += by;
}

static int64_t counter_end (const int64_t *begun, int by)
{
	return (total += by) - *begun;
}

static int calls;

namespace shop
{

class cart
{
public:
	explicit cart (std::string owner) : owner_ (std::move (owner))
	{
#pragma pp interval made(runs)
		total_ = 0;
	}

	NOIPA ~cart ()
	{
#pragma pp interval gone(runs) dim(size = items_.size())
		items_.clear ();
	}

	NOIPA void add (const int &price)
	{
#pragma pp interval add(dim_size, dim_half) dim(size = items_.size(), half = price / 2.0)
#pragma pp point price(values) value(price)
#pragma pp point total(values) value(this->total_)
#pragma pp point owner(words) value(owner_.c_str())
#pragma pp point computed(values) value(sum())
		if (price < 0)
			throw std::invalid_argument ("price");
		items_.push_back (price);
		total_ += price;
	}

	NOIPA int sum () const
	{
		int s = 0;

		calls++;
		for (int item : items_)
			s += item;
		return s;
	}

private:
	std::string owner_;
	std::vector<int> items_;
	int total_ = 0;
};

template <typename T> NOIPA T twice (T x)
{
#pragma pp point twice value(x * 2)
#pragma pp interval body(runs)
	return x + x;
}

[[pp::interval ("checkout", "runs")]] NOIPA static int checkout (const cart &c)
{
	return c.sum ();
}

[[pp::ignore]] NOIPA static int ignored (int x)
{
	return x;
}

NOIPA static void scan (const std::vector<std::string> &names)
{
	auto each = [&] (const std::string &name, int index) {
#pragma pp feature scanning payload(name.size() + (size_t) index)
		total += index;
	};
	int index = 0;

	for (const std::string &name : names)
		each (name, index++);
}

NOIPA static void sampled (int by)
{
#pragma pp sample_begin counted(by)
	if (by > 3)
		throw by;
#pragma pp sample_end counted(1)
}

} // namespace shop

static void members ()
{
	{
		shop::cart cart ("somebody");

		for (int i = 1; i <= 10; i++)
			cart.add (i);
		try {
			cart.add (-1);
			ok (0, "unreachable");
		} catch (const std::invalid_argument &) {
		}
		same (pp_sum (dim_size), 55, "a dimension may call a member function of a member");
		same (pp_count (dim_size), 11, "an exception ends the interval");
		same (pp_sum (dim_half), 27, "a reference is what it refers to");
		pp_site *site = nullptr;
		pp_site_find ("shop::cart::add/price", &site);
		same (pp_stat (values, site, PP_STAT_SUM), 54, "captured values may be references");
		pp_site_find ("shop::cart::add/total", &site);
		same (pp_stat (values, site, PP_STAT_LAST), 55, "members by this");
		pp_site_find ("shop::cart::add/computed", &site);
		same (pp_stat (values, site, PP_STAT_LAST), 55, "member functions of one's own");
		same (pp_count (words), 11, "texts from member functions");
		same (calls, 11, "each called once");
		same (shop::checkout (cart), 55, "a standard attribute changes nothing");
		pp_site_find ("shop::checkout/checkout", &site);
		same (pp_stat (runs, site, PP_STAT_COUNT), 1,
		      "and makes an interval of the function");
		same (shop::ignored (3), 3, "as does the other");
	}
	pp_site *site = nullptr;
	ok (pp_site_find ("gone", &site) == PP_OK && pp_stat (runs, site, PP_STAT_COUNT) == 1,
	    "an interval in a destructor is measured");
	ok (pp_site_find ("made", &site) == PP_OK && pp_stat (runs, site, PP_STAT_COUNT) == 1,
	    "and one in a constructor");
	pp_unbind (values, "shop::cart::*/*");
	pp_unbind (words, "shop::cart::*/*");
	calls = 0;
	shop::cart other ("else");
	other.add (1);
	same (calls, 0, "member functions are not called while nothing is bound");
}

static void templates ()
{
	pp_site *site = nullptr;

	pp_reset (nullptr);
	ok (pp_bind (ratios, "shop::twice/twice", 0) == PP_EAMBIGUOUS,
	    "instances of a template whose values differ in type are different sites");
	for (int i = 0; i < 5; i++) {
		shop::twice (i);
		shop::twice (i + 0.5);
		shop::twice (i + 7L);
	}
	same (pp_count (runs), 15, "all instances have the metrics of the source");
	ok (pp_site_find ("shop::twice/body", &site) == PP_OK, "as one site where they are alike");
}

static void others ()
{
	pp_reset (nullptr);
	ok (pp_bind (payloads, "feature:scanning", 0) == 1, "a feature in a lambda is bound");
	shop::scan ({"a", "bc", "def"});
	same (pp_sum (payloads), 1 + 3 + 5, "its payload is what the lambda sees");
	pp_reset (nullptr);
	forget_drops ();
	for (int i = 1; i <= 5; i++) {
		try {
			shop::sampled (i);
		} catch (int) {
		}
	}
	same (pp_count (counted), 3, "a sample that an exception left is none");
	same (pp_sum (counted), 3, "the others are");
}

int main ()
{
	members ();
	templates ();
	others ();
	return checked ();
}
