// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perl_offsets.c - prints the offsets of the Perl whose headers it is compiled with: index and offset
 *
 * usage: cc -D_GNU_SOURCE -O2 -Iinclude -I"$(perl -MConfig -e 'print $Config{archlibexp}')/CORE" perl_offsets.c
 *
 * With -O2 the compiler drops the functions in Perl's headers, which would need Perl's library.
 */
#define PERL_CORE
#define PERLIO_NOT_STDIO 0
#include "EXTERN.h"
#include "perl.h"
#undef printf
#include <stdio.h>

#include "uapi/kflame.h"

#define AT(index, type, member) printf("%d %zu\n", index, offsetof(type, member))
#define IN_BLOCK(index, member) AT(index, PERL_CONTEXT, cx_u.cx_blk.member)

int main(void)
{
	printf("version %d\n", PERL_VERSION);
	printf("%d %d\n%d %zu\n%d %d\n", KFLAME_PL_THREADS, 1, KFLAME_PL_CONTEXT_BYTES, sizeof(PERL_CONTEXT),
	       KFLAME_PL_NEXTSTATE, OP_NEXTSTATE);
	AT(KFLAME_PL_STACK, struct interpreter, Icurstackinfo);
	AT(KFLAME_PL_COP, struct interpreter, Icurcop);
	AT(KFLAME_PL_CONTEXTS, PERL_SI, si_cxstack);
	AT(KFLAME_PL_PREVIOUS, PERL_SI, si_prev);
	AT(KFLAME_PL_NEXT, PERL_SI, si_next);
	AT(KFLAME_PL_TOP, PERL_SI, si_cxix);
	AT(KFLAME_PL_MOST, PERL_SI, si_cxmax);
	AT(KFLAME_PL_TYPE, PERL_SI, si_type);
	IN_BLOCK(KFLAME_PL_OLD_COP, blku_oldcop);
	IN_BLOCK(KFLAME_PL_RETURN, blk_u.blku_sub.retop);
	IN_BLOCK(KFLAME_PL_RETURN, blk_u.blku_eval.retop);
	IN_BLOCK(KFLAME_PL_CV, blk_u.blku_sub.cv);
	IN_BLOCK(KFLAME_PL_REQUIRED, blk_u.blku_eval.old_namesv);
	AT(KFLAME_PL_UNION, SV, sv_u);
	AT(KFLAME_PL_STASH, XPVCV, xcv_stash);
	AT(KFLAME_PL_START, XPVCV, xcv_start_u);
	AT(KFLAME_PL_GV, XPVCV, xcv_gv_u);
	AT(KFLAME_PL_FILE, XPVCV, xcv_file);
	AT(KFLAME_PL_FLAGS, XPVCV, xcv_flags);
	AT(KFLAME_PL_GV_NAME, XPVGV, xiv_u);
	AT(KFLAME_PL_GV_STASH, XPVGV, xnv_u);
	AT(KFLAME_PL_EGV, GP, gp_egv);
	AT(KFLAME_PL_HV_MAX, XPVHV, xhv_max);
#if PERL_VERSION >= 36
	AT(KFLAME_PL_HV_AUX, struct xpvhv_with_aux, xhv_aux);
#endif
	AT(KFLAME_PL_HV_NAME, struct xpvhv_aux, xhv_name_u);
	AT(KFLAME_PL_HV_NAMES, struct xpvhv_aux, xhv_name_count);
	AT(KFLAME_PL_LINE, COP, cop_line);
	AT(KFLAME_PL_COP_FILE, COP, cop_file);
	/* The module knows these values */
	return !(!CXt_NULL && CXt_BLOCK == 2 && CXt_SUB == 9 && CXt_EVAL == 11 && CXTYPEMASK == 15 &&
		 CXp_TRYBLOCK == 0x40 && PERLSI_MAIN == 1 && CVf_NAMED == 0x8000 && offsetof(HEK, hek_len) == 4 &&
		 offsetof(HEK, hek_key) == 8 && !offsetof(SV, sv_any) && !offsetof(PERL_CONTEXT, cx_u.cx_blk.blku_type));
}
