import { appendFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KeptLogs } from './port.ts'
import {
  all,
  counter,
  everything,
  filesOf,
  instance,
  logDirectory,
  MB,
  sizeOf,
  start,
  texts,
  writeAll,
} from './testbed.ts'

test('a line has its stream, its instance and its time', async () => {
  const logs = (await logDirectory()).open()
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('out\n'))
  sink.write('stderr', Buffer.from('err\n'))
  await sink.close()
  expect(await logs.read(everything)).toEqual([
    { at: start, source: 'stdout', instanceId: 'app_1', deploymentId: 'dep_1', text: 'out' },
    { at: start + 1n, source: 'stderr', instanceId: 'app_1', deploymentId: 'dep_1', text: 'err' },
  ])
})

test("lines of the platform are marked, and the last note comes after the app's last line", async () => {
  const logs = (await logDirectory()).open({ rate: { bytesPerSecond: 1, burstBytes: 100 } })
  const sink = logs.open(instance())
  sink.note('It started.')
  sink.write('stdout', Buffer.from('no end'))
  await sink.close('It ended:\nbadly.')
  sink.note('too late')
  expect((await logs.read(everything)).map(({ source, text }) => [source, text])).toEqual([
    ['platform', 'svc: It started.'],
    ['stdout', 'no end'],
    ['platform', 'svc: It ended: badly.'],
  ])
})

test('written lines can be read at once, before the instance ends', async () => {
  const logs = (await logDirectory()).open()
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('one\ntw'))
  expect(await all(logs)).toEqual(['one'])
  sink.write('stdout', Buffer.from('o\nrest'))
  expect(await all(logs)).toEqual(['one', 'two'])
  await sink.close()
  expect(await all(logs)).toEqual(['one', 'two', 'rest'])
})

const words = fc.array(
  fc.string({ maxLength: 30 }).map(text => text.replace(/[\r\n]/g, ' ')),
  { maxLength: 60 },
)

test('tail, since and until give the same lines as on a plain list', async () => {
  await fc.assert(
    fc.asyncProperty(
      words,
      fc.nat(70),
      fc.nat(70),
      fc.integer({ min: 1, max: 70 }),
      async (lines, a, b, tail) => {
        const { dir, open } = await logDirectory()
        // The files are small, so that a range spans several.
        const logs = open({ bytesAtMost: 4096 * 8 })
        for (const line of lines) await writeAll(logs, `${line}\n`)
        const [since, until] = [start + BigInt(a) - 1n, start + BigInt(b)]
        expect(texts(await logs.read({ ...everything, tail, since, until }))).toEqual(
          lines.filter((_, i) => i >= a && i < b).slice(-tail),
        )
        expect(texts(await logs.read({ ...everything, tail }))).toEqual(lines.slice(-tail))
        await rm(dir, { recursive: true })
      },
    ),
    { numRuns: 40 },
  )
})

test('a reader that follows two instances by time sees every line once and in order', async () => {
  const step = fc.oneof(
    fc.record({ who: fc.constantFrom('app_1', 'app_2'), lines: fc.integer({ min: 1, max: 30 }) }),
    fc.constant('look' as const),
    fc.constant('restart' as const),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async steps => {
      const { dir, open } = await logDirectory()
      let logs = open({ bytesAtMost: 64 * MB })
      let sinks = new Map<string, ReturnType<KeptLogs['open']>>()
      const written: string[] = []
      const seen: string[] = []
      let last = 0n
      const look = async () => {
        const lines = await logs.read({ ...everything, since: last })
        last = lines.at(-1)?.at ?? last
        seen.push(...texts(lines))
      }
      for (const what of [...steps, 'look' as const])
        if (what === 'look') await look()
        else if (what === 'restart') {
          for (const sink of sinks.values()) await sink.close()
          sinks = new Map()
          // The clock of this instance is behind.
          logs = open({ now: counter(start - 1_000_000_000n), bytesAtMost: 64 * MB })
        } else
          for (let i = 0; i < what.lines; i++) {
            const sink = sinks.get(what.who) ?? logs.open(instance(what.who))
            sinks.set(what.who, sink)
            const line = `${what.who} ${written.length}`
            written.push(line)
            sink.write('stdout', Buffer.from(`${line}\n`))
          }
      expect(seen).toEqual(written)
      for (const sink of sinks.values()) await sink.close()
      await rm(dir, { recursive: true })
    }),
    { numRuns: 40 },
  )
})

test('a line that a crash cut off is left out, and the next one is complete', async () => {
  const { dir, open } = await logDirectory()
  await writeAll(open(), 'first\nsecond\n')
  const [file = ''] = await filesOf(dir)
  await truncate(file, (await stat(file)).size - 3)
  await writeAll(open(), 'third\n')
  expect(await all(open())).toEqual(['first', 'third'])
})

test('damaged bytes between the lines do not hide the lines', async () => {
  const { dir, open } = await logDirectory()
  await writeAll(open(), 'before\n')
  const [file = ''] = await filesOf(dir)
  await appendFile(file, Buffer.concat([Buffer.alloc(300_000), Buffer.from('\nnonsense\n\n')]))
  await writeAll(open(), 'after\n')
  expect(await all(open())).toEqual(['before', 'after'])
})

test('a file without a complete line is ignored', async () => {
  const { dir, open } = await logDirectory()
  await writeAll(open(), 'x\n')
  const [file = ''] = await filesOf(dir)
  await writeFile(file, 'y'.repeat(100_000))
  expect(await all(open())).toEqual([])
  await writeAll(open(), 'z\n')
  expect(await all(open())).toEqual(['z'])
})

test('a project keeps its newest lines, and never exceeds its limit', async () => {
  const { dir, open } = await logDirectory()
  const logs = open({ bytesAtMost: 1 * MB })
  const sink = logs.open(instance())
  for (let i = 0; i < 40_000; i++) {
    sink.write('stdout', Buffer.from(`line ${i} ${'x'.repeat(40)}\n`))
    if (i % 5000 === 0) await logs.close()
  }
  await sink.close()
  expect(await sizeOf(dir)).toBeLessThanOrEqual(1 * MB)
  const kept = (await all(logs)).map(line => Number(line.split(' ')[1]))
  expect(kept.length).toBeGreaterThan(5000)
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 40_000 - kept.length + i))
})

test('a flood of lines is cut, and a note in their place has the number of missing lines', async () => {
  const logs = (await logDirectory()).open({ rate: { bytesPerSecond: 1, burstBytes: 10_000 } })
  const sink = logs.open(instance())
  const answers = Array.from({ length: 500 }, (_, i) =>
    sink.write('stdout', Buffer.from(`line ${i}\n`.repeat(10))),
  )
  expect(answers[0]).toBe(true)
  expect(answers.at(-1)).toBe(false)
  await sink.close()
  const lines = await logs.read(everything)
  const notice = lines.at(-1)
  expect(notice?.source).toBe('platform')
  const [, left = ''] = /^svc: ([\d,]+) lines left out here/.exec(notice?.text ?? '') ?? []
  expect(Number(left.replace(',', '')) + lines.length - 1).toBe(5000)
})

test('the note about missing lines is written even if no further line comes', async () => {
  const logs = (await logDirectory()).open({ rate: { bytesPerSecond: 1, burstBytes: 1000 } })
  const sink = logs.open(instance())
  sink.write('stdout', Buffer.from('line\n'.repeat(100)))
  while (!(await all(logs)).at(-1)?.startsWith('svc: ')) await new Promise(resolve => setTimeout(resolve, 20))
  await sink.close()
  expect((await all(logs)).filter(line => line !== 'line')).toHaveLength(1)
})

test('lines that the disk cannot write in time are dropped and counted, so that memory does not grow', async () => {
  const logs = (await logDirectory()).open()
  const sink = logs.open(instance())
  const line = Buffer.from(`${'x'.repeat(1000)}\n`)
  // All writes are in one turn of the event loop, so nothing can be stored meanwhile.
  for (let i = 0; i < 10_000; i++) sink.write('stdout', line)
  await sink.close()
  const lines = await logs.read(everything)
  expect(lines.length).toBeLessThan(10_000)
  expect(lines.at(-1)?.text).toContain(
    `${(10_000 - lines.length + 1).toLocaleString('en-US')} lines left out`,
  )
})

test('a writer that pauses when told to loses none of many short lines', async () => {
  const logs = (await logDirectory()).open({ bytesAtMost: 64 * MB })
  const sink = logs.open(instance())
  const count = 8000
  for (let chunk = 0; chunk < 10; chunk++)
    if (!sink.write('stdout', Buffer.from(`${chunk}\n`.repeat(count)))) await logs.close()
  await sink.close()
  expect(await all(logs)).toEqual(Array.from({ length: 10 * count }, (_, i) => `${Math.floor(i / count)}`))
})

test('bytes that are not UTF-8 are read as replacement characters', async () => {
  const logs = (await logDirectory()).open()
  const sink = logs.open(instance())
  sink.write('stderr', Buffer.from([0xff, 0x00, 0x80, 0x41, 0x0a]))
  await sink.close()
  expect(await all(logs)).toEqual(['\uFFFD\0\uFFFDA'])
})

test('an answer is limited in size and has the newest lines', async () => {
  const logs = (await logDirectory()).open()
  await writeAll(logs, 'one\ntwo\nthree\n')
  expect(texts(await logs.read({ ...everything, bytes: 36 + 36 }))).toEqual(['two', 'three'])
})

test('lines can be read by instance and by deployment', async () => {
  const logs = (await logDirectory()).open()
  await writeAll(logs, 'old\n', instance('app_1', 'dep_1'))
  await writeAll(logs, 'new\n', instance('app_2', 'dep_2'))
  expect(texts(await logs.read({ ...everything, keep: line => line.instanceId === 'app_1' }))).toEqual([
    'old',
  ])
  expect(texts(await logs.read({ ...everything, keep: line => line.deploymentId === 'dep_2' }))).toEqual([
    'new',
  ])
})
