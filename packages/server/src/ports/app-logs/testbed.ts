// A directory of logs for tests, and what is in it.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { DiskAppLogs, type DiskLogsSettings } from './disk.ts'
import type { KeptLogs, LogLine, LogQuery } from './port.ts'

export const project = 'prj_a'
export const everything: LogQuery = { projectId: project, tail: 1_000_000, bytes: Number.POSITIVE_INFINITY }
const unlimited = { bytesPerSecond: 1e12, burstBytes: 1e12 }
export const MB = 1024 * 1024

interface LogDirectory {
  dir: string
  open(settings?: Partial<DiskLogsSettings>): DiskAppLogs
}

export async function logDirectory(): Promise<LogDirectory> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-logs-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const now = counter()
  const onError = (error: unknown) => {
    throw error
  }
  return {
    dir,
    open: settings =>
      new DiskAppLogs({ dir, bytesAtMost: 8 * MB, now, onError, rate: unlimited, ...settings }),
  }
}

export const start = 1_763_203_253_000_000_000n

/** A clock that always shows the same time. The log itself keeps the lines in order. */
export const counter =
  (at = start) =>
  () =>
    at

export const instance = (instanceId = 'app_1', deploymentId = 'dep_1') => ({
  projectId: project,
  deploymentId,
  instanceId,
})

export const texts = (lines: LogLine[]) => lines.map(line => line.text)
export const all = async (logs: KeptLogs) => texts(await logs.read(everything))
export const filesOf = async (dir: string) =>
  (await readdir(path.join(dir, project))).sort().map(name => path.join(dir, project, name))

export async function sizeOf(dir: string): Promise<number> {
  const sizes = await Promise.all((await filesOf(dir)).map(async file => (await stat(file)).size))
  return sizes.reduce((a, b) => a + b, 0)
}

export async function writeAll(logs: KeptLogs, text: string, source = instance()): Promise<void> {
  const sink = logs.open(source)
  sink.write('stdout', Buffer.from(text))
  await sink.close()
}
