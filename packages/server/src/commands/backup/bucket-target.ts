// The S3 bucket that a restore fills with the deployments of a backup.
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { packsSettings } from '../../compose/ports.ts'
import type { Settings } from '../../config.ts'
import { dataPaths } from '../../data-directory.ts'
import { Fault } from '../../lib/fault.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import { openPacks } from '../../ports/packs/open.ts'
import type { Packs } from '../../ports/packs/port.ts'
import { type ArchiveSource, readPacks } from './read-archive.ts'

/** What a restore is about to upload, and where. It is written first, so that an interrupted restore can be undone. */
interface Note {
  place: string
  platform: string
  ids: string[]
}

export class BucketTarget {
  readonly #packs: Packs
  /** Names the bucket, without its secrets. */
  readonly #place: string
  readonly #noteFile: string

  private constructor(packs: Packs, place: string, noteFile: string) {
    this.#packs = packs
    this.#place = place
    this.#noteFile = noteFile
  }

  /** `undefined` if deployments are kept on the disk. */
  static async open(settings: Settings): Promise<BucketTarget | undefined> {
    const paths = dataPaths(settings)
    const storage = packsSettings(settings, paths)
    if (storage.kind === 'disk') return undefined
    const { endpoint = 'amazon', bucket, prefix } = storage.store
    const packs = await openPacks(storage, 'writing')
    return new BucketTarget(
      packs,
      `${endpoint} ${bucket} ${prefix}`,
      path.join(paths.restoreDir, 'uploads.json'),
    )
  }

  async requireEmpty(): Promise<void> {
    await this.#packs.discardUnfinished()
    for await (const _ of this.#packs.list())
      throw new Fault(
        'name_taken',
        'The bucket of SVCD_STORAGE_URL already holds deployments. Set SVCD_STORAGE_URL to an empty bucket, or to another path in this one.',
      )
  }

  /** Uploads the packs of the backup, which have these ids. The bucket must be empty. */
  async fill(source: ArchiveSource, ids: string[], platform: string): Promise<void> {
    const note: Note = { place: this.#place, platform, ids }
    replaceFile(this.#noteFile, JSON.stringify(note))
    if ((await this.#packs.claim(platform)) !== platform)
      throw new Fault(
        'name_taken',
        'The bucket of SVCD_STORAGE_URL belongs to another platform. Set SVCD_STORAGE_URL to an empty bucket, or to another path in this one.',
      )
    await readPacks(source, id => this.#packs.create(id))
  }

  /** Removes what this restore or an interrupted one uploaded. */
  async undo(): Promise<void> {
    if (!existsSync(this.#noteFile)) return
    const { place, platform, ids } = JSON.parse(readFileSync(this.#noteFile, 'utf8')) as Note
    if (place !== this.#place) return
    await this.#packs.discardUnfinished()
    const uploaded = new Set(ids)
    for await (const id of this.#packs.list()) if (uploaded.has(id)) await this.#packs.delete(id)
    await this.#packs.disclaim(platform)
    await rm(this.#noteFile)
  }

  async close(): Promise<void> {
    await this.#packs.close()
  }
}
