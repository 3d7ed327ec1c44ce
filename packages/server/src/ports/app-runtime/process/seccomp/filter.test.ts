import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../../lib/ids.ts'
import { askAt } from '../../conformance.ts'
import { programAt } from '../../programs.ts'
import { ProcessRuntime } from '../runtime.ts'
import { findSandbox } from '../sandbox.ts'
import { type Architecture, deniedCalls, judgedCalls, numberOf } from './denied-calls.ts'
import { filterFor } from './filter.ts'
import { x64Calls } from './testing/x64-calls.ts'

const architecture = process.arch as Architecture
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

test.each(['x64', 'arm64'] as const)('the filter for %s is one that the kernel takes', name => {
  const filter = filterFor(name)
  expect(filter.length % 8).toBe(0)
  // The kernel takes up to 4096 instructions.
  expect(filter.length / 8).toBeLessThan(4096)
  const numbers = Object.values({ ...deniedCalls, ...judgedCalls }).flatMap(it => numberOf(it, name) ?? [])
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('every number of x64 is the same as in the kernel, also for calls that other architectures lack', () => {
  // A call that is newer than the list has the same number on all architectures.
  const known = new Map(x64Calls).set('open_tree_attr', deniedCalls.open_tree_attr![1]!)
  const calls = Object.entries({ ...deniedCalls, ...judgedCalls })
  const written = calls.map(([name, numbers]) => [name, numberOf(numbers, 'x64')])
  expect(written).toEqual(calls.map(([name]) => [name, known.get(name)]))
})

test('an architecture without a table is refused with an error', () => {
  expect(() => filterFor('riscv64' as Architecture)).toThrow('no seccomp filter for riscv64')
})

/** Makes each call that is given as `number,argument,…` and answers the error numbers. */
const caller = `
  const { execFileSync } = require('node:child_process')
  const script = 'for (@ARGV) { $! = 0; my ($number, @rest) = map { int($_) } split /,/; syscall($number, @rest); print int($!), "\\n" }'
  require('node:http').createServer((req, res) => {
    const calls = req.url.slice(1).split(';')
    res.end(JSON.stringify(execFileSync('perl', ['-e', script, ...calls], { encoding: 'utf8' }).trim().split('\\n').map(Number)))
  }).listen(process.env.PORT)`

const missing = !(await findSandbox()) ? 'bubblewrap' : programAt('perl') ? '' : 'perl'

if (missing !== '') {
  console.warn(`The tests of the seccomp filter are skipped: they need ${missing}`)
  describe.skip(`the seccomp filter (it needs ${missing})`, () => test('all of it', () => undefined))
} else
  describe('the seccomp filter', () => {
    async function errorsOf(calls: (readonly (number | undefined)[])[]): Promise<unknown> {
      const root = mkdtempSync(path.join(tmpdir(), 'svc-seccomp-'))
      const filesDir = path.join(root, 'files')
      mkdirSync(filesDir)
      writeFileSync(path.join(filesDir, 'app.cjs'), caller)
      const runtime = await ProcessRuntime.open(`node${randomText(12)}`, { outbound: 'off' })
      onTestFinished(async () => {
        await runtime.close()
        rmSync(root, { recursive: true })
      })
      const app = await runtime.start({
        ...{ instanceId: `ins_${randomText(16)}`, projectId: 'prj_a', project: 'a', deploymentId: 'dep_a' },
        ...{ filesDir, scratchDirs: [], command: ['node', 'app.cjs'], env: {}, readyWithinMs: 60_000 },
        limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 },
        output: () => true,
      })
      return await askAt(runtime, app, calls.map(call => call.join(',')).join(';'))
    }

    test('every call of the table fails with EPERM', async () => {
      const calls = Object.entries(deniedCalls).flatMap(([name, numbers]) => {
        const number = numberOf(numbers, architecture)
        return number === undefined ? [] : [{ name, number }]
      })
      const errors = (await errorsOf(calls.map(({ number }) => [number, -1, -1, -1, -1, -1]))) as number[]
      expect(calls.map(({ name }, i) => [name, errors[i]])).toEqual(calls.map(({ name }) => [name, EPERM]))
    })

    test('calls that depend on their arguments fail with risky ones, and work with others', async () => {
      const call = (name: keyof typeof judgedCalls) => numberOf(judgedCalls[name], architecture)
      const stream = 1
      const cases: [what: string, call: (number | undefined)[], error: number][] = [
        ['clone3', [call('clone3'), 0, 0], ENOSYS],
        ['clone with a user namespace', [call('clone'), 0x10000000, 0, 0, 0, 0], EPERM],
        ['clone with a network namespace', [call('clone'), 0x40000000, 0, 0, 0, 0], EPERM],
        ['typing into the terminal', [call('ioctl'), 0, 0x5412, 0], EPERM],
        ['addresses without randomness', [call('personality'), 0x40000], EPERM],
        ['the question which personality', [call('personality'), 0xffffffff], 0],
        ['a TCP socket', [call('socket'), 2, stream, 0], 0],
        ['an IPv6 socket', [call('socket'), 10, stream, 0], 0],
        ['a unix socket', [call('socket'), 1, stream, 0], 0],
        ['the list of interfaces', [call('socket'), 16, 3, 0], 0],
        ['netlink to the firewall', [call('socket'), 16, 3, 12], EAFNOSUPPORT],
        ['a packet socket', [call('socket'), 17, 3, 0], EAFNOSUPPORT],
        ['a socket of virtual machines', [call('socket'), 40, stream, 0], EAFNOSUPPORT],
        ['a socket of the crypto API', [call('socket'), 38, 5, 0], EAFNOSUPPORT],
      ]
      const errors = (await errorsOf(cases.map(([, call]) => call))) as number[]
      expect(cases.map(([what], i) => [what, errors[i]])).toEqual(
        cases.map(([what, , error]) => [what, error]),
      )
    })
  })
