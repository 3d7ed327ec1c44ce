// A small assembler for seccomp filters (classic BPF, as in seccomp(2)): rules in, bytes for the kernel out.

/** The actions of a filter: what the kernel does with a call. */
const allow = 0x7fff0000
export const killProcess = 0x80000000
export const failWith = (errno: number): number => 0x00050000 | errno

/** The offsets of a call's number, its architecture and the low half of an argument. */
const callAt = 0
const architectureAt = 4
const argumentAt = (index: number): number => 16 + 8 * index

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const end = (action: number): Instruction => [0x06, 0, 0, action]
const jump = (code: number, value: number, ifTrue: number, ifFalse: number): Instruction => [
  ...([code, ifTrue, ifFalse, value] as const),
]
const isEqual = 0x15
const isAtLeast = 0x35
const hasBits = 0x45

/** Ends with `action` if the call has this number. */
export const onCall = (call: number, action: number): Instruction[] => [
  load(callAt),
  jump(isEqual, call, 0, 1),
  end(action),
]

/** Ends with `action` if the call has this number or a higher one. */
export const fromCall = (call: number, action: number): Instruction[] => [
  load(callAt),
  jump(isAtLeast, call, 0, 1),
  end(action),
]

/** Ends with `action` unless the call was made for this architecture. A 32-bit call on x64 has another one. */
export const unlessArchitecture = (audit: number, action: number): Instruction[] => [
  load(architectureAt),
  jump(isEqual, audit, 1, 0),
  end(action),
]

/** Ends with `action` if the call has this number and its argument has one of the bits. */
export const onBits = (call: number, argument: number, bits: number, action: number): Instruction[] =>
  ofCall(call, [load(argumentAt(argument)), jump(hasBits, bits, 0, 1), end(action)])

/** Ends with `action` if the call has this number and its argument is one of the values. */
export const onValues = (call: number, argument: number, values: number[], action: number): Instruction[] =>
  ofCall(call, [
    load(argumentAt(argument)),
    ...values.flatMap(value => [jump(isEqual, value, 0, 1), end(action)]),
  ])

/** Ends with `action` if the call has this number and its argument is none of the values. */
export const unlessValues = (
  call: number,
  argument: number,
  values: number[],
  action: number,
): Instruction[] =>
  ofCall(call, [
    load(argumentAt(argument)),
    ...values.map((value, i) => jump(isEqual, value, values.length - i, 0)),
    end(action),
  ])

/** Runs `rest` only if the call has this number. */
export const ofCall = (call: number, rest: Instruction[]): Instruction[] => [
  load(callAt),
  jump(isEqual, call, 0, rest.length),
  ...rest,
]

/** Runs `rest` only if the argument of the call has this value. */
export const whereArgument = (argument: number, value: number, rest: Instruction[]): Instruction[] => [
  load(argumentAt(argument)),
  jump(isEqual, value, 0, rest.length),
  ...rest,
]

/** The filter as an array of `struct sock_filter`. A call that no rule ended is allowed. */
export function assemble(rules: Instruction[]): Buffer {
  const program = [...rules, end(allow)]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [i, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8)
    bytes.writeUInt8(ifTrue, i * 8 + 2)
    bytes.writeUInt8(ifFalse, i * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4)
  }
  return bytes
}
