/* SPDX-License-Identifier: MIT */
/* One loop with a fenced interval, one without: only the fenced one stores in every iteration. */
int fenced_total, free_total;

void fenced (int n);
void unfenced (int n);

void fenced (int n)
{
	for (int i = 0; i < n; i++) {
#pragma pp interval with fence
		fenced_total += i ^ 5;
	}
}

void unfenced (int n)
{
	for (int i = 0; i < n; i++) {
#pragma pp interval without
		free_total += i ^ 5;
	}
}
