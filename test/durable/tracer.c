// tracer FOLDER CALLS COMMAND ARG…: runs a command and stops it, with everything that it starts, at every call that changes or syncs a file in the
// folder. CALLS: `*`, or the names of the only calls that it stops at, with commas around each. Each stop is told on descriptor 3, and an answer on the same descriptor says what becomes of the call. It decides nothing itself.
//
// Told:     E pid arg\x1farg…            a process became another program
//           F parent child               a process was made
//           C tid pid call offset length flags path\x1fpath\x1f   then `length` bytes of data; waits for an answer
//           R tid result                 what the call returned
//           X code signal                the command itself has ended
// Answers:  g                            go on
//           a                            go on, and stop at no call any more
//           k                            kill -9 the command and its process group before the call is made
//           eN                           the call is not made and fails with errno N
//           sN                           a write is cut to N bytes
//           wN                           as s, and the group is killed right after it
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL 3
#define MOST (1 << 24)
#define THREADS (1 << 22)

enum kind { DESCRIPTOR, PATH, PATH_AT, TWO_PATHS, TWO_PATHS_AT, TEXT_PATH, TEXT_PATH_AT, COPY };
struct call {
	long number;
	const char *name;
	enum kind kind;
};
static const struct call CALLS[] = {
	{SYS_write, "write", DESCRIPTOR},
	{SYS_pwrite64, "pwrite", DESCRIPTOR},
	{SYS_writev, "writev", DESCRIPTOR},
	{SYS_pwritev, "pwritev", DESCRIPTOR},
	{SYS_fsync, "fsync", DESCRIPTOR},
	{SYS_fdatasync, "fdatasync", DESCRIPTOR},
	{SYS_sync_file_range, "writeout", DESCRIPTOR},
	{SYS_ftruncate, "ftruncate", DESCRIPTOR},
	{SYS_fallocate, "fallocate", DESCRIPTOR},
	{SYS_fchmod, "fchmod", DESCRIPTOR},
	{SYS_copy_file_range, "copy", COPY},
	{SYS_sendfile, "copy", COPY},
	{SYS_open, "open", PATH},
	{SYS_creat, "open", PATH},
	{SYS_truncate, "truncate", PATH},
	{SYS_unlink, "unlink", PATH},
	{SYS_rmdir, "rmdir", PATH},
	{SYS_mkdir, "mkdir", PATH},
	{SYS_chmod, "chmod", PATH},
	{SYS_openat, "open", PATH_AT},
	{SYS_unlinkat, "unlink", PATH_AT},
	{SYS_mkdirat, "mkdir", PATH_AT},
	{SYS_fchmodat, "chmod", PATH_AT},
	{SYS_rename, "rename", TWO_PATHS},
	{SYS_link, "link", TWO_PATHS},
	{SYS_renameat, "rename", TWO_PATHS_AT},
	{SYS_renameat2, "rename", TWO_PATHS_AT},
	{SYS_linkat, "link", TWO_PATHS_AT},
	{SYS_symlink, "symlink", TEXT_PATH},
	{SYS_symlinkat, "symlink", TEXT_PATH_AT},
};
#define COUNT (sizeof CALLS / sizeof *CALLS)

static const char *folder, *calls;
static int enough;
static pid_t command;
static int killed;
/** What is done when the call of a thread returns: nothing to do is 0. */
static unsigned char after[THREADS];
enum { NOTHING, TELL, FAIL, KILL };
static short errors[THREADS];

static void die(const char *what) {
	fprintf(stderr, "tracer: %s: %s\n", what, strerror(errno));
	exit(99);
}

static void tell(const void *bytes, size_t length) {
	for (const char *at = bytes; length > 0;) {
		ssize_t n = write(CONTROL, at, length);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) exit(98);
		at += n;
		length -= n;
	}
}

static void told(char *answer, size_t size) {
	size_t at = 0;
	while (at < size - 1) {
		ssize_t n = read(CONTROL, answer + at, 1);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) exit(98);
		if (answer[at] == '\n') break;
		at++;
	}
	answer[at] = 0;
}

static const struct call *call_of(long number) {
	for (size_t i = 0; i < COUNT; i++)
		if (CALLS[i].number == number) return &CALLS[i];
	return NULL;
}

static pid_t process_of(pid_t tid) {
	char file[64], line[256];
	snprintf(file, sizeof file, "/proc/%d/status", tid);
	FILE *status = fopen(file, "r");
	pid_t pid = tid;
	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "Tgid: %d", &pid) == 1) break;
	if (status) fclose(status);
	return pid;
}

static void path_of_descriptor(pid_t tid, int descriptor, char *path) {
	char link[64];
	if (descriptor == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", tid);
	else snprintf(link, sizeof link, "/proc/%d/fd/%d", tid, descriptor);
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	path[n < 0 ? 0 : n] = 0;
}

static size_t peek(pid_t tid, unsigned long address, void *to, size_t length) {
	struct iovec here = {to, length}, there = {(void *)address, length};
	ssize_t n = process_vm_readv(tid, &here, 1, &there, 1, 0);
	return n < 0 ? 0 : n;
}

static void text_at(pid_t tid, unsigned long address, char *text) {
	size_t at = 0;
	while (at < PATH_MAX - 1) {
		// Not across a page that may not be there.
		size_t room = 4096 - (address + at) % 4096;
		if (room > PATH_MAX - 1 - at) room = PATH_MAX - 1 - at;
		size_t n = peek(tid, address + at, text + at, room);
		if (n == 0) break;
		if (memchr(text + at, 0, n)) return;
		at += n;
	}
	text[at] = 0;
}

static void path_at(pid_t tid, int from, unsigned long address, char *path) {
	char text[PATH_MAX], base[PATH_MAX];
	text_at(tid, address, text);
	if (text[0] == '/') {
		strcpy(path, text);
		return;
	}
	path_of_descriptor(tid, from, base);
	snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, text);
}

static int is_inside(const char *path) {
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static long position_of(pid_t tid, int descriptor) {
	char file[64], line[256];
	snprintf(file, sizeof file, "/proc/%d/fdinfo/%d", tid, descriptor);
	FILE *info = fopen(file, "r");
	long position = 0, flags = 0;
	while (info && fgets(line, sizeof line, info)) {
		sscanf(line, "pos: %ld", &position);
		sscanf(line, "flags: %lo", &flags);
	}
	if (info) fclose(info);
	if (!(flags & O_APPEND)) return position;
	struct stat stat_;
	snprintf(file, sizeof file, "/proc/%d/fd/%d", tid, descriptor);
	return stat(file, &stat_) == 0 ? stat_.st_size : position;
}

static char data[MOST];

static size_t gather(pid_t tid, unsigned long address, unsigned long count) {
	struct iovec parts[1024];
	size_t length = 0;
	if (count > 1024) count = 1024;
	peek(tid, address, parts, count * sizeof *parts);
	for (unsigned long i = 0; i < count; i++) {
		size_t n = parts[i].iov_len > MOST - length ? MOST - length : parts[i].iov_len;
		length += peek(tid, (unsigned long)parts[i].iov_base, data + length, n);
	}
	return length;
}

static size_t copied(pid_t tid, int from, long offset, size_t length) {
	char file[64];
	snprintf(file, sizeof file, "/proc/%d/fd/%d", tid, from);
	int descriptor = open(file, O_RDONLY);
	if (descriptor < 0) return 0;
	ssize_t n = pread(descriptor, data, length > MOST ? MOST : length, offset);
	close(descriptor);
	return n < 0 ? 0 : n;
}

static void end_all(void) {
	killed = 1;
	kill(-command, SIGKILL);
	kill(command, SIGKILL);
}

/** How the thread goes on: PTRACE_CONT, or PTRACE_SYSCALL to hear of the call's end. */
static int handle(pid_t tid) {
	struct user_regs_struct regs;
	if (killed || enough || ptrace(PTRACE_GETREGS, tid, 0, &regs) < 0) return PTRACE_CONT;
	const struct call *call = call_of(regs.orig_rax);
	if (!call) return PTRACE_CONT;
	const unsigned long a = regs.rdi, b = regs.rsi, c = regs.rdx, d = regs.r10;
	char one[PATH_MAX] = "", two[PATH_MAX] = "", head[3 * PATH_MAX];
	long offset = 0, flags = 0;
	size_t length = 0;
	switch (call->kind) {
	case DESCRIPTOR: path_of_descriptor(tid, a, one); break;
	case PATH: path_at(tid, AT_FDCWD, a, one); break;
	case PATH_AT: path_at(tid, a, b, one); break;
	case TWO_PATHS: path_at(tid, AT_FDCWD, a, one); path_at(tid, AT_FDCWD, b, two); break;
	case TWO_PATHS_AT: path_at(tid, a, b, one); path_at(tid, c, d, two); break;
	case TEXT_PATH: text_at(tid, a, two); path_at(tid, AT_FDCWD, b, one); break;
	case TEXT_PATH_AT: text_at(tid, a, two); path_at(tid, b, c, one); break;
	case COPY: path_of_descriptor(tid, regs.orig_rax == SYS_sendfile ? a : c, one); break;
	}
	if (!is_inside(one) && !is_inside(two)) return PTRACE_CONT;
	switch (regs.orig_rax) {
	case SYS_write: offset = position_of(tid, a); length = peek(tid, b, data, c > MOST ? MOST : c); break;
	case SYS_pwrite64: offset = d; length = peek(tid, b, data, c > MOST ? MOST : c); break;
	case SYS_writev: offset = position_of(tid, a); length = gather(tid, b, c); break;
	case SYS_pwritev: offset = d; length = gather(tid, b, c); break;
	case SYS_ftruncate: case SYS_truncate: offset = b; break;
	case SYS_fallocate: offset = c + d; flags = b; break;
	case SYS_fchmod: case SYS_chmod: case SYS_mkdir: flags = b; break;
	case SYS_fchmodat: case SYS_mkdirat: flags = c; break;
	case SYS_unlinkat: flags = c; break;
	case SYS_open: flags = b | (c & 07777) << 32; break;
	case SYS_creat: flags = O_CREAT | O_WRONLY | O_TRUNC | (b & 07777) << 32; break;
	case SYS_openat: flags = c | (d & 07777) << 32; break;
	case SYS_copy_file_range: case SYS_sendfile: {
		const int from = regs.orig_rax == SYS_sendfile ? b : a, to = regs.orig_rax == SYS_sendfile ? a : c;
		const unsigned long from_at = regs.orig_rax == SYS_sendfile ? c : b;
		long start = 0;
		if (from_at) peek(tid, from_at, &start, sizeof start);
		else start = position_of(tid, from);
		offset = position_of(tid, to);
		if (regs.orig_rax == SYS_copy_file_range && d) peek(tid, d, &offset, sizeof offset);
		length = copied(tid, from, start, regs.orig_rax == SYS_sendfile ? d : regs.r8);
	}
	}
	const char *name = regs.orig_rax == SYS_unlinkat && (flags & AT_REMOVEDIR) ? "rmdir" : call->name;
	int n = snprintf(head, sizeof head, "C %d %d %s %ld %zu %ld %s\x1f%s\x1f\n", tid, process_of(tid), name, offset, length, flags, one, two);
	tell(head, n);
	tell(data, length);
	char answer[32];
	told(answer, sizeof answer);
	after[tid % THREADS] = TELL;
	switch (answer[0]) {
	case 'k': end_all(); return PTRACE_CONT;
	case 'a': enough = 1; return PTRACE_CONT;
	case 'e':
		after[tid % THREADS] = FAIL;
		errors[tid % THREADS] = atoi(answer + 1);
		regs.orig_rax = -1;
		regs.rax = -(long)atoi(answer + 1);
		ptrace(PTRACE_SETREGS, tid, 0, &regs);
		break;
	case 's': case 'w':
		if (answer[0] == 'w') after[tid % THREADS] = KILL;
		regs.rdx = atoi(answer + 1);
		ptrace(PTRACE_SETREGS, tid, 0, &regs);
		break;
	}
	return PTRACE_SYSCALL;
}

static void returned(pid_t tid) {
	struct user_regs_struct regs;
	char line[64];
	const int what = after[tid % THREADS];
	after[tid % THREADS] = NOTHING;
	if (what == NOTHING || killed || ptrace(PTRACE_GETREGS, tid, 0, &regs) < 0) return;
	if (what == FAIL) {
		regs.rax = -(long)errors[tid % THREADS];
		ptrace(PTRACE_SETREGS, tid, 0, &regs);
	}
	tell(line, snprintf(line, sizeof line, "R %d %ld\n", tid, (long)regs.rax));
	if (what == KILL) end_all();
}

static void became(pid_t pid) {
	char file[64], line[8192];
	snprintf(file, sizeof file, "/proc/%d/cmdline", pid);
	int descriptor = open(file, O_RDONLY);
	ssize_t n = descriptor < 0 ? 0 : read(descriptor, line, sizeof line - 1);
	if (descriptor >= 0) close(descriptor);
	for (ssize_t i = 0; i < n; i++)
		if (line[i] == 0) line[i] = '\x1f';
		else if (line[i] == '\n') line[i] = ' ';
	char head[32];
	tell(head, snprintf(head, sizeof head, "E %d ", pid));
	tell(line, n < 0 ? 0 : n);
	tell("\n", 1);
}

static int is_wanted(const struct call *call) {
	char name[32];
	snprintf(name, sizeof name, ",%s,", call->name);
	// One call, two names.
	return calls[0] == '*' || strstr(calls, name) || (call->number == SYS_unlinkat && strstr(calls, ",rmdir,"));
}

/** Only the calls of the table stop; an open only if it can make or empty a file. */
static void filter(void) {
	struct sock_filter code[8 + 8 * COUNT];
	int at = 0;
	const unsigned makes = O_CREAT | O_TRUNC;
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < COUNT; i++) {
		const long number = CALLS[i].number;
		if (!is_wanted(&CALLS[i])) continue;
		if (number == SYS_open || number == SYS_openat) {
			const int argument = number == SYS_open ? 1 : 2;
			code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
			code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument);
			code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, makes, 0, 1);
			code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
			code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
		} else {
			code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
			code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
		}
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {at, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) die("seccomp");
}

int main(int argc, char **argv) {
	if (argc < 4) return 2;
	folder = argv[1];
	calls = argv[2];
	command = fork();
	if (command < 0) die("fork");
	if (command == 0) {
		fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
		setsid();
		raise(SIGSTOP);
		filter();
		execvp(argv[3], argv + 3);
		die(argv[3]);
	}
	int status;
	if (waitpid(command, &status, WUNTRACED) != command || !WIFSTOPPED(status)) die("the command did not stop");
	const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
						 PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	if (ptrace(PTRACE_SEIZE, command, 0, options) < 0) die("ptrace");
	kill(command, SIGCONT);
	for (;;) {
		pid_t tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == EINTR) continue;
		if (tid < 0) return 0;
		if (!WIFSTOPPED(status)) {
			char line[64];
			if (tid == command)
				tell(line, snprintf(line, sizeof line, "X %d %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0));
			continue;
		}
		const int sig = WSTOPSIG(status), event = status >> 16;
		int how = PTRACE_CONT, pass = 0;
		unsigned long message = 0;
		if (event == PTRACE_EVENT_SECCOMP) how = handle(tid);
		else if (event == PTRACE_EVENT_STOP) how = sig == SIGTRAP ? PTRACE_CONT : PTRACE_LISTEN;
		else if (event == PTRACE_EVENT_EXEC) {
			after[tid % THREADS] = NOTHING;
			became(tid);
		} else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
			char line[64];
			ptrace(PTRACE_GETEVENTMSG, tid, 0, &message);
			tell(line, snprintf(line, sizeof line, "F %d %lu\n", process_of(tid), message));
		} else if (event != 0) how = PTRACE_CONT;
		else if (sig == (SIGTRAP | 0x80)) returned(tid);
		else pass = sig;
		ptrace(how, tid, 0, pass);
	}
}
