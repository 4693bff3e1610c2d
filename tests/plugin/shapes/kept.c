/* SPDX-License-Identifier: MIT */
/* What a function saves for values that its marker computes: of one, and of seven. */
extern long ask (long);
extern long work (long, long, long);

long few (long a, long b, long c)
{
	long is = ask (a);
#pragma pp interval few dim(first = ask (a), second = b)
	is += work (a, b, c);
	return is;
}

long many (long a, long b, long c)
{
	long is = ask (a);
#pragma pp interval many dim(first = ask (a), second = ask (b), third = ask (c), fourth = ask (a + b), \
			     fifth = ask (b + c), sixth = ask (a + c), seventh = ask (a - b))
	is += work (a, b, c);
	return is;
}
