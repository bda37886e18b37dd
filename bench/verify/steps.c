// Counts the user instructions of a program's threads by executing them one by one:
//
//   steps worker COMMAND   the threads that a program calls "worker …" (fathom)
//   steps all COMMAND      every thread but the first (fio --thread)
//
// valgrind counts without AVX-512, which it does not know. A processor that has it executes fewer instructions.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_worker(pid_t thread) {
    char path[64], name[32] = {0};
    snprintf(path, sizeof path, "/proc/%d/comm", thread);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (!fgets(name, sizeof name, file)) name[0] = 0;
    fclose(file);
    return !strncmp(name, "worker", 6);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int all = !strcmp(argv[1], "all");
    pid_t first = fork();
    if (!first) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status, code = 1;
    waitpid(first, &status, 0);
    ptrace(PTRACE_SETOPTIONS, first, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    ptrace(PTRACE_CONT, first, 0, 0);
    unsigned long long steps = 0;
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            if (thread == first) code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            continue;
        }
        // Others go on from system call to system call: one of them gives the thread its name.
        int counted = thread != first && (all || is_worker(thread)), signal = WSTOPSIG(status);
        int passed = signal == SIGTRAP || signal == SIGSTOP || signal == (SIGTRAP | 0x80) ? 0 : signal;
        steps += counted && signal == SIGTRAP;
        int how = counted ? PTRACE_SINGLESTEP : thread == first ? PTRACE_CONT : PTRACE_SYSCALL;
        ptrace(how, thread, 0, passed);
    }
    fprintf(stderr, "%llu\n", steps);
    return code;
}
