// The system calls that sandboxed programs may not make, with their numbers on the two architectures. A web server does not
// need them, and programs have escaped from sandboxes with them.

export type Architecture = 'x64' | 'arm64'

/** `undefined` if the architecture has no such call. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined]

/** These calls always fail with EPERM. */
export const deniedCalls: Readonly<Record<string, Numbers>> = {
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  // Opening files by handle instead of by path.
  open_by_handle_at: [304, 265],
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  // The kernel's keyrings. An app inherits the session keyring of svcd.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Large interfaces with a history of security holes.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  // The machine itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
}

/** Calls that fail only with some arguments, or with another error. */
export const judgedCalls = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  personality: [135, 92],
  socket: [41, 198],
  socketpair: [53, 199],
} as const satisfies Record<string, Numbers>

export const numberOf = (numbers: Numbers, architecture: Architecture): number | undefined =>
  numbers[architecture === 'x64' ? 0 : 1]
