/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/uaccess.h>

#include "compat/features.h"

/*
 * Since 5.8 (fe557319aa06 "maccess: rename probe_kernel_{read,write} to
 * copy_{from,to}_kernel_nofault")
 */
#ifndef KF_HAVE_COPY_FROM_KERNEL_NOFAULT
#define copy_from_kernel_nofault(to, from, size)	probe_kernel_read(to, from, size)
#endif

#ifndef KF_OLDER_UACCESS_H
#define KF_OLDER_UACCESS_H

/* Since 5.0 (96d4f267e40f "Remove 'type' argument from access_ok() function"); vendors' 4.18 have it, too */
#ifdef KF_HAVE_ACCESS_OK_TYPE
#define kf_access_ok(from, size)	access_ok(VERIFY_READ, from, size)
#else
#define kf_access_ok(from, size)	access_ok(from, size)
#endif

/* Since 5.0 (594cc251fdd0 "make 'user_access_begin()' do 'access_ok()'") */
#ifndef KF_HAVE_USER_ACCESS_BEGIN_RANGE
static __always_inline bool kf_user_access_begin(void)
{
#ifdef __uaccess_begin_nospec
	__uaccess_begin_nospec();
#else
	user_access_begin();
#endif
	return true;
}

#undef user_access_begin
#define user_access_begin(from, size)	(kf_access_ok(from, size) && kf_user_access_begin())
#endif

/* Since 5.4 ("lib: introduce copy_struct_from_user() helper") */
#ifndef KF_HAVE_COPY_STRUCT_FROM_USER
static inline int copy_struct_from_user(void *to, size_t size, const void __user *from,
					size_t user_size)
{
	const size_t both = min(size, user_size);
	size_t i;
	u8 byte;

	for (i = size; i < user_size; i++) {
		if (get_user(byte, (const u8 __user *)from + i))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	memset(to + both, 0, size - both);
	return copy_from_user(to, from, both) ? -EFAULT : 0;
}
#endif

#endif
