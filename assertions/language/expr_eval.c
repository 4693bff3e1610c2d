/* SPDX-License-Identifier: MIT */
/*
 * expr_eval.c: the postfix program and its evaluation. Everything is evaluated, there is no short
 * cut: the price of an expression is always the same, and what is unknown is seen. Kleene's logic:
 * unknown (NaN) stays unknown unless the other side decides.
 */
#include "assertions/language/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Nodes in the order of evaluation; a tree's nodes number at most PPI_EXPR_NODES, which bounds the
 * recursion
 */
static void emit (struct ppi_program *program, const struct ppi_node *node)
{
	struct ppi_code *code;

	if (node->left)
		emit (program, node->left);
	if (node->right)
		emit (program, node->right);
	code = &program->code[program->n_code++];
	code->op = node->kind;
	code->constant = node->number;
	code->index = node->reference;
	if (node->kind >= PPI_NODE_LT && node->kind <= PPI_NODE_NE) {
		code->index = (uint16_t) program->n_comparisons;
		program->comparisons[program->n_comparisons++] = node->dimension;
	}
}

static bool is_factor (const struct ppi_node *node)
{
	return node->kind == PPI_NODE_NUMBER && !node->dimension.seconds &&
	       !node->dimension.bytes && node->number > 0;
}

static void describe_comparison (struct ppi_program *program, const struct ppi_node *root)
{
	const struct ppi_node *right = root->right;

	program->factor = 1;
	if (root->kind < PPI_NODE_LT || root->kind > PPI_NODE_GE)
		return;
	program->comparison = root->kind;
	if (right->kind != PPI_NODE_MUL)
		return;
	if (is_factor (right->left))
		program->factor = right->left->number;
	else if (is_factor (right->right))
		program->factor = right->right->number;
}

static struct ppi_program *generate (struct ppi_tree *tree)
{
	struct ppi_program *program = calloc (1, sizeof *program);

	if (!program)
		return NULL;
	program->text = strdup (tree->text);
	program->code = calloc (tree->n_nodes, sizeof *program->code);
	program->comparisons = calloc (tree->n_nodes, sizeof *program->comparisons);
	if (!program->text || !program->code || !program->comparisons) {
		ppi_program_destroy (program);
		return NULL;
	}
	program->references = tree->references;
	program->n_references = tree->n_references;
	for (size_t i = 0; i < program->n_references; i++) {
		const struct ppi_ref *ref = &program->references[i];

		program->has_windows |= ref->window_ns != 0;
		program->has_groups |= ref->groups != NULL;
		program->has_any |= ref->kind == PPI_REF_ANY;
	}
	tree->references = NULL;
	tree->n_references = 0;
	emit (program, tree->root);
	describe_comparison (program, tree->root);
	return program;
}

static int create (const char *text, enum ppi_expr_place place, enum ppi_expr_want want,
		   const struct ppi_names *names, const struct ppi_expr_errors *errors,
		   struct ppi_dimension *dimension, struct ppi_program **out)
{
	struct ppi_tree *tree = calloc (1, sizeof *tree);
	int error = tree ? ppi_expr_parse (text, tree, names, errors) : PP_ENOMEM;

	*out = NULL;
	if (!error && !ppi_expr_check (tree, place, want, names, errors))
		error = PP_EINVAL;
	if (!error && dimension)
		*dimension = tree->root->dimension;
	if (!error && !(*out = generate (tree)))
		error = PP_ENOMEM;
	if (tree)
		ppi_tree_clear (tree);
	free (tree);
	return error;
}

int ppi_program_create (const char *text, enum ppi_expr_place place, const struct ppi_names *names,
			const struct ppi_expr_errors *errors, struct ppi_program **out)
{
	return create (text, place, PPI_WANT_CONDITION, names, errors, NULL, out);
}

int ppi_program_create_number (const char *text, enum ppi_expr_place place,
			       const struct ppi_names *names, const struct ppi_expr_errors *errors,
			       struct ppi_dimension *dimension, struct ppi_program **out)
{
	return create (text, place, PPI_WANT_NUMBER, names, errors, dimension, out);
}

int ppi_program_create_figure (const char *text, enum ppi_expr_place place,
			       const struct ppi_names *names, const struct ppi_expr_errors *errors,
			       struct ppi_dimension *dimension, struct ppi_program **out)
{
	return create (text, place, PPI_WANT_FIGURE, names, errors, dimension, out);
}

struct ppi_ref *ppi_program_any (const struct ppi_program *program)
{
	for (size_t i = 0; program->has_any && i < program->n_references; i++)
		if (program->references[i].kind == PPI_REF_ANY)
			return &program->references[i];
	return NULL;
}

void ppi_program_destroy (struct ppi_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->n_references; i++) {
		free (program->references[i].recent);
		ppi_ref_clear (&program->references[i]);
	}
	free (program->references);
	free (program->comparisons);
	free (program->code);
	free (program->text);
	free (program);
}

static double truth (bool value)
{
	return value ? 1.0 : 0.0;
}

static double compare (enum ppi_node_kind op, double l, double r)
{
	if (isnan (l) || isnan (r))
		return NAN;
	switch (op) {
	case PPI_NODE_LT:
		return truth (l < r);
	case PPI_NODE_LE:
		return truth (l <= r);
	case PPI_NODE_GT:
		return truth (l > r);
	case PPI_NODE_GE:
		return truth (l >= r);
	case PPI_NODE_EQ:
		return truth (!(l < r) && !(l > r));
	default:
		return truth (l < r || l > r);
	}
}

static bool is_false (double x)
{
	return !isnan (x) && x < 0.5;
}

static bool is_true (double x)
{
	return !isnan (x) && x > 0.5;
}

static double calculate (enum ppi_node_kind op, double l, double r)
{
	switch (op) {
	case PPI_NODE_ADD:
		return l + r;
	case PPI_NODE_SUB:
		return l - r;
	case PPI_NODE_MUL:
		return l * r;
	case PPI_NODE_DIV:
		return l / r;
	case PPI_NODE_MIN:
		return isnan (l) || isnan (r) ? NAN : l < r ? l : r;
	case PPI_NODE_MAX:
		return isnan (l) || isnan (r) ? NAN : l > r ? l : r;
	case PPI_NODE_AND:
		return is_false (l) || is_false (r) ? 0.0 : isnan (l) || isnan (r) ? NAN : 1.0;
	case PPI_NODE_OR:
		return is_true (l) || is_true (r) ? 1.0 : isnan (l) || isnan (r) ? NAN : 0.0;
	default:
		return compare (op, l, r);
	}
}

static bool is_unary (const struct ppi_code *code)
{
	return code->op == PPI_NODE_NEG || code->op == PPI_NODE_ABS || code->op == PPI_NODE_NOT;
}

static double calculate_one (enum ppi_node_kind op, double x)
{
	return op == PPI_NODE_NEG ? -x : op == PPI_NODE_ABS ? fabs (x) : 1.0 - x;
}

static void remember (struct ppi_verdict *verdict, bool *failed, const struct ppi_program *program,
		      const struct ppi_code *code, double l, double r, double result)
{
	if (*failed && !is_false (result))
		return;
	*failed = *failed || is_false (result);
	verdict->left = l;
	verdict->right = r;
	verdict->dimension = program->comparisons[code->index];
}

struct ppi_verdict ppi_program_run (const struct ppi_program *program,
				    double (*load) (const struct ppi_ref *ref, void *arg),
				    void *arg)
{
	struct ppi_verdict verdict = {.value = NAN, .left = NAN, .right = NAN};
	double stack[PPI_EXPR_NODES / 2 + 2] = {0};
	bool failed = false;
	/* of a tree's nodes at most half and one are operands: deeper it can't get */
	size_t top = 0;

	for (size_t i = 0; i < program->n_code; i++) {
		const struct ppi_code *code = &program->code[i];
		double result;

		switch ((enum ppi_node_kind) code->op) {
		case PPI_NODE_NUMBER:
			stack[top++] = code->constant;
			continue;
		case PPI_NODE_REFERENCE:
			stack[top++] = load (&program->references[code->index], arg);
			continue;
		default:
			break;
		}
		if (top < (is_unary (code) ? 1 : 2))
			return verdict; /* the compiler makes no such program */
		if (is_unary (code)) {
			stack[top - 1] =
				calculate_one ((enum ppi_node_kind) code->op, stack[top - 1]);
			continue;
		}
		top--;
		result = calculate ((enum ppi_node_kind) code->op, stack[top - 1], stack[top]);
		if (code->op >= PPI_NODE_LT && code->op <= PPI_NODE_NE)
			remember (&verdict, &failed, program, code, stack[top - 1], stack[top],
				  result);
		stack[top - 1] = result;
	}
	verdict.value = stack[0];
	return verdict;
}
