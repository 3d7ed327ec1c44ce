// The seccomp filter of sandboxed programs: which system calls fail, and how.
import {
  assemble,
  failWith,
  fromCall,
  killProcess,
  ofCall,
  onBits,
  onCall,
  onValues,
  unlessArchitecture,
  unlessValues,
  whereArgument,
} from './assembler.ts'
import { type Architecture, deniedCalls, judgedCalls, numberOf } from './denied-calls.ts'

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const auditArchitectures = { x64: 0xc000003e, arm64: 0xc00000b7 } as const satisfies Record<
  Architecture,
  number
>

/** On x64, calls of the x32 ABI have numbers from here on. */
const x32Calls = 0x40000000

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const namespaceFlags = 0x7e020000

/** TIOCSTI inserts input into a terminal, TIOCLINUX pastes into it. */
const terminalRequests = [0x5412, 0x541c]

/** Linux, 32-bit Linux, both with UNAME26, and 0xffffffff, which only asks for the current value. */
const personalities = [0, 8, 0x20000, 0x20008, 0xffffffff]

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
/** Programs read the addresses of network interfaces with it. */
const NETLINK_ROUTE = 0

let filter: Buffer | undefined

export function seccompFilter(): Buffer {
  filter ??= filterFor(process.arch as Architecture)
  return filter
}

/** Throws for an architecture whose system calls are not in the table. */
export function filterFor(architecture: Architecture): Buffer {
  const audit = auditArchitectures[architecture]
  if (audit === undefined)
    throw new Error(`there is no seccomp filter for ${architecture}; svcd runs server apps on x64 and arm64`)
  const call = (name: keyof typeof judgedCalls) => numberOf(judgedCalls[name], architecture)!
  const denied = Object.values(deniedCalls).flatMap(numbers => numberOf(numbers, architecture) ?? [])
  return assemble([
    ...unlessArchitecture(audit, killProcess),
    ...(architecture === 'x64' ? fromCall(x32Calls, killProcess) : []),
    ...denied.flatMap(number => onCall(number, failWith(EPERM))),
    // A filter cannot read the flags of clone3. After ENOSYS the C library calls clone, whose flags it can read.
    ...onCall(call('clone3'), failWith(ENOSYS)),
    ...onBits(call('clone'), 0, namespaceFlags, failWith(EPERM)),
    ...onValues(call('ioctl'), 1, terminalRequests, failWith(EPERM)),
    ...unlessValues(call('personality'), 0, personalities, failWith(EPERM)),
    ...unlessValues(call('socketpair'), 0, [AF_UNIX], failWith(EAFNOSUPPORT)),
    ...unlessValues(call('socket'), 0, [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK], failWith(EAFNOSUPPORT)),
    ...ofCall(
      call('socket'),
      whereArgument(0, AF_NETLINK, unlessValues(call('socket'), 2, [NETLINK_ROUTE], failWith(EAFNOSUPPORT))),
    ),
  ])
}
