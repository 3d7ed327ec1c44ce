// Where the archive of one cluster is: `base/` has copies of the whole cluster, `log/` the segments of its log of changes since.
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { namedAfter } from './write.ts'

/** A copy of the whole cluster. It can be recovered to any time after its end, with the log from its first segment on. */
export interface BaseCopy {
  file: string
  finishedAt: number
  firstSegment: string
  /** Unpacked. */
  bytes: number
}

export const segmentPattern = /^[0-9A-F]{24}$/
const basePattern = /^(\d{13})-([0-9A-F]{24})-(\d{1,15})\.tar\.gz$/
const clusterPattern = /^\d{10,25}$/
const suffix = '.gz'

export class ArchivePlace {
  readonly dir: string
  readonly baseDir: string
  readonly logDir: string

  constructor(folder: string, systemIdentifier: string) {
    if (!clusterPattern.test(systemIdentifier)) throw new Error('this is no identifier of a cluster')
    this.dir = path.join(folder, systemIdentifier)
    this.baseDir = path.join(this.dir, 'base')
    this.logDir = path.join(this.dir, 'log')
  }

  /** Not the folder itself: without its disk, the archive must not go to the one below. */
  async make(): Promise<void> {
    for (const dir of [this.dir, this.baseDir, this.logDir])
      await mkdir(dir, { mode: 0o700 }).catch(error => {
        if (error.code !== 'EEXIST') throw namedAfter(dir, error)
      })
  }

  baseFile = (finishedAt: number, firstSegment: string, bytes: number): string =>
    path.join(this.baseDir, `${finishedAt}-${firstSegment}-${bytes}.tar.gz`)

  segmentFile = (name: string): string => path.join(this.logDir, `${name}${suffix}`)

  /** Oldest first. */
  async bases(): Promise<BaseCopy[]> {
    return (await namesIn(this.baseDir)).sort().flatMap(name => {
      const [, finishedAt, firstSegment = '', bytes] = basePattern.exec(name) ?? []
      if (finishedAt === undefined) return []
      const file = path.join(this.baseDir, name)
      return { file, finishedAt: Number(finishedAt), firstSegment, bytes: Number(bytes) }
    })
  }

  /** Oldest first. */
  async segments(): Promise<string[]> {
    const names = (await namesIn(this.logDir)).filter(name => name.endsWith(suffix))
    return names
      .map(name => name.slice(0, -suffix.length))
      .filter(name => segmentPattern.test(name))
      .sort()
  }

  /** When the last change was written to the segment. */
  async writtenAt(segment: string): Promise<number> {
    return (await stat(this.segmentFile(segment))).mtimeMs
  }
}

/** The identifiers of the clusters that have an archive in the folder. */
export const clustersIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter(name => clusterPattern.test(name))

/** The segments from the first one on, up to a gap. */
export function chainFrom(first: string, segments: readonly string[]): string[] {
  const chain: string[] = []
  for (const segment of segments.slice(segments.indexOf(first))) {
    const before = chain.at(-1)
    if (before === undefined ? segment !== first : !follows(before, segment)) break
    chain.push(segment)
  }
  return chain
}

/** A segment has 16 MB, so the last eight digits count to 255. */
function follows(before: string, segment: string): boolean {
  const numberOf = (name: string) =>
    BigInt(`0x${name.slice(8, 16)}`) * 256n + BigInt(`0x${name.slice(16, 24)}`)
  return before.slice(0, 8) === segment.slice(0, 8) && numberOf(segment) - numberOf(before) === 1n
}

/** Removes what a crash left half written, except what another svcd may be writing now. */
export async function removeUnfinished({ baseDir, logDir }: ArchivePlace, before: number): Promise<void> {
  for (const dir of [baseDir, logDir])
    for (const name of await namesIn(dir)) {
      const file = path.join(dir, name)
      if (name.endsWith('.part') && ((await stat(file).catch(() => undefined))?.mtimeMs ?? before) < before)
        await rm(file, { force: true })
    }
}

const namesIn = async (dir: string): Promise<string[]> =>
  await readdir(dir).catch(error => {
    if (error.code === 'ENOENT') return []
    throw error
  })
