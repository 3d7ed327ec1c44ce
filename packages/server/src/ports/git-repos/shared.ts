// Repositories of several nodes: packs on the storage, refs in the database, and a copy on the disk of each node that uses them.

import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { FairQueue } from '../../lib/fair-queue.ts'
import { Fault } from '../../lib/fault.ts'
import { GitFailed } from '../../lib/git/programs.ts'
import type { Submodule } from '../../lib/git/submodules.ts'
import type { Packs } from '../packs/port.ts'
import type { RepoLedger, RepoVersion, StoredPack } from '../repo-ledger/port.ts'
import { adopt } from './adoption.ts'
import type { DiskRepos } from './disk.ts'
import type { DiskPush } from './incoming-push.ts'
import { bringTo, versionOfCopy } from './local-copy.ts'
import type { GitCommit, GitRepos, GitRequest, GitService, KeptBody } from './port.ts'
import { newObjectId, storePack } from './stored-packs.ts'
import { packTogether, tooMany } from './tidy-packs.ts'

interface SharedReposOptions {
  disk: DiskRepos
  packs: Packs
  ledger: RepoLedger
}

/** What a ref takes in a copy. */
const refBytes = 4096

export class SharedRepos implements GitRepos {
  readonly #disk: DiskRepos
  readonly #packs: Packs
  readonly #ledger: RepoLedger
  /** In each repository, one at a time: a copy is brought up to date, or git moves the refs of a push that was accepted. */
  readonly #moving = new Map<string, { queue: FairQueue; calls: number }>()

  constructor({ disk, packs, ledger }: SharedReposOptions) {
    this.#disk = disk
    this.#packs = packs
    this.#ledger = ledger
  }

  async create(id: string): Promise<void> {
    await this.#ledger.create(id, { head: 'main', refs: new Map(), packs: [] })
  }

  /** The row of an object stays until the object is gone, so that an interrupted removal is continued. */
  async remove(id: string): Promise<void> {
    await this.#ledger.clear(id)
    await this.#disk.remove(id)
    await this.#removeObjects(await this.#ledger.unused(id))
  }

  /** Also the copies of repositories that another node has removed. */
  async list(): Promise<string[]> {
    return [...new Set([...(await this.#ledger.ids()), ...(await this.#disk.list())])]
  }

  async size(id: string): Promise<number> {
    return (await this.#ledger.size(id)) + (await this.#ledger.refCount(id)) * refBytes
  }

  async keep(body: AsyncIterable<Buffer>, bytesAtMost: number): Promise<KeptBody> {
    return await this.#disk.keep(body, bytesAtMost)
  }

  async serve(
    id: string,
    service: GitService,
    request: GitRequest,
    deliver: (output: Readable) => Promise<void>,
  ): Promise<boolean> {
    const base = await this.#bringUpToDate(id)
    const { judge } = request
    if (!judge) return await this.#disk.serve(id, service, request, deliver)
    const turns: (() => void)[] = []
    const accept = async (push: DiskPush) => {
      const why = (await judge(push)) ?? (await push.whyRefsCannotMove())
      if (why !== undefined) return why
      const pack = await this.#upload(id, await push.pack())
      turns.push(await this.#takeTurn(id))
      return await this.#ledger.push(id, { base, updates: push.updates, pack })
    }
    try {
      return await this.#disk.serve(id, service, { ...request, judge: accept, keepPacks: true }, deliver)
    } finally {
      for (const end of turns) end()
    }
  }

  async heads(id: string): Promise<Map<string, string>> {
    return await (await this.#copy(id)).heads(id)
  }

  async head(id: string): Promise<string> {
    return await (await this.#copy(id)).head(id)
  }

  async setHead(id: string, branch: string): Promise<void> {
    await this.#ledger.setHead(id, branch)
  }

  async commit(id: string, sha: string): Promise<GitCommit | undefined> {
    return await (await this.#copy(id)).commit(id, sha)
  }

  async checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<Submodule[]> {
    return await (await this.#copy(id)).checkOut(id, sha, dir, signal)
  }

  async differ(id: string, from: string, to: string, dir: string): Promise<boolean> {
    return await (await this.#copy(id)).differ(id, from, to, dir)
  }

  async changes(id: string, from: string, to: string): Promise<string[] | undefined> {
    return await (await this.#copy(id)).changes(id, from, to)
  }

  async present(id: string, sha: string, paths: readonly string[]): Promise<Set<string>> {
    return await (await this.#copy(id)).present(id, sha, paths)
  }

  async read(id: string, sha: string, file: string): Promise<string | undefined> {
    return await (await this.#copy(id)).read(id, sha, file)
  }

  async search(id: string, sha: string, name: string, text: string): Promise<string[]> {
    return await (await this.#copy(id)).search(id, sha, name, text)
  }

  /** Packs are put together when there are many. With `dropUnused`, the new pack has only what a ref leads to. */
  async tidy(id: string, { dropUnused = false } = {}): Promise<void> {
    const base = await this.#bringUpToDate(id)
    const state = await this.#ledger.read(id)
    if (!state) return
    const old = dropUnused ? state.packs : tooMany(state.packs)
    if (old.length > 0 && state.version === base.version) {
      const options = await this.#disk.optionsOf(id)
      await packTogether(dropUnused ? 'refs' : old, options, async file => {
        const pack = await this.#upload(id, file)
        return await this.#ledger.replacePacks(id, old, pack, dropUnused ? base : undefined)
      })
    }
    await this.#removeObjects(await this.#ledger.unused(id))
  }

  /** Copies repositories to the storage that this machine has had since it was the only one. Returns how many. */
  async adoptAll(isKnown: (ids: string[]) => Promise<ReadonlySet<string>>): Promise<number> {
    let adopted = 0
    const own = await this.#disk.list()
    const known = await isKnown(own)
    for (const id of own) {
      if (!known.has(id) || (await this.#ledger.versionOf(id))) continue
      await this.#bringUpToDate(id)
      adopted++
    }
    return adopted
  }

  /** Brings every repository to the disk of this machine. Returns those that it could not bring. */
  async copyAll(): Promise<string[]> {
    const failed: string[] = []
    for (const id of await this.#ledger.ids())
      if (await this.#ledger.versionOf(id)) await this.#bringUpToDate(id).catch(() => failed.push(id))
    return failed
  }

  async #copy(id: string): Promise<DiskRepos> {
    await this.#bringUpToDate(id)
    return this.#disk
  }

  /** Afterwards the copy has everything that was acknowledged before the call, by any node. */
  async #bringUpToDate(id: string): Promise<RepoVersion> {
    const wanted = (await this.#ledger.versionOf(id)) ?? (await this.#adopt(id))
    const gitDir = this.#disk.dirOf(id)
    const isBehind = async () => ((await versionOfCopy(gitDir)) ?? -1) < wanted.version
    if (!(await isBehind())) return wanted
    const end = await this.#takeTurn(id)
    try {
      if (await isBehind()) await this.#refresh(id)
    } finally {
      end()
    }
    return wanted
  }

  /** A copy that git cannot use is made anew. */
  async #refresh(id: string): Promise<void> {
    try {
      await this.#fill(id)
    } catch (error) {
      if (error instanceof GitFailed) await rm(this.#disk.dirOf(id), { recursive: true, force: true })
      // A pack may have been replaced after its row was read. Any other failure shows again.
      await this.#fill(id)
    }
  }

  async #fill(id: string): Promise<void> {
    const state = await this.#ledger.read(id)
    if (!state) throw elsewhere()
    await this.#disk.create(id)
    await bringTo(state, this.#packs, await this.#disk.optionsOf(id))
  }

  async #adopt(id: string): Promise<RepoVersion> {
    if (!(await this.#disk.list()).includes(id)) throw elsewhere()
    const end = await this.#takeTurn(id)
    try {
      const known = await this.#ledger.versionOf(id)
      if (known) return known
      const upload = (file: string) => this.#upload(id, file)
      await this.#ledger.create(id, await adopt(await this.#disk.optionsOf(id), upload))
    } finally {
      end()
    }
    const made = await this.#ledger.versionOf(id)
    if (!made) throw elsewhere()
    return made
  }

  /** `file` is `undefined` for a push without new objects. */
  async #upload(id: string, file: string | undefined): Promise<StoredPack | undefined> {
    if (file === undefined) return undefined
    const object = newObjectId(id)
    await this.#ledger.announce(id, object)
    return await storePack(this.#packs, object, file)
  }

  async #removeObjects(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.#packs.delete(id)
      await this.#ledger.forgetObject(id)
    }
  }

  /** Resolves with the function that ends the turn. */
  async #takeTurn(id: string): Promise<() => void> {
    const turns = this.#moving.get(id) ?? { queue: new FairQueue(1, Number.POSITIVE_INFINITY), calls: 0 }
    this.#moving.set(id, turns)
    turns.calls++
    return await new Promise(resolve => {
      void turns.queue
        .run(() => new Promise<void>(end => resolve(end)))
        .finally(() => {
          if (--turns.calls === 0) this.#moving.delete(id)
        })
    })
  }
}

const elsewhere = () =>
  new Fault(
    'unavailable',
    'This repository is not on the storage yet. It is copied there when svcd starts on the machine that has it.',
    { retryAfter: 30 },
  )
