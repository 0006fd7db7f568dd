// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapping_walk.c - records about the executable mappings of one address space, see
 * process/mapping_walk.h
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "compat/compat.h"
#include "process/aspace.h"
#include "process/file_ids.h"
#include "process/mapping_walk.h"
#include "store/records.h"

/* Most executable mappings of a process that are reported. The rest is left out. */
#define MAX_VMAS	4096U

struct kf_vmas {
	u32 nr;
	u32 left_out;
	struct {
		unsigned long start, end;
		u64 offset;
		struct file *file;	/* a reference; NULL for none */
		/* A reference to the file of the mapping before it, if .file is NULL. NULL for none. */
		struct file *beside;
		u64 beside_offset;	/* offset in .beside at which the mapping before it ends */
		bool between;		/* this is text of .beside that was moved: see note_behind() */
		bool vdso;
	} vma[MAX_VMAS];
};

size_t kf_vmas_bytes(void)
{
	return sizeof(struct kf_vmas);
}

struct kf_vmas *kf_vmas_create(void)
{
	return kvzalloc(sizeof(struct kf_vmas), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
}

void kf_vmas_destroy(struct kf_vmas *vmas)
{
	kvfree(vmas);
}

/* The file offset of @address, or what it would be if @vma extended so far */
static u64 offset_at(const struct vm_area_struct *vma, unsigned long address)
{
	return ((u64)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
}

/*
 * @vma, the last mapping in @vmas, is code in no file. @prev maps a file and ends where @vma
 * begins.
 */
static void note_before(struct kf_vmas *vmas, const struct vm_area_struct *prev,
			const struct vm_area_struct *vma)
{
	const u32 last = vmas->nr - 1;

	vmas->vma[last].beside = get_file(prev->vm_file);
	vmas->vma[last].beside_offset = offset_at(prev, vma->vm_start);
}

/*
 * @prev, index @i in @vmas, is code in no file. @vma maps a file and begins where @prev ends.
 *
 * Some programs copy their text to huge anonymous pages, which replace the file's mapping (hugify,
 * node --use-largepages). The code there is still the file's. Such a mapping lies between two
 * mappings of one file, and is as long as the gap between their file offsets. A JIT's code at the
 * address of an unmapped library does not fit the gap.
 */
static void note_behind(struct kf_vmas *vmas, u32 i, const struct vm_area_struct *prev,
			const struct vm_area_struct *vma)
{
	const struct file *before = vmas->vma[i].beside;

	vmas->vma[i].between = before && file_inode(before) == file_inode(vma->vm_file) &&
			       vmas->vma[i].beside_offset + (prev->vm_end - prev->vm_start) ==
			       offset_at(vma, vma->vm_start);
}

/*
 * Note the files beside code that is in no file. @prev and @vma are in @vmas if they are
 * executable.
 */
static void note_beside(struct kf_vmas *vmas, const struct vm_area_struct *prev,
			const struct vm_area_struct *vma)
{
	if (!prev || prev->vm_end != vma->vm_start)
		return;
	if (prev->vm_file && !vma->vm_file && vma->vm_flags & VM_EXEC)
		note_before(vmas, prev, vma);
	if (!prev->vm_file && prev->vm_flags & VM_EXEC && vma->vm_file)
		note_behind(vmas, vmas->nr - (vma->vm_flags & VM_EXEC ? 2 : 1), prev, vma);
}

/* Runs under the mmap lock: copies and takes references, nothing else. */
static void collect(struct mm_struct *mm, struct kf_vmas *vmas)
{
	unsigned long vdso = (unsigned long)mm->context.vdso;
	const struct vm_area_struct *prev = NULL;
	struct vm_area_struct *vma;
	unsigned int seen = 0;
	KF_DEFINE_VMA_ITERATOR(vmi, mm, 0);

	/* Not mmap_assert_locked(): before 6.3 its dump_mm() is not exported (CONFIG_DEBUG_VM). */
	lockdep_assert_held(&mm->mmap_lock);
	vmas->nr = 0;
	vmas->left_out = 0;
	kf_for_each_vma(vmi, vma) {
		/* There may be a million mappings. */
		if (!(++seen % 1024))
			cond_resched();
		if (!(vma->vm_flags & VM_EXEC)) {
			if (!vmas->left_out)
				note_beside(vmas, prev, vma);
			prev = vma;
			continue;
		}
		if (vmas->nr == MAX_VMAS) {
			vmas->left_out++;
			continue;
		}
		vmas->vma[vmas->nr].start = vma->vm_start;
		vmas->vma[vmas->nr].end = vma->vm_end;
		vmas->vma[vmas->nr].offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		vmas->vma[vmas->nr].file = vma->vm_file ? get_file(vma->vm_file) : NULL;
		/* A vdso below 4 GiB is a 32-bit program's, which is another image. */
		vmas->vma[vmas->nr].vdso = vdso >= SZ_4G && vma->vm_start <= vdso &&
					   vdso < vma->vm_end;
		vmas->vma[vmas->nr].beside = NULL;
		vmas->vma[vmas->nr].between = false;
		vmas->nr++;
		note_beside(vmas, prev, vma);
		prev = vma;
	}
}

static void add(struct kf_records *out, struct kf_walk *walk, const void *rec, u32 size)
{
	if (!kf_records_add(out, rec, size))
		walk->dropped++;
}

/* Keep a mapping for the sample path. A file that could not be reported never has a table. */
static void keep_mapping(struct kf_umaps *umaps, const struct kf_umap_run *run, u32 i,
			 const struct kflame_rec_mapping *rec)
{
	struct kf_umap map = {
		.start = rec->start,
		.end = rec->end,
		.offset = rec->offset,
		.file = rec->flags & KFLAME_MAP_ANON ? KF_UMAP_NO_FILE : rec->file,
	};

	kf_umaps_set(umaps, run, i, &map);
}

static void tell_mapping(u64 aspace, struct kf_vmas *vmas, u32 i, struct kf_files *files,
			 struct kf_umaps *umaps, struct kf_records *out, struct kf_walk *walk)
{
	struct kflame_rec_mapping rec = {
		.rec = { KFLAME_REC_MAPPING, sizeof(rec) },
		.aspace = aspace,
		.start = vmas->vma[i].start,
		.end = vmas->vma[i].end,
		.offset = vmas->vma[i].offset,
	};

	if (vmas->vma[i].vdso) {
		rec.flags = KFLAME_MAP_VDSO;
		rec.offset = 0;
		rec.file = kf_vdso_id(files, out, walk);
	} else if (vmas->vma[i].file) {
		rec.file = kf_file_id(files, vmas->vma[i].file, out, walk);
	} else if (vmas->vma[i].between) {
		rec.file = kf_file_id(files, vmas->vma[i].beside, out, walk);
		rec.offset = vmas->vma[i].beside_offset;
	} else {
		rec.flags = KFLAME_MAP_ANON;
		rec.offset = 0;
	}
	add(out, walk, &rec, sizeof(rec));
	walk->mappings++;
	if (umaps && i < walk->run.nr)
		keep_mapping(umaps, &walk->run, i, &rec);
}

/*
 * Drop the job's reference as early as possible: while it is held, the program file of a process
 * that ended cannot be written to. kf_mmput() never tears the mm down right here.
 */
static void release(struct kf_aspace_job *job, struct kf_walk *walk)
{
	walk->dead = atomic_read(&job->mm->mm_users) == 1;
	kf_mmput(job->mm);
	job->mm = NULL;
}

/* Executable mappings with equal hashes are taken to be the same. */
static u64 hash_of(const struct kf_vmas *vmas)
{
	u64 hash = ((u64)vmas->left_out << 32) + vmas->nr;
	u32 i;

	for (i = 0; i < vmas->nr; i++) {
		const struct file *file = vmas->vma[i].file;
		const struct inode *inode = file ? file_inode(file) : NULL;
		u64 words[] = {
			vmas->vma[i].start, vmas->vma[i].end, vmas->vma[i].offset,
			inode ? inode->i_ino : 0, inode ? inode->i_sb->s_dev : 0,
			inode ? inode->i_generation : 0,
		};

		hash = jhash(words, sizeof(words), (u32)hash) |
		       (u64)jhash(words, sizeof(words), hash >> 32) << 32;
	}
	return hash;
}

/**
 * kf_mapwalk_look() - walk one address space
 * @job:	holds the mm, which is dropped if this returns true
 * @vmas:	out: its mappings, for kf_mapwalk_report() or kf_mapwalk_forget()
 * @walk:	out: result of the walk
 *
 * Return: false if the mmap lock was not available.
 */
bool kf_mapwalk_look(struct kf_aspace_job *job, struct kf_vmas *vmas, struct kf_walk *walk)
{
	if (!mmap_read_trylock(job->mm))
		return false;
	memset(walk, 0, sizeof(*walk));
	walk->exec_vm = READ_ONCE(job->mm->exec_vm);
	walk->changes = kf_mm_changes(job->mm);
	collect(job->mm, vmas);
	mmap_read_unlock(job->mm);
	release(job, walk);
	walk->hash = hash_of(vmas);
	return true;
}

/**
 * kf_mapwalk_report() - report what kf_mapwalk_look() found
 * @job:	of the address space
 * @vmas:	its mappings
 * @files:	ids of files
 * @umaps:	where its mappings are kept for the sample path; NULL: not kept
 * @out:	where the records go
 * @walk:	in, out: result of the walk
 */
void kf_mapwalk_report(struct kf_aspace_job *job, struct kf_vmas *vmas,
		       struct kf_files *files, struct kf_umaps *umaps, struct kf_records *out,
		       struct kf_walk *walk)
{
	u32 i;

	walk->state = KFLAME_ASPACE_MAPPED;
	job->rec.state = KFLAME_ASPACE_MAPPED;
	walk->left_out = vmas->left_out;
	add(out, walk, &job->rec, sizeof(job->rec));
	if (umaps)
		walk->run = kf_umaps_reserve(umaps, vmas->nr + vmas->left_out);
	for (i = 0; i < vmas->nr; i++)
		tell_mapping(job->rec.id, vmas, i, files, umaps, out, walk);
	kf_mapwalk_forget(vmas);
}

/* Drop the file references that kf_mapwalk_look() took. */
void kf_mapwalk_forget(struct kf_vmas *vmas)
{
	u32 i;

	for (i = 0; i < vmas->nr; i++) {
		if (vmas->vma[i].file)
			fput(vmas->vma[i].file);
		if (vmas->vma[i].beside)
			fput(vmas->vma[i].beside);
	}
	vmas->nr = 0;
}

/**
 * kf_mapwalk_one() - get the id of the file at an address of current; may sleep
 * @address:	the address
 * @files:	ids of files
 * @out:	where a record goes, if the file is new
 * @walk:	out: result of the walk
 * @id:		out: the id, 0 if there was no room for the record
 *
 * Return: false if no file is mapped there.
 */
bool kf_mapwalk_one(unsigned long address, struct kf_files *files, struct kf_records *out,
		    struct kf_walk *walk, u64 *id)
{
	struct mm_struct *mm = current->mm;
	unsigned long vdso = (unsigned long)mm->context.vdso;
	struct vm_area_struct *vma;
	struct file *file = NULL;
	bool is_vdso = false;

	memset(walk, 0, sizeof(*walk));
	mmap_read_lock(mm);
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address) {
		file = vma->vm_file ? get_file(vma->vm_file) : NULL;
		is_vdso = vdso >= SZ_4G && vma->vm_start <= vdso && vdso < vma->vm_end;
	}
	mmap_read_unlock(mm);
	if (is_vdso)
		*id = kf_vdso_id(files, out, walk);
	else if (file)
		*id = kf_file_id(files, file, out, walk);
	if (file)
		fput(file);
	return file || is_vdso;
}

/* Drop the mm without a report: the mmap lock was not available for a check. */
void kf_mapwalk_let_go(struct kf_aspace_job *job, struct kf_walk *walk)
{
	memset(walk, 0, sizeof(*walk));
	walk->changes = kf_mm_changes(job->mm);
	release(job, walk);
}

/**
 * kf_mapwalk_give_up() - report that the mmap lock was not available in time
 * @job:	holds the mm, which is dropped
 * @out:	where the record goes
 * @walk:	out: result of the walk
 */
void kf_mapwalk_give_up(struct kf_aspace_job *job, struct kf_records *out,
			struct kf_walk *walk)
{
	memset(walk, 0, sizeof(*walk));
	release(job, walk);
	walk->state = KFLAME_ASPACE_BUSY;
	job->rec.state = KFLAME_ASPACE_BUSY;
	add(out, walk, &job->rec, sizeof(job->rec));
}
