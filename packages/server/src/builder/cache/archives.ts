// Cache archives. Commands inside the sandbox write and unpack them, so that svcd itself never reads files of a build.
import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { type Job, runCommand, shellWord, withTransferFolder } from '../job.ts'
import type { CacheName, CacheScope, CacheStore } from './store.ts'

/** The base directory of the archived paths: the home directory of the build, or a folder of the repository. */
type BaseDir = { home: true } | { dir: string }

export interface Archive {
  name: CacheName
  at: BaseDir
  /** Files and folders in that directory. Missing ones are skipped. */
  paths: readonly string[]
  /** Whether to include all `node_modules` folders below the directory. */
  withModules?: boolean
}

/** Lists the paths that exist, separated by NUL. The names are arguments, never part of the script. */
const list = `
modules=$1; shift
if [ "$modules" = yes ]; then find . -name node_modules -prune -print0; fi
for it in "$@"; do if [ -e "$it" ]; then printf '%s\\0' "$it"; fi; done`

/** Removes the files that a failed unpacking left behind. */
const removeModules = 'find . -name node_modules -prune -exec rm -rf {} +'

export class Archives {
  readonly #job: Job
  readonly #store: CacheStore
  readonly #scope: CacheScope

  constructor(job: Job, store: CacheStore, scope: CacheScope) {
    this.#job = job
    this.#store = store
    this.#scope = scope
  }

  async has({ name }: Archive): Promise<boolean> {
    return (await this.#store.find(this.#scope, name)) !== undefined
  }

  /** Returns false if there is no archive. Throws if it cannot be unpacked, and removes it. */
  async restore({ name, at, withModules }: Archive): Promise<boolean> {
    const entry = await this.#store.find(this.#scope, name)
    if (!entry) return false
    await this.#withTransfer(async transfer => {
      await this.#store.copyOut(entry, transfer.outside)
      // The build runs as another user, and svcd's umask closes its files to other users.
      await chmod(transfer.outside, 0o644)
      const line = `tar --extract --file=${transfer.inside}`
      try {
        await this.#run(at, line)
      } catch (error) {
        this.#job.signal.throwIfAborted()
        await this.#store.remove(entry)
        if (withModules) await this.#run(at, removeModules)
        throw error
      }
    })
    return true
  }

  async save({ name, at, paths, withModules }: Archive): Promise<void> {
    await this.#withTransfer(async transfer => {
      const names = [withModules ? 'yes' : 'no', ...paths].map(shellWord).join(' ')
      const line = `set -e; set -- ${names}${list}`
      await this.#run(at, `(${line}) | tar --create --null --files-from=- --file=${transfer.inside}`)
      await this.#store.add(this.#scope, name, transfer.outside)
    })
  }

  async #run(at: BaseDir, line: string): Promise<void> {
    const command = 'home' in at ? { dir: '', line: `cd "$HOME" && ${line}` } : { dir: at.dir, line }
    let said = ''
    const output = (chunk: Buffer) => {
      if (said.length < 300) said += chunk.toString('utf8')
      return true
    }
    const exit = await runCommand(this.#job, { ...command, env: {}, output })
    this.#job.signal.throwIfAborted()
    if (exit.code !== 0) throw new Error(said.trim().split('\n')[0]?.slice(0, 200) || 'tar failed')
  }

  #withTransfer(work: (file: { outside: string; inside: string }) => Promise<void>): Promise<void> {
    return withTransferFolder(this.#job, ({ outside, inside }) =>
      work({ outside: path.join(outside, 'cache.tar'), inside: `"${inside}/cache.tar"` }),
    )
  }
}
