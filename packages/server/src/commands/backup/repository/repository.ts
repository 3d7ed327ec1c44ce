// A repository of backups: snapshots, and the pieces that they share. A piece is sent once. The storage sees neither names nor
// contents: the id of a piece is a keyed hash, and everything but the sealed key is encrypted.
import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { Fault } from '../../../lib/fault.ts'
import type { Packs } from '../../../ports/packs/port.ts'
import { DamagedObject, decrypted, encrypted, type ReadingKeys, type WritingKeys } from './encryption.ts'
import { newSnapshotId, readSnapshotText, type Snapshot, timeOfSnapshot } from './snapshot.ts'

const piecePrefix = 'piece_'
const snapshotPrefix = 'snapshot_'
/** About a million files. A hostile repository must not fill the memory. */
const snapshotBytesAtMost = 256 * 1024 * 1024

/** The key of the repository opens the lists. With public keys, those of the pieces are others, which only a private key opens. */
export interface RepositoryKeys {
  key: Buffer
  pieces?: { open: NonNullable<ReadingKeys['open']>; sealed?: NonNullable<WritingKeys['sealed']> }
}

export class Repository {
  /** The URL of the repository without its secrets. */
  readonly place: string
  readonly #storage: Packs
  readonly #keys: RepositoryKeys
  readonly #nameKey: Buffer

  constructor(storage: Packs, keys: RepositoryKeys, place: string) {
    this.#storage = storage
    this.#keys = keys
    this.place = place
    this.#nameKey = Buffer.from(hkdfSync('sha256', keys.key, '', 'names of pieces', 32))
  }

  /** Whether only a private key opens the pieces. */
  get isForRecipients(): boolean {
    return this.#keys.pieces !== undefined
  }

  /** The same facts always give the same id, and the id tells nothing about them. */
  pieceIdOf(facts: readonly unknown[]): string {
    return piecePrefix + createHmac('sha256', this.#nameKey).update(JSON.stringify(facts)).digest('hex')
  }

  async pieceIds(): Promise<Set<string>> {
    return new Set(await this.#idsWith(piecePrefix))
  }

  /** Returns the number of bytes that were stored, and their hash. They are durable then. */
  async put(id: string, content: AsyncIterable<Buffer>): Promise<{ bytes: number; sha256: string }> {
    const sink = await this.#storage.create(id)
    try {
      let bytes = 0
      const hash = createHash('sha256')
      for await (const chunk of encrypted(this.#writingKeys(id), id, content)) {
        await sink.write(chunk)
        hash.update(chunk)
        bytes += chunk.length
      }
      await sink.commit()
      return { bytes, sha256: hash.digest('hex') }
    } catch (error) {
      await sink.abort()
      throw error
    }
  }

  /** Throws DamagedObject if the object is missing or not what was written. */
  async *get(id: string): AsyncGenerator<Buffer> {
    yield* this.#read(id, stored => decrypted(this.#readingKeys(id), id, stored))
  }

  /** The hash of what is stored. Throws DamagedObject if it is missing. */
  async sha256Of(id: string): Promise<string> {
    const hash = createHash('sha256')
    for await (const chunk of this.#read(id, stored => stored)) hash.update(chunk)
    return hash.digest('hex')
  }

  async *#read(
    id: string,
    use: (stored: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    const source = await this.#storage.open(id)
    if (source === undefined) throw new DamagedObject('it is missing')
    try {
      yield* use(source.stream(0, source.size))
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EIO'
        ? new DamagedObject('the disk cannot read it', { cause: error })
        : error
    } finally {
      await source.close()
    }
  }

  async delete(id: string): Promise<void> {
    await this.#storage.delete(id)
  }

  /** The ids of all snapshots, the oldest first. */
  async snapshotIds(): Promise<string[]> {
    const ids = (await this.#idsWith(snapshotPrefix)).map(id => id.slice(snapshotPrefix.length))
    return ids.filter(id => timeOfSnapshot(id) !== undefined).sort()
  }

  /** Throws DamagedObject. */
  async readSnapshot(id: string): Promise<Snapshot> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of this.get(snapshotPrefix + id)) {
      bytes += chunk.length
      if (bytes > snapshotBytesAtMost) throw new DamagedObject('it is too large')
      chunks.push(chunk)
    }
    const snapshot = readSnapshotText(Buffer.concat(chunks).toString())
    if (!snapshot) throw new DamagedObject('a newer version of svcd made it')
    return snapshot
  }

  /** Returns the id of the snapshot. All its pieces must be stored. */
  async writeSnapshot(snapshot: Snapshot): Promise<string> {
    const id = newSnapshotId(new Date(snapshot.created_at))
    await this.put(snapshotPrefix + id, once(Buffer.from(JSON.stringify(snapshot))))
    return id
  }

  async deleteSnapshot(id: string): Promise<void> {
    await this.#storage.delete(snapshotPrefix + id)
  }

  /** The snapshot with this id, or the newest one that is not later than this time. */
  async find(wanted: string): Promise<string> {
    const ids = await this.snapshotIds()
    if (ids.length === 0) throw noBackups(this.place)
    if (ids.includes(wanted)) return wanted
    const until = wanted === 'latest' ? Number.POSITIVE_INFINITY : Date.parse(wanted)
    if (Number.isNaN(until))
      throw new Fault(
        'not_found',
        `There is no backup '${wanted}' at ${this.place}. Name one that 'svcd backup list' shows, a time such as 2026-01-31T12:00:00Z, or latest.`,
      )
    const found = ids.findLast(id => timeOfSnapshot(id)! <= until)
    if (found === undefined)
      throw new Fault(
        'not_found',
        `There is no backup from before ${wanted} at ${this.place}. The oldest one is ${ids[0]}.`,
      )
    return found
  }

  async close(): Promise<void> {
    await this.#storage.close()
  }

  #readingKeys(id: string): ReadingKeys {
    const { key, pieces } = this.#keys
    return pieces && id.startsWith(piecePrefix) ? { key, open: pieces.open } : { key }
  }

  #writingKeys(id: string): WritingKeys {
    const { key, pieces } = this.#keys
    return pieces?.sealed && id.startsWith(piecePrefix) ? { key, sealed: pieces.sealed } : { key }
  }

  async #idsWith(prefix: string): Promise<string[]> {
    const ids: string[] = []
    for await (const id of this.#storage.list()) if (id.startsWith(prefix)) ids.push(id)
    return ids
  }
}

export const noBackups = (place: string): Fault =>
  new Fault('not_found', `There are no backups at ${place} yet. Make one with 'svcd backup run'.`)

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
