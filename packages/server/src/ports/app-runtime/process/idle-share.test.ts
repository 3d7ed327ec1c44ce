import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { findCgroups } from './cgroups.ts'
import { IdleShare, nextShare, type Share } from './idle-share.ts'

const atFirst = { at: 0, builds: 0, server: 0 }
const begun: Share = { isIdle: true, since: atFirst, times: 1, weighed: atFirst }

const calm = 5
const busy = 90

/** Whether the builds are idle at each sample, a second apart. `builds` and `server` are the ticks used between two samples. */
function idleAfter(samples: number, { builds, server }: { builds: number; server: number }): boolean[] {
  let share = begun
  return Array.from({ length: samples }, (_, i) => {
    const sample = { at: (i + 1) * 1_000, builds: builds * (i + 1), server: server * (i + 1) }
    share = nextShare(share, sample)
    return share.isIdle
  })
}

/** How long each state lasted, in samples. */
function lengths(states: readonly boolean[]): [isIdle: boolean, samples: number][] {
  const runs: [boolean, number][] = []
  for (const isIdle of states)
    if (runs.at(-1)?.[0] === isIdle) (runs.at(-1) as [boolean, number])[1]++
    else runs.push([isIdle, 1])
  return runs
}

test.each([calm, busy])('builds that get CPU time stay idle, with %i ticks for the server', server => {
  expect(idleAfter(200, { builds: 100, server })).not.toContain(false)
  expect(idleAfter(200, { builds: 15, server })).not.toContain(false)
})

test('builds that starve beside a busy server get a share after 20 seconds, and try to be idle 20 seconds later', () => {
  expect(lengths(idleAfter(79, { builds: 1, server: busy }))).toEqual([
    [true, 19],
    [false, 20],
    [true, 20],
    [false, 20],
  ])
})

test('builds that starve while the server is calm get a share after 2 seconds', () => {
  expect(lengths(idleAfter(43, { builds: 1, server: calm }))).toEqual([
    [true, 1],
    [false, 20],
    [true, 2],
    [false, 20],
  ])
})

test('a process of a build that ends counts as progress', () => {
  const sample = { at: 30_000, builds: 10, server: 0 }
  const since = { at: 0, builds: 5_000, server: 0 }
  expect(nextShare({ ...begun, since }, sample)).toMatchObject({ isIdle: true, since: sample })
})

/** The weights at each sample while the builds get so many ticks a second for each part of their weight. */
function weightsAfter(samples: number, ticksPerPart: number): number[] {
  let share = begun
  let builds = 0
  return Array.from({ length: samples }, (_, i) => {
    builds += share.isIdle ? 0 : ticksPerPart * share.times
    share = nextShare(share, { at: (i + 1) * 1_000, builds, server: 0 })
    return share.isIdle ? 0 : share.times
  })
}

test('builds that starve beside many other programs get more weight, until they have a tenth of a core', () => {
  expect(Math.max(...weightsAfter(60, 2))).toBe(8)
  expect(Math.max(...weightsAfter(60, 12))).toBe(1)
  expect(Math.max(...weightsAfter(300, 0))).toBe(16)
  // They begin with the weight that was enough the last time.
  expect(weightsAfter(60, 2).slice(22, 24)).toEqual([0, 8])
})

test('builds that get a lot give weight back', () => {
  const heavy: Share = { ...begun, isIdle: false, times: 8 }
  expect(nextShare(heavy, { at: 2_000, builds: 150, server: 0 })).toMatchObject({ isIdle: false, times: 4 })
})

const limits = { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 }
/** Version 2 in one tree, or the CPU's own tree of version 1. */
const groupOf = (nodeId: string) =>
  ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu']
    .map(root => path.join(root, `svc-apps-${nodeId}`))
    .find(dir => existsSync(path.join(dir, 'cpu.idle')))

const idleFile = (dir: string) => readFileSync(path.join(dir, 'cpu.idle'), 'utf8').trim()
/** Version 1 counts in shares of 1024, version 2 in weights of 100. */
function weightOf(dir: string): number {
  const shares = path.join(dir, 'cpu.shares')
  if (existsSync(shares)) return Math.round((Number(readFileSync(shares, 'utf8')) * 100) / 1024)
  return Number(readFileSync(path.join(dir, 'cpu.weight'), 'utf8'))
}

function openGroup() {
  const nodeId = `node${randomText(12)}`
  const cgroups = findCgroups(nodeId, { cpuWeight: 20 })
  onTestFinished(() => {
    for (const cgroup of cgroups?.list() ?? []) cgroup.remove()
    cgroups?.close()
  })
  return { cgroups, nodeId }
}

test('the cgroups of builds become idle, and get their weight back when they are not idle any more', () => {
  const { cgroups, nodeId } = openGroup()
  cgroups?.make('bld_a', limits)
  const dir = groupOf(nodeId)
  if (!cgroups || !dir) return // No cgroups here, or a kernel before 5.15.
  expect([idleFile(dir), weightOf(dir)]).toEqual(['0', 20])
  cgroups.setIdle(true)
  expect(idleFile(dir)).toBe('1')
  // The kernel refuses to give an idle group a weight.
  expect(() => cgroups.make('bld_b', limits)).not.toThrow()
  expect(idleFile(dir)).toBe('1')
  cgroups.setIdle(false)
  expect([idleFile(dir), weightOf(dir)]).toEqual(['0', 20])
  cgroups.setIdle(false, 4)
  expect([idleFile(dir), weightOf(dir)]).toEqual(['0', 80])
})

test('builds begin idle', () => {
  const { cgroups, nodeId } = openGroup()
  if (!cgroups) return
  const share = new IdleShare(cgroups)
  share.begin()
  cgroups.make('bld_a', limits)
  share.end()
  const dir = groupOf(nodeId)
  if (dir) expect(idleFile(dir)).toBe('1')
})
