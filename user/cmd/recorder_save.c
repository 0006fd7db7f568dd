// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder_save.c - writes the flight recorder to a file, see recorder_save.h
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/stream_file.h"
#include "cmd/recorder_request.h"
#include "cmd/recorder_save.h"
#include "device/device.h"

#define BUFFER		(256U << 10)

/* Copy the stream of the module to the file */
static int copy(int fd, struct record_output *out)
{
	char *buffer = malloc(BUFFER);
	ssize_t n = -1;

	if (!buffer)
		complain("there is not enough memory to save the profile");
	while (buffer && (n = read(fd, buffer, BUFFER)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			complain("the recorder cannot be read: %s", strerror(errno));
		if (n < 0 || record_output_write(out, buffer, (size_t)n))
			break;
	}
	free(buffer);
	return n ? -1 : 0;
}

/* Write the frozen recorder to a file.  Return: 0, or -1 after an error message */
static int write_file(int fd, const char *path)
{
	struct record_output out;

	if (record_output_open(&out, path, "kflame.data"))
		return -1;
	if (copy(fd, &out)) {
		record_output_abandon(&out);
		return -1;
	}
	if (record_output_close(&out))
		return -1;
	complain("%s: %" PRIu64 " kB", out.path, (out.bytes + 999) / 1000);
	return 0;
}

/* A file that reads the recorder keeps it frozen, so it has a descriptor of its own. */
int recorder_save_frozen(const char *path)
{
	struct kflame_recorder a = { 0 };
	struct kflame_info info;
	int fd = device_open(KFLAME_DEVICE, &info), err = -1;

	if (fd < 0)
		return -1;
	if (!recorder_request(fd, "save", KFLAME_RECORDER_READ, &a))
		err = write_file(fd, path);
	close(fd);
	return err;
}

/* A recorder that runs is frozen while it is saved, and then continues, also if saving failed */
int recorder_save(int fd, const char *path)
{
	struct kflame_recorder now = { 0 }, a = { 0 }, again = { 0 };
	int err;

	if (recorder_request(fd, "save", KFLAME_RECORDER_STATUS, &now))
		return -1;
	if (now.state == KFLAME_RECORDER_RUNNING && recorder_request(fd, "save", KFLAME_RECORDER_FREEZE, &a))
		return -1;
	err = recorder_save_frozen(path);
	if (now.state == KFLAME_RECORDER_RUNNING && recorder_request(fd, "start", KFLAME_RECORDER_START, &again))
		return -1;
	return err;
}
