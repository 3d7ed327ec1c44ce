// The cgroup of one instance or build. It holds all its processes, also those that have left their parent or their session.
import { existsSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { end } from './process-tree.ts'

export class Cgroup {
  readonly instanceId: string
  readonly #dirs: readonly string[]
  readonly #memoryEvents: string
  #sawOutOfMemory = false

  /** `dirs` has one directory for each hierarchy of cgroups. `memoryEvents` is the file that counts out-of-memory kills. */
  constructor(instanceId: string, dirs: readonly string[], memoryEvents: string) {
    this.instanceId = instanceId
    this.#dirs = dirs
    this.#memoryEvents = memoryEvents
  }

  /** The files `cgroup.procs`. A process that writes its pid to them joins the cgroup. */
  get procsFiles(): string[] {
    return this.#dirs.map(dir => path.join(dir, 'cgroup.procs'))
  }

  get pids(): number[] {
    const listed = this.procsFiles.flatMap(file => (read(file) ?? '').split('\n'))
    return [...new Set(listed.filter(Boolean).map(Number))]
  }

  /**
   * Kills all processes. Without `cgroup.kill` (Linux before 5.14, or version 1) it misses a process that is forked
   * meanwhile: call it again until `pids` is empty.
   */
  kill(): void {
    const [dir = ''] = this.#dirs
    if (existsSync(path.join(dir, 'cgroup.kill'))) writeFileSync(path.join(dir, 'cgroup.kill'), '1')
    else for (const pid of this.pids) end(pid)
  }

  get sawOutOfMemory(): boolean {
    const [, kills = '0'] = /^oom_kill (\d+)$/m.exec(read(this.#memoryEvents) ?? '') ?? []
    this.#sawOutOfMemory ||= kills !== '0'
    return this.#sawOutOfMemory
  }

  remove(): void {
    for (const dir of this.#dirs) removeEmpty(dir)
  }
}

export function removeEmpty(dir: string): void {
  try {
    rmdirSync(dir)
  } catch {
    // The cgroup is still in use, or was removed before. An empty cgroup that stays costs almost nothing.
  }
}

/** `undefined` if the file does not exist any more. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
