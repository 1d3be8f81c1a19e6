// The filter of system calls for commands, as the kernel takes it: a program of classic BPF. It forbids what namespaces
// do not isolate or what has opened ways out of them before: further namespaces, mounts, keys, BPF, io_uring, tracing,
// memory that belongs to no process, and sockets to the host of a virtual machine.

interface Calls {
  /** As `AUDIT_ARCH_*` of the kernel. */
  readonly arch: number
  readonly clone: number
  readonly clone3: number
  readonly ioctl: number
  readonly mmap: number
  readonly socket: number
  readonly denied: ReadonlyArray<number>
}

// pidfd_getfd, io_uring, the new mount calls, quotactl_fd, memfd_secret: the same numbers on all machines
const recent = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442, 443, 447]

const machines: Readonly<Record<string, Calls>> = {
  x64: {
    arch: 0xc000003e,
    clone: 56,
    clone3: 435,
    ioctl: 16,
    mmap: 9,
    socket: 41,
    // shmget, msgget, ptrace, syslog, pivot_root, chroot, acct, settimeofday, mount, umount2, swapon, swapoff, reboot,
    // sethostname, setdomainname, iopl, ioperm, init_module, delete_module, quotactl, kexec_load, add_key, request_key,
    // keyctl, unshare, perf_event_open, name_to_handle_at, open_by_handle_at, setns, process_vm_readv,
    // process_vm_writev, kcmp, finit_module, memfd_create, kexec_file_load, bpf, userfaultfd
    denied: [
      [29, 68, 101, 103, 155, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 246, 248],
      [249, 250, 272, 298, 303, 304, 308, 310, 311, 312, 313, 319, 320, 321, 323],
      recent
    ].flat()
  },
  arm64: {
    arch: 0xc00000b7,
    clone: 220,
    clone3: 435,
    ioctl: 29,
    mmap: 222,
    socket: 198,
    // the same calls in the order of their numbers
    denied: [
      [39, 40, 41, 51, 60, 89, 97, 104, 105, 106, 116, 117, 142, 161, 162, 170, 186, 194, 217, 218, 219, 224, 225],
      [241, 264, 265, 268, 270, 271, 272, 273, 279, 280, 282, 294],
      recent
    ].flat()
  }
}

const load = (offset: number) => ({ code: 0x20, jt: 0, jf: 0, k: offset })
/** Skips the next `jf` instructions unless the value is `k`, and `jt` if it is. */
const ifEqual = (k: number, jt: number, jf: number) => ({ code: 0x15, jt, jf, k })
const ifAtLeast = (k: number, jt: number, jf: number) => ({ code: 0x35, jt, jf, k })
const ifAnyBit = (k: number, jt: number, jf: number) => ({ code: 0x45, jt, jf, k })
const keepBits = (k: number) => ({ code: 0x54, jt: 0, jf: 0, k })
const result = (k: number) => ({ code: 0x06, jt: 0, jf: 0, k })

const allow = result(0x7fff0000)
const kill = result(0x80000000)
const refuse = result(0x00050000 + 1)
/** The C library falls back to an older call. */
const unknown = result(0x00050000 + 38)

const [number, arch, firstArgument, secondArgument, fourthArgument] = [0, 4, 16, 24, 40]

/** Namespaces of each kind. */
const newNamespaces = 0x7e020080
const [typedIntoTerminal, consoleControl] = [0x5412, 0x541c]
const [local, internet4, internet6, netlink] = [1, 2, 10, 16]
/** Shared memory without a file: its pages stay when no process has them, and then they are not counted. */
const sharedAnonymous = 0x21
/** Numbers of the x32 machine, which would not be found in the list. */
const firstOfX32 = 0x40000000

/** The program for this machine. Undefined: no list is known for it. */
export const program = (machine: string): Uint8Array | undefined => {
  const calls = machines[machine]
  if (calls === undefined) return undefined
  const instructions = [
    load(arch),
    ifEqual(calls.arch, 1, 0),
    kill,
    load(number),
    ifAtLeast(firstOfX32, 0, 1),
    unknown,
    ifEqual(calls.clone3, 0, 1),
    unknown,
    ...calls.denied.flatMap((call) => [ifEqual(call, 0, 1), refuse]),
    ifEqual(calls.clone, 0, 4),
    load(firstArgument),
    ifAnyBit(newNamespaces, 0, 1),
    refuse,
    allow,
    ifEqual(calls.ioctl, 0, 5),
    load(secondArgument),
    ifEqual(typedIntoTerminal, 1, 0),
    ifEqual(consoleControl, 0, 1),
    refuse,
    allow,
    ifEqual(calls.mmap, 0, 5),
    load(fourthArgument),
    keepBits(sharedAnonymous),
    ifEqual(sharedAnonymous, 0, 1),
    refuse,
    allow,
    ifEqual(calls.socket, 0, 7),
    load(firstArgument),
    ifEqual(local, 4, 0),
    ifEqual(internet4, 3, 0),
    ifEqual(internet6, 2, 0),
    ifEqual(netlink, 1, 0),
    refuse,
    allow,
    allow
  ]
  const bytes = Buffer.alloc(instructions.length * 8)
  for (const [index, { code, jf, jt, k }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jt, index * 8 + 2)
    bytes.writeUInt8(jf, index * 8 + 3)
    bytes.writeUInt32LE(k, index * 8 + 4)
  }
  return bytes
}
