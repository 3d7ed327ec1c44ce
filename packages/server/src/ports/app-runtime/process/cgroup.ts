// The cage of one instance: the cgroups that hold all its processes, whatever they call themselves.
import { existsSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { end } from './process-tree.ts'

export class Cage {
  readonly instanceId: string
  readonly #dirs: readonly string[]
  readonly #memoryEvents: string
  #sawOutOfMemory = false

  /** One directory for each tree of cgroups; `memoryEvents` is the file that counts who was ended for want of memory. */
  constructor(instanceId: string, dirs: readonly string[], memoryEvents: string) {
    this.instanceId = instanceId
    this.#dirs = dirs
    this.#memoryEvents = memoryEvents
  }

  /** Whoever writes its own pid to these is in. */
  get doors(): string[] {
    return this.#dirs.map(dir => path.join(dir, 'cgroup.procs'))
  }

  get pids(): number[] {
    const listed = this.doors.flatMap(door => (read(door) ?? '').split('\n'))
    return [...new Set(listed.filter(Boolean).map(Number))]
  }

  /** Whoever forks meanwhile may be missed where the system cannot do it in one go: ask again until there is nobody. */
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
    // Still in use, or gone already; an empty cgroup costs next to nothing.
  }
}

/** `undefined` if it is gone. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
