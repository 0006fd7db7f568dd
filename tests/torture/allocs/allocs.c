// SPDX-License-Identifier: GPL-2.0-only
/*
 * allocs - allocates kernel memory, as much as it says
 *
 * Write COUNT to the parameter "run". So many times it allocates and frees memory of different sizes by kmalloc()
 * and kmalloc_node(), an object of a cache, and pages. Then "kmalloc", "kmalloc_node", "objects" and "pages" have
 * the bytes that were asked for, and "kmalloc_took" what those of kmalloc() took. The allocations are made by
 * allocs_kmalloc(), allocs_node(), allocs_objects() and allocs_pages(), so that their stacks show it.
 *
 * Write COUNT to the parameter "leak". So many times allocs_leak() allocates memory by kmalloc() that is kept until
 * the module is unloaded. Then "leaked" has the bytes that were asked for.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#define OBJECT	136

/* What is kept begins with a pointer to what was kept before. */
struct kept {
	struct kept *next;
};

static struct kept *all_kept;
static unsigned long kmalloc_bytes, kmalloc_took, node_bytes, object_bytes, page_bytes, leaked_bytes;
module_param_named(kmalloc, kmalloc_bytes, ulong, 0444);
module_param(kmalloc_took, ulong, 0444);
module_param_named(kmalloc_node, node_bytes, ulong, 0444);
module_param_named(objects, object_bytes, ulong, 0444);
module_param_named(pages, page_bytes, ulong, 0444);
module_param_named(leaked, leaked_bytes, ulong, 0444);

static struct kmem_cache *cache;

static size_t size_of(unsigned int i)
{
	return i * 37 % 4000 + 1;
}

static noinline int allocs_kmalloc(unsigned int count)
{
	unsigned int i;
	void *p;

	for (i = 1; i <= count; i++) {
		p = kmalloc(size_of(i), GFP_KERNEL);
		if (!p)
			return -ENOMEM;
		kmalloc_bytes += size_of(i);
		kmalloc_took += ksize(p);
		kfree(p);
	}
	return 0;
}

static noinline int allocs_node(unsigned int count)
{
	unsigned int i;
	void *p;

	for (i = 1; i <= count; i++) {
		p = kmalloc_node(size_of(i), GFP_KERNEL, numa_node_id());
		if (!p)
			return -ENOMEM;
		node_bytes += size_of(i);
		kfree(p);
	}
	return 0;
}

static noinline int allocs_objects(unsigned int count)
{
	void *p;

	while (count--) {
		p = kmem_cache_alloc(cache, GFP_KERNEL);
		if (!p)
			return -ENOMEM;
		object_bytes += OBJECT;
		kmem_cache_free(cache, p);
	}
	return 0;
}

static noinline int allocs_pages(unsigned int count)
{
	struct page *page;
	unsigned int i;

	for (i = 0; i < count; i++) {
		page = alloc_pages(GFP_KERNEL, i % 4);
		if (!page)
			return -ENOMEM;
		page_bytes += PAGE_SIZE << i % 4;
		__free_pages(page, i % 4);
	}
	return 0;
}

static noinline int allocs_run(const char *text, const struct kernel_param *unused)
{
	unsigned int count;
	int err;

	err = kstrtouint(text, 0, &count);
	if (!err)
		err = allocs_kmalloc(count);
	if (!err)
		err = allocs_node(count);
	if (!err)
		err = allocs_objects(count);
	if (!err)
		err = allocs_pages(count);
	return err;
}

static const struct kernel_param_ops run_ops = { .set = allocs_run };
module_param_cb(run, &run_ops, NULL, 0200);

static noinline int allocs_leak(const char *text, const struct kernel_param *unused)
{
	unsigned int count, i;
	struct kept *p;
	int err;

	err = kstrtouint(text, 0, &count);
	if (err)
		return err;
	for (i = 1; i <= count; i++) {
		p = kmalloc(sizeof(*p) + size_of(i), GFP_KERNEL);
		if (!p)
			return -ENOMEM;
		p->next = all_kept;
		all_kept = p;
		leaked_bytes += sizeof(*p) + size_of(i);
	}
	return 0;
}

static const struct kernel_param_ops leak_ops = { .set = allocs_leak };
module_param_cb(leak, &leak_ops, NULL, 0200);

/* A cache with a constructor is not merged with others, whose objects may be larger. */
static void construct(void *object)
{
}

static int __init allocs_init(void)
{
	cache = kmem_cache_create("allocs", OBJECT, 0, 0, construct);
	return cache ? 0 : -ENOMEM;
}

static void __exit allocs_exit(void)
{
	struct kept *p, *next;

	for (p = all_kept; p; p = next) {
		next = p->next;
		kfree(p);
	}
	kmem_cache_destroy(cache);
}

module_init(allocs_init);
module_exit(allocs_exit);
MODULE_DESCRIPTION("Allocations of known sizes");
MODULE_LICENSE("GPL");
