/* SPDX-License-Identifier: MIT */
/* What kernels.c and figures.c need to link; nobody runs them. */
double kept, other;

double use (double x)
{
	return x;
}

int pure (int x)
{
	return x;
}

int main (void)
{
	return 0;
}
