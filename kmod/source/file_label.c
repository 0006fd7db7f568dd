// SPDX-License-Identifier: GPL-2.0-only
/*
 * file_label.c - the name of an open file, as a label
 *
 * The kernel's d_path() takes locks that the sample may have interrupted. So the path is read here as the
 * kernel reads names without locks: interrupts are off, so RCU frees no name and no directory meanwhile. The
 * text is built from its end.
 *
 * Where a file system is mounted is private to the kernel. So the path begins at the root of the file system,
 * and the label says which device that is, and where in it the mount begins. The tool adds the mount point.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/net.h>
#include <linux/string.h>
#include <net/sock.h>

#include "compat/renames.h"
#include "source/file_label.h"
#include "source/socket_label.h"
#include "store/labels.h"

#define CUT		"..."
#define DELETED		" (deleted)"
#define MOST_NAMES	64

/**
 * struct text - a text that is being built, from its end
 * @at:		where it begins
 * @mount:	where its part below the mount begins; NULL: the mount was not met
 * @room:	ends with a NUL
 */
struct text {
	char *at;
	char *mount;
	char room[KF_LABEL_LEN + 1];
};

static u32 text_len(const struct text *t)
{
	return t->room + KF_LABEL_LEN - t->at;
}

static bool put(struct text *t, const char *text, u32 len)
{
	if (t->at - t->room < len)
		return false;
	t->at -= len;
	memcpy(t->at, text, len);
	return true;
}

/*
 * Put the name of @d before the text, if so much room is @left then. A name always ends with a NUL, but it
 * may be exchanged meanwhile, so that it is shorter than its length says.
 */
static bool put_name(struct text *t, const struct dentry *d, u32 left)
{
	/* Pairs with the kernel's release of a new name. */
	const unsigned char *name = smp_load_acquire(&d->d_name.name);
	const u32 len = READ_ONCE(d->d_name.len);
	ssize_t copied;
	char behind;

	if (t->at - t->room < len + left)
		return false;
	behind = *t->at;
	t->at -= len;
	copied = strscpy(t->at, name, len + 1);
	if (copied >= 0 && copied < len)
		memset(t->at + copied, '?', len - copied);
	t->at[len] = behind;
	return true;
}

/* Put the path of @d before the text, as far as there is room: directories near the root are cut. */
static void put_path(struct text *t, const struct dentry *d, const struct dentry *mount)
{
	const struct dentry *parent;
	int i;

	for (i = 0; i < MOST_NAMES; i++) {
		if (d == mount)
			t->mount = t->at;
		parent = READ_ONCE(d->d_parent);
		if (parent == d)
			return;
		if (!put_name(t, d, strlen("/" CUT)))
			break;
		put(t, "/", 1);
		d = parent;
	}
	t->mount = NULL;
	put(t, CUT, strlen(CUT));
}

/* Return: the socket that the file is; NULL for other files, and after the protocol has let go of it */
static const struct sock *socket_of(const struct file *file)
{
	struct inode *inode = file_inode(file);

	if (!S_ISSOCK(inode->i_mode) || inode->i_sb->s_magic != SOCKFS_MAGIC)
		return NULL;
	return READ_ONCE(SOCKET_I(inode)->sk);
}

static const char *socket_name(const struct sock *sk)
{
	switch (sk ? READ_ONCE(sk->sk_family) : AF_UNSPEC) {
	case AF_INET:
	case AF_INET6:
		return sk->sk_type == SOCK_STREAM ? "socket (TCP)" :
		       sk->sk_type == SOCK_DGRAM ? "socket (UDP)" : "socket (IP)";
	case AF_UNIX:
		return "socket (UNIX)";
	case AF_NETLINK:
		return "socket (NETLINK)";
	default:
		return "socket";
	}
}

/* A file that is in no directory */
static void put_nameless(struct text *t, const struct file *file)
{
	const struct dentry *d = file->f_path.dentry;
	struct inode *inode = file_inode(file);
	const char *name = NULL;

	if (S_ISFIFO(inode->i_mode))
		name = "pipe";
	else if (S_ISSOCK(inode->i_mode) && d->d_sb->s_magic == SOCKFS_MAGIC)
		name = socket_name(socket_of(file));
	else if (!READ_ONCE(d->d_name.len))
		name = d->d_sb->s_type->name;
	if (name) {
		put(t, name, strlen(name));
		return;
	}
	put_name(t, d, 0);
	if (d->d_sb->s_magic == ANON_INODE_FS_MAGIC)
		put(t, "anon_inode:", strlen("anon_inode:"));
}

static void build(struct text *t, const struct file *file, struct kf_label *label)
{
	const struct dentry *d = file->f_path.dentry, *mount = file->f_path.mnt->mnt_root;
	const dev_t dev = d->d_sb->s_dev;

	t->at = t->room + KF_LABEL_LEN;
	*t->at = 0;
	t->mount = NULL;
	*label = (struct kf_label){ .kind = KFLAME_LABEL_TEXT };
	if (IS_ROOT(d) && d != mount) {
		put_nameless(t, file);
	} else {
		if (d_unlinked(d))
			put(t, DELETED, strlen(DELETED));
		put_path(t, d, mount);
		label->kind = KFLAME_LABEL_FILE;
		label->major = MAJOR(dev);
		label->minor = MINOR(dev);
		label->root_len = t->mount ? t->mount - t->at : KFLAME_LABEL_NO_ROOT;
	}
	label->text = t->at;
	label->len = text_len(t);
}

/**
 * kf_file_label() - the label of an open file
 * @labels:	the session's
 * @file:	address of a struct file, to which somebody holds a reference meanwhile
 *
 * Of a TCP or UDP socket it is the peer, if it has one. Of other files it is the name. If something is
 * renamed meanwhile, the path is read once more, and then taken as it is.
 *
 * Context: interrupts off, no NMI; takes no lock. At most 2 * MOST_NAMES names are read.
 * Return: as kf_labels_intern().
 */
u32 kf_file_label(struct kf_labels *labels, unsigned long file)
{
	const struct sock *sk = socket_of((const struct file *)file);
	const u32 peer = sk ? kf_socket_label(labels, (unsigned long)sk) : 0;
	struct kf_label label;
	unsigned int seq;
	struct text t;

	if (peer)
		return peer;
	seq = kf_renames_begin();
	build(&t, (const struct file *)file, &label);
	if (unlikely(kf_renames_since(seq)))
		build(&t, (const struct file *)file, &label);
	return kf_labels_intern(labels, &label);
}
