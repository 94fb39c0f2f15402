/*
 * Runs a program, and all that it starts, under ptrace, and lets one of their system calls on files below a directory
 * fail, or be cut short, or be the last of its process. Bun compiles this by itself (TinyCC), which has no headers:
 * what Linux calls by a number is named here. Only for x86-64, whose registers it reads.
 */
typedef unsigned long u64;
typedef unsigned int u32;

int *__errno_location(void);
int fork(void);
int execvp(const char *file, char *const argv[]);
int kill(int pid, int signal);
int getpid(void);
void _exit(int code);
int waitpid(int pid, int *status, int options);
long ptrace(int request, int pid, void *address, void *data);
int prctl(int option, u64 a, u64 b, u64 c, u64 d);
long readlink(const char *path, char *into, u64 size);
int access(const char *path, int mode);
int open(const char *path, int flags, ...);
void *mmap(void *at, u64 size, int rights, int flags, int file, long offset);
long write(int file, const void *bytes, u64 size);
int snprintf(char *into, u64 size, const char *format, ...);
int strncmp(const char *a, const char *b, u64 size);
u64 strlen(const char *text);
void *signal(int signal, void (*handler)(int));
int sigprocmask(int how, const u64 *set, u64 *old);

/* In the file that is shared with whoever plans the faults: see fault-plan.ts, which has the same order. */
struct state {
  u32 armed;    /* 0: nothing is counted, and nothing fails */
  u32 classes;  /* a bit for each class that counts */
  u32 nth;      /* which call it is; 0: none */
  u32 fault;    /* FAIL … */
  u32 error;    /* what FAIL answers with: errno */
  u32 count;    /* calls so far, of the classes that count */
  u32 of[4];    /* calls of each class */
  u32 struck;   /* 1: it has been the nth */
  u32 lasting;  /* 1: what comes after the nth fails too */
  u32 telling;  /* 1: each call that changes something is written down */
  u32 unused[3];
  char what[192]; /* the call that was the nth: its name and its file */
};

enum { WRITE, SYNC, NAME, READ, NONE };
enum { FAIL, SHORT, KILL, TORN };

struct registers {
  u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, number, ip, cs, flags, sp, ss, fs, gs, d, e, f, g;
};

/* How the file of a call is named: by its descriptor, or by a path in the first argument or the second. */
enum { BY_FILE, BY_FIRST, BY_SECOND };

struct call {
  int number;
  int class;
  int named;
  const char *name;
};

static const struct call calls[] = {
  {1, WRITE, BY_FILE, "write"},        {18, WRITE, BY_FILE, "pwrite"},
  {20, WRITE, BY_FILE, "writev"},      {296, WRITE, BY_FILE, "pwritev"},
  {77, WRITE, BY_FILE, "ftruncate"},   {285, WRITE, BY_FILE, "fallocate"},
  {74, SYNC, BY_FILE, "fsync"},        {75, SYNC, BY_FILE, "fdatasync"},
  {82, NAME, BY_FIRST, "rename"},      {264, NAME, BY_SECOND, "renameat"},
  {316, NAME, BY_SECOND, "renameat2"}, {87, NAME, BY_FIRST, "unlink"},
  {263, NAME, BY_SECOND, "unlinkat"},  {83, NAME, BY_FIRST, "mkdir"},
  {258, NAME, BY_SECOND, "mkdirat"},   {2, NAME, BY_FIRST, "open"},
  {257, NAME, BY_SECOND, "openat"},    {86, NAME, BY_FIRST, "link"},
  {265, NAME, BY_SECOND, "linkat"},    {40, WRITE, BY_FILE, "sendfile"},
  {326, WRITE, BY_SECOND + 1, "copy_file_range"},
  {0, READ, BY_FILE, "read"},          {17, READ, BY_FILE, "pread"},
  {19, READ, BY_FILE, "readv"},
};
#define CALLS (sizeof calls / sizeof calls[0])

static volatile struct state *state;
static const char *directory;
static int first; /* process */
static int told;  /* the file that calls are written down in */

static u32 next(volatile u32 *counter) {
  u32 one = 1;
  /* Another tracer may count beside. */
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(one), "+m"(*counter) : : "memory");
  return one + 1;
}

static void pass_on(int signal) {
  kill(first, signal);
}

/* prctl.h, seccomp.h, filter.h: stop at the calls that are listed, and let all others through. */
static void stop_at_calls(void) {
  struct { unsigned short code; unsigned char yes, no; u32 value; } filter[2 * CALLS + 2];
  struct { unsigned short length; void *filter; } program;
  u32 at = 0, each;
  filter[at].code = 0x20; filter[at].yes = 0; filter[at].no = 0; filter[at++].value = 0; /* the number */
  for (each = 0; each < CALLS; each++) {
    filter[at].code = 0x15; filter[at].yes = 0; filter[at].no = 1; filter[at++].value = calls[each].number;
    filter[at].code = 0x06; filter[at].yes = 0; filter[at].no = 0; filter[at++].value = 0x7ff00000; /* trace */
  }
  filter[at].code = 0x06; filter[at].yes = 0; filter[at].no = 0; filter[at++].value = 0x7fff0000; /* allow */
  program.length = at;
  program.filter = filter;
  prctl(38, 1, 0, 0, 0); /* no new privileges */
  if (prctl(22, 2, (u64)&program, 0, 0) != 0) _exit(125);
}

static const struct call *call_of(u64 number) {
  u32 each;
  for (each = 0; each < CALLS; each++) if (calls[each].number == number) return &calls[each];
  return 0;
}

static void text_at(int thread, u64 address, char *into, u32 size) {
  u32 at = 0, byte;
  while (at + 8 < size) {
    u64 word;
    *__errno_location() = 0;
    word = ptrace(2, thread, (void *)(address + at), 0); /* PEEKDATA */
    if (*__errno_location() != 0) break;
    for (byte = 0; byte < 8; byte++, at++) if ((into[at] = word >> (8 * byte)) == 0) return;
  }
  into[at] = 0;
}

static void path_of(int thread, const struct call *call, struct registers *registers, char *into, u32 size) {
  char link[64];
  long length;
  if (call->named == BY_FIRST || call->named == BY_SECOND) {
    text_at(thread, call->named == BY_FIRST ? registers->di : registers->si, into, size);
    return;
  }
  snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, (int)(call->named == BY_FILE ? registers->di : registers->dx));
  length = readlink(link, into, size - 1);
  into[length < 0 ? 0 : length] = 0;
}

/* A file is only opened where it is; its name is made where there is none. */
static int makes_nothing(const struct call *call, struct registers *registers, const char *path) {
  u64 flags = call->number == 2 ? registers->si : registers->dx;
  return (call->number == 2 || call->number == 257) && ((flags & 0100) == 0 || access(path, 0) == 0);
}

/* What a file is called from then on; empty for a call that gives no name. */
static void target_of(int thread, const struct call *call, struct registers *registers, char *into, u32 size) {
  int number = call->number;
  into[0] = 0;
  if (number == 82 || number == 86) text_at(thread, registers->si, into, size); /* rename, link */
  if (number == 264 || number == 316 || number == 265) text_at(thread, registers->r10, into, size); /* …at */
}

/* A line: the process, the call, its file, and what that is to be called. */
static void tell(int thread, const struct call *call, struct registers *registers, const char *path) {
  char line[1200], target[512];
  target_of(thread, call, registers, target, sizeof target);
  write(told, line, snprintf(line, sizeof line, "%d\t%s\t%s\t%s\n", first, call->name, path, target));
}

/* Before a call is made. Resumes the thread, with whatever is to become of the call. */
static void meet(int thread) {
  struct registers registers;
  const struct call *call;
  char path[512];
  u32 at, how = 7; /* CONT */
  ptrace(12, thread, 0, &registers); /* GETREGS */
  call = call_of(registers.number);
  if (!state->armed || call == 0) goto resume;
  path_of(thread, call, &registers, path, sizeof path);
  if (strncmp(path, directory, strlen(directory)) != 0 || makes_nothing(call, &registers, path)) goto resume;
  next(&state->of[call->class]);
  if (state->telling && call->class != READ) tell(thread, call, &registers, path);
  if ((state->classes & (1 << call->class)) == 0) goto resume;
  at = next(&state->count);
  if (at != state->nth && !(state->lasting && state->struck)) goto resume;
  if (at == state->nth) {
    state->struck = 1;
    snprintf((char *)state->what, sizeof state->what, "%s of %s", call->name, path + strlen(directory) + 1);
  }
  if (state->fault == KILL) {
    kill(thread, 9);
    return;
  }
  if (state->fault == FAIL) {
    registers.number = -1;
    registers.ax = -(long)state->error;
  } else {
    /* Half of it, and at least a byte: nothing at all would mean the end of the file. */
    if (registers.dx > 1) registers.dx /= 2;
    if (state->fault == TORN) how = 24; /* SYSCALL: stops once more after the call */
  }
  ptrace(13, thread, 0, &registers); /* SETREGS */
resume:
  ptrace(how, thread, 0, 0);
}

/* Exit code of the program; 128 and the number of the signal that ended it; 125 where it cannot be traced. */
int trace(const char *state_path, const char *told_path, const char *below, char **argv) {
  int file = open(state_path, 2), status, thread, result = 125;
  u64 none = 0;
  directory = below;
  told = open(told_path, 02002001); /* to write, at the end, not handed on */
  prctl(1, 9, 0, 0, 0); /* ends with whoever has started it, and with it all that is traced */
  state = mmap(0, sizeof(struct state), 3, 1, file, 0);
  if ((long)state == -1) return 125;
  first = fork();
  if (first == 0) {
    sigprocmask(2, &none, 0);
    signal(13, 0);
    if (ptrace(0, 0, 0, 0) != 0) _exit(125); /* TRACEME */
    kill(getpid(), 19);
    stop_at_calls();
    execvp(argv[0], argv);
    _exit(127);
  }
  waitpid(first, &status, 0);
  if ((status & 0xff) != 0x7f) return 125;
  signal(15, pass_on);
  signal(2, pass_on);
  /* Marks stops at system calls; follows fork, vfork, clone and exec; stops at what the filter says; ends with us. */
  ptrace(0x4200, first, 0, (void *)(0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000));
  ptrace(7, first, 0, 0);
  for (;;) {
    u32 stop;
    thread = waitpid(-1, &status, 0x40000000); /* threads too */
    if (thread < 0) {
      if (*__errno_location() == 4) continue; /* EINTR */
      return result; /* nobody is left */
    }
    if ((status & 0xff) != 0x7f) {
      if (thread == first) result = (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f);
      continue;
    }
    stop = (status >> 8) & 0xff;
    if (status >> 16 == 7) meet(thread);
    else if (stop == (5 | 0x80)) kill(thread, 9); /* torn: the half is written */
    /* Our own stops, and the first of a new thread; all else is a signal for it. */
    else ptrace(7, thread, 0, (void *)(u64)(status >> 16 != 0 || stop == 19 || stop == 5 ? 0 : stop));
  }
}
