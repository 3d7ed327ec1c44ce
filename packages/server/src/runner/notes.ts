// The lines that the platform writes to an app's log.
import { formatBytes } from '@svc/contract/bytes'
import type { AppExit } from '../ports/app-runtime/port.ts'
import type { DiskRow } from '../store/tables.ts'

/** What runs before the app starts. */
export type CommandName = 'release' | 'seed'

export const notes = {
  started: (ms: number, deploymentId: string) =>
    `The app started in ${(ms / 1000).toFixed(1)} s (${deploymentId}).`,
  exited: ({ code, signal, outOfMemory }: AppExit, memoryBytes: number) => {
    if (outOfMemory) return usedTooMuchMemory(memoryBytes)
    return signal ? `The app was ended by ${signal}.` : `The app exited with code ${code ?? 'unknown'}.`
  },
  runs: (name: CommandName) => `The ${name} command runs.`,
  succeeded: (name: CommandName, ms: number) =>
    `The ${name} command succeeded in ${(ms / 1000).toFixed(1)} s.`,
  failed: (name: CommandName, { code, signal, outOfMemory }: AppExit, memoryBytes: number) => {
    const end = outOfMemory
      ? `used more than ${formatBytes(memoryBytes)} of memory and was ended`
      : signal
        ? `was ended by ${signal}`
        : `failed with code ${code ?? 'unknown'}`
    return `The ${name} command ${end}. The app was not started.`
  },
  tookTooLong: (name: CommandName, ms: number) =>
    `The ${name} command did not end within ${duration(ms)} and was stopped. The app was not started.`,
  restartsIn: (ms: number) => (ms === 0 ? 'The app restarts now.' : `The app restarts in ${duration(ms)}.`),
  startsWithNextRequest: 'The next request starts the app again.',
  restarts: 'The app restarts, because its variables changed or somebody restarted it.',
  formerStays: 'The instance from before keeps running.',
  stopped: {
    idle: (ms: number) => `The app was stopped after ${duration(ms)} without a request.`,
    superseded: 'The app was stopped, because another deployment took its place.',
    replaced: 'The app was stopped, because a new instance took its place.',
    unreachable: 'The app was stopped, because it no longer accepted connections.',
    deleted: 'The app was stopped, because its deployment was deleted.',
    suspended: 'The app was stopped, because its project is suspended.',
    diskMoves:
      'The app was stopped, because another instance takes the disk. Only one can write to it at a time.',
    diskIsTaken: 'The app was not started, because another deployment has the disk.',
    diskIsFull: 'The app was stopped, because its disk holds more than it may.',
    platform: 'The app was stopped, because the platform is stopping.',
  },
  diskIsFull: ({ used_bytes, size_bytes }: Pick<DiskRow, 'used_bytes' | 'size_bytes'>) =>
    `The disk is full: it holds ${formatBytes(Number(used_bytes))} and may hold ${formatBytes(Number(size_bytes))}. Make it larger: svc disk add --size`,
  noSnapshot: (why: string) => `No snapshot of the disk was made before this deploy: ${why}.`,
  notCopied: (why: string) =>
    `The disk of production was not copied for this preview: ${why}. With 'svc disk previews empty', new disks of previews begin empty.`,
  killed: (graceMs: number) => `It did not end within ${duration(graceMs)} of SIGTERM and was killed.`,
} as const

const usedTooMuchMemory = (memoryBytes: number): string =>
  `The app used more than ${formatBytes(memoryBytes)} of memory and was ended.`

function duration(ms: number): string {
  if (ms < 60_000 || ms % 60_000 !== 0) return `${Math.ceil(ms / 1000)} s`
  return ms === 60_000 ? '1 minute' : `${ms / 60_000} minutes`
}
