// What git programs may use, by the kind of their work. A few bytes of a malicious push can expand to gigabytes.
import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'

export interface GitLimits {
  /** Programs that run at the same time. */
  atOnce: number
  /** Of these, programs that run for one owner. */
  perOwner: number
  /** What one program may allocate. Packs that it maps from disk do not count. */
  memoryBytes: number
  timeMs: number
  cpuSeconds: number
  /** The largest file that one program may write. */
  fileBytes?: number
}

export type GitWork = 'read' | 'look' | 'serve' | 'work'

const MB = 1024 * 1024
const serveBytes = 512 * MB

/** All clients together use at most a quarter of the memory of the machine. */
const clientsAtOnce = Math.max(2, Math.min(8, Math.floor(totalmem() / 4 / serveBytes)))

export const gitLimits: Record<GitWork, GitLimits> = {
  /** Questions of svcd. They never wait for a client. */
  read: { atOnce: 4, perOwner: 2, memoryBytes: 256 * MB, timeMs: 60_000, cpuSeconds: 20 },
  /** Questions to another git host, which may answer with anything. */
  look: {
    ...{ atOnce: 4, perOwner: 2, memoryBytes: 256 * MB },
    ...{ timeMs: 15_000, cpuSeconds: 10, fileBytes: 8 * MB },
  },
  /** Clones, fetches and pushes. */
  serve: {
    atOnce: clientsAtOnce,
    perOwner: Math.min(3, clientsAtOnce - 1),
    memoryBytes: serveBytes,
    timeMs: 3_600_000,
    cpuSeconds: 900,
  },
  /** The files of a build, and packing. */
  work: { atOnce: 4, perOwner: 2, memoryBytes: serveBytes, timeMs: 1_800_000, cpuSeconds: 900 },
}

const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find(program => existsSync(program))

/** False if this machine has no `prlimit` (util-linux). Time, output and number of programs are limited all the same. */
export const limitsGitMemory = prlimit !== undefined

/** The program that runs git with its limits, and its first arguments. */
export const limitedGit = ({ memoryBytes, cpuSeconds, fileBytes }: GitLimits): [string, ...string[]] => {
  if (!prlimit) return ['git']
  const ofFiles = fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]
  return [prlimit, `--data=${memoryBytes}`, `--cpu=${cpuSeconds}`, ...ofFiles, 'git']
}
