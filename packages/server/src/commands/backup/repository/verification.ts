// Reads every piece of a backup, and uses it as a restored platform would: opens the index of each pack and compares all its files
// with their checksums, brings the database to the newest schema, and lets git check the repositories.
import { type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Fault } from '../../../lib/fault.ts'
import { GitFailed, runGit } from '../../../lib/git/programs.ts'
import { repositoryConfig } from '../../../lib/git/settings.ts'
import { openPacks } from '../../../ports/packs/open.ts'
import { damageOf } from '../../../ports/packs/verify.ts'
import { prepareRestored } from '../../../store/sqlite/restored.ts'
import { storedIn } from '../../../store/sqlite/snapshot.ts'
import { belongs, databaseName, isLeftOut, packFile, packIdOf } from '../format.ts'
import { isNameError } from '../read-archive.ts'
import { filesOf } from './archive-of-snapshot.ts'
import { DamagedObject } from './encryption.ts'
import type { Repository } from './repository.ts'
import { bytesOf, type Piece } from './snapshot.ts'

interface Verified {
  packs: number
  repositories: number
  bytes: number
  /** What is damaged, with words about that. */
  damaged: Map<string, string>
}

export class Verification {
  readonly #repository: Repository
  readonly #dir: string
  readonly #damaged = new Map<string, string>()
  readonly #packs = new Set<string>()

  /** `dir` must be empty. Packs are there one at a time, everything else at once. */
  constructor(repository: Repository, dir: string) {
    this.#repository = repository
    this.#dir = dir
  }

  async run(id: string): Promise<Verified> {
    const snapshot = await this.#repository.readSnapshot(id).catch(error => this.#note('the snapshot', error))
    if (!snapshot) return { packs: 0, repositories: 0, bytes: 0, damaged: this.#damaged }
    for (const piece of snapshot.pieces) {
      if (piece.damage !== undefined)
        this.#damaged.set(piece.files[0]![0], `${piece.damage} (before the backup)`)
      await this.#unpack(piece).catch(error =>
        this.#note(piece.files.map(([name]) => name).join(', '), error),
      )
      await this.#checkPack(piece)
    }
    await this.#checkDatabase(snapshot.has_key)
    const repositories = await this.#checkRepositories()
    return { packs: this.#packs.size, repositories, bytes: bytesOf(snapshot), damaged: this.#damaged }
  }

  #note(what: string, error: unknown): undefined {
    if (!(error instanceof Error) || !isDamage(error)) throw error
    this.#damaged.set(what.length > 200 ? `${what.slice(0, 200)}…` : what, error.message)
  }

  async #unpack(piece: Piece): Promise<void> {
    let output: FileHandle | undefined
    try {
      for await (const part of filesOf(this.#repository, piece)) {
        if ('name' in part) {
          if (!belongs(part.name)) throw new DamagedObject('it does not belong into a backup')
          output = isLeftOut(part.name) ? undefined : await this.#create(part.name)
        } else if ('bytes' in part) await output?.writeFile(part.bytes)
        else {
          await output?.close()
          output = undefined
        }
      }
    } finally {
      await output?.close()
    }
  }

  async #create(name: string): Promise<FileHandle> {
    const file = path.join(this.#dir, ...name.split('/'))
    await mkdir(path.dirname(file), { recursive: true })
    return await open(file, 'wx', 0o600)
  }

  async #checkPack({ files }: Piece): Promise<void> {
    const name = files[0]![0]
    const id = packIdOf(name)
    if (id === undefined) return
    this.#packs.add(id)
    const packs = await openPacks({ kind: 'disk', dir: path.join(this.#dir, 'packs') }, 'writing')
    const source = await packs.open(id)
    const damage = source && (await damageOf(source).finally(() => source.close()))
    if (damage !== undefined && !this.#damaged.has(name)) this.#damaged.set(name, damage)
    await packs.delete(id)
  }

  async #checkDatabase(hasKey: boolean): Promise<void> {
    const names = await readdir(this.#dir)
    if (hasKey && !names.includes('secret.key')) this.#damaged.set('secret.key', 'it is missing')
    // What is left of a damaged file says nothing more.
    if (this.#damaged.has(databaseName)) return
    if (!names.includes(databaseName)) {
      this.#damaged.set(databaseName, 'it is missing')
      return
    }
    const file = path.join(this.#dir, databaseName)
    await prepareRestored(file).catch(error => this.#note(databaseName, error))
    if (this.#damaged.has(databaseName)) return
    for (const id of storedIn(file))
      if (!this.#packs.has(id)) this.#damaged.set(packFile(id), 'it is missing in the backup')
  }

  /** Returns their number. */
  async #checkRepositories(): Promise<number> {
    const names = await readdir(path.join(this.#dir, 'git')).catch(() => [])
    for (const name of names) {
      const gitDir = path.join(this.#dir, 'git', name)
      for (const each of ['objects', 'refs']) await mkdir(path.join(gitDir, each), { recursive: true })
      await writeFile(path.join(gitDir, 'config'), repositoryConfig)
      const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress']
      await runGit(args, { gitDir, owner: 'backup', work: 'work' }).catch(error =>
        this.#note(`git/${name}`, error),
      )
      await rm(gitDir, { recursive: true })
    }
    return names.length
  }
}

/** Everything else, such as a full disk, says nothing about the backup. */
const isDamage = (error: Error): boolean =>
  error instanceof DamagedObject || error instanceof Fault || error instanceof GitFailed || isNameError(error)
