import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { readLoopBlocks } from '../lib/read-loop-blocks.ts'
import { eventually } from '../testing/eventually.ts'
import { startWatchdog } from './watchdog.ts'

/** Blocks the event loop for so long that the watching thread sees it. */
function blockTheLoop(ms: number): number {
  const until = performance.now() + ms
  let turns = 0
  while (performance.now() < until) turns++
  return turns
}

test('a blocked event loop is logged with the stack, and counted', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-watchdog-'))
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: line => void lines.push(line) })
  const stop = startWatchdog({ thresholdMs: 50, dataDir, process: 'main', log })
  onTestFinished(async () => {
    stop()
    await rm(dataDir, { recursive: true })
  })
  // The thread takes a moment to start, and may not get CPU time during the first block, so try several times.
  let stack = ''
  await eventually(async () => {
    blockTheLoop(500)
    stack = (await readLoopBlocks(dataDir))[0]?.last?.stack.join() ?? ''
    return stack.includes('blockTheLoop')
  })
  expect(stack).toContain('watchdog.test')
  expect(lines[0]).toMatch(/the event loop (?:was blocked|stood still)/)
  expect((await readLoopBlocks(dataDir))[0]!.longestMs).toBeGreaterThan(50)
})

test('the setting 0 turns the watchdog off, and unreadable files are skipped', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-watchdog-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  startWatchdog({ thresholdMs: 0, dataDir, process: 'main', log: pino({ level: 'silent' }) })()
  expect(await readLoopBlocks(dataDir)).toEqual([])
  await expect(readFile(path.join(dataDir, 'event-loop-main.json'))).rejects.toThrow('ENOENT')
})
