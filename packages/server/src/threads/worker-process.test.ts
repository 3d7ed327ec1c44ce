import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isLiving } from '../lib/processes.ts'
import { eventually } from '../testing/eventually.ts'
import type { FixtureArgs } from './fixture-thread.ts'
import { Thread } from './thread.ts'
import { WorkerProcess } from './worker-process.ts'

const here = (name: string) => new URL(name, import.meta.url)

function start(entry = here('./fixture-thread.js')) {
  const thread = new Thread<FixtureArgs, unknown>({ start: () => new WorkerProcess(entry), concurrency: 2 })
  onTestFinished(() => thread.close())
  return thread
}

test('a process that is killed rejects its calls, and the next call starts another one', async () => {
  const thread = start()
  const pid = Number(await thread.call({ does: 'pid' }))
  const waiting = thread.call({ does: 'wait' })
  process.kill(pid, 'SIGKILL')
  await expect(waiting).rejects.toThrow('The process ended with SIGKILL')
  expect(await thread.call({ does: 'pid' })).not.toBe(pid)
})

test('a module that does not load rejects the call', async () => {
  await expect(start(here('./no-such-module.js')).call({ does: 'pid' })).rejects.toThrow(
    'The process ended with code 1',
  )
})

test('closing ends the process before it resolves', async () => {
  const thread = start()
  const pid = Number(await thread.call({ does: 'pid' }))
  await thread.close()
  expect(isLiving(pid)).toBe(false)
})

test('a signal that all processes of a terminal get does not end it', async () => {
  const thread = start()
  const pid = Number(await thread.call({ does: 'pid' }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal)
  expect(await thread.call({ does: 'pid' })).toBe(pid)
})

test('it ends when the process that started it is killed', async () => {
  const parent = spawn(process.execPath, [fileURLToPath(here('./worker-process-fixture.js'))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number(String((await once(parent.stdout, 'data'))[0]))
  expect(isLiving(pid)).toBe(true)
  parent.kill('SIGKILL')
  await eventually(async () => !isLiving(pid))
})
