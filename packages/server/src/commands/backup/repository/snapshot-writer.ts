// Writes one snapshot: sends the pieces that the repository does not have yet, and at last the list of all of them.
import { createHash } from 'node:crypto'
import { Fault } from '../../../lib/fault.ts'
import { DamagedObject } from './encryption.ts'
import type { Repository } from './repository.ts'
import { bytesOf, type Piece, type Snapshot } from './snapshot.ts'

export interface SentFile {
  name: string
  size: number
  content: () => AsyncIterable<Buffer>
}

/** The files proved damaged while they were read. */
class DamagedFiles extends Error {}

export class SnapshotWriter {
  /** What was sent, and not there before. */
  readonly sent = { pieces: 0, bytes: 0 }
  readonly #repository: Repository
  readonly #stored: Set<string>
  /** The hashes of the encrypted pieces by their ids, as far as they are known. */
  readonly #hashes = new Map<string, string>()
  /** The pieces of the last snapshot by the name of their first file. */
  readonly #last: ReadonlyMap<string, Piece>
  readonly #pieces: Piece[] = []

  private constructor(repository: Repository, stored: Set<string>, last: ReadonlyMap<string, Piece>) {
    this.#repository = repository
    this.#stored = stored
    this.#last = last
    for (const { id, sha256 } of last.values()) if (sha256 !== undefined) this.#hashes.set(id, sha256)
  }

  static async begin(repository: Repository): Promise<SnapshotWriter> {
    const stored = await repository.pieceIds()
    const last = new Map((await lastPieces(repository)).map(piece => [piece.files[0]![0], piece]))
    return new SnapshotWriter(repository, stored, last)
  }

  /** Takes over a file that never changes from the last snapshot. Returns false if that did not have it, or only damaged. */
  keep(name: string): boolean {
    const piece = this.#last.get(name)
    if (!piece || piece.damage !== undefined || !this.#stored.has(piece.id)) return false
    this.#pieces.push(piece)
    return true
  }

  /**
   * Adds files that never change under their names. `damage` says after the last byte what was wrong with them. A damaged piece gets
   * an id of its own, so that the whole one is sent when there is one again.
   */
  async addNamed(files: SentFile[], damage: () => string | undefined = () => undefined): Promise<void> {
    const id = this.#repository.pieceIdOf(['named', ...files.map(({ name, size }) => [name, size])])
    try {
      await this.#send(id, files, damage)
    } catch (error) {
      if (!(error instanceof DamagedFiles)) throw error
      return await this.addByContent(files, damage())
    }
    this.#pieces.push({ id, files: listed(files), ...(await this.#checkable(id)) })
  }

  /** Adds files that change. They are read twice. */
  async addByContent(files: SentFile[], damage?: string): Promise<void> {
    const hash = createHash('sha256')
    for await (const chunk of contentOf(files)) hash.update(chunk)
    const id = this.#repository.pieceIdOf(['content', hash.digest('hex')])
    await this.#send(id, files, () => undefined)
    this.#pieces.push({
      ...{ id, files: listed(files), ...(damage !== undefined && { damage }) },
      ...(await this.#checkable(id)),
    })
  }

  /** Returns the id of the snapshot and the size of all files in it. */
  async finish(about: Omit<Snapshot, 'pieces'>): Promise<{ id: string; bytes: number }> {
    const pieces = this.#pieces.toSorted((a, b) => (a.files[0]![0] < b.files[0]![0] ? -1 : 1))
    const snapshot = { ...about, pieces }
    return { id: await this.#repository.writeSnapshot(snapshot), bytes: bytesOf(snapshot) }
  }

  async #send(id: string, files: SentFile[], damage: () => string | undefined): Promise<void> {
    if (this.#stored.has(id)) return
    const content = async function* () {
      yield* contentOf(files)
      if (damage() !== undefined) throw new DamagedFiles()
    }
    const { bytes, sha256 } = await this.#repository.put(id, content())
    this.sent.bytes += bytes
    this.sent.pieces++
    this.#stored.add(id)
    this.#hashes.set(id, sha256)
  }

  /** What lets the server check a piece that it cannot decrypt. That of an interrupted run is read for it. */
  async #checkable(id: string): Promise<Pick<Piece, 'sha256'>> {
    if (!this.#repository.isForRecipients) return {}
    return { sha256: this.#hashes.get(id) ?? (await this.#repository.sha256Of(id)) }
  }
}

const listed = (files: SentFile[]): Piece['files'] => files.map(({ name, size }) => [name, size])

async function* contentOf(files: SentFile[]): AsyncGenerator<Buffer> {
  for (const { name, size, content } of files) {
    let bytes = 0
    for await (const chunk of content()) {
      bytes += chunk.length
      yield chunk
    }
    if (bytes !== size) throw new Fault('unavailable', `${name} changed while it was read. Try again.`)
  }
}

/** A snapshot that cannot be read saves nothing: pieces are found by their ids, too. */
async function lastPieces(repository: Repository): Promise<Piece[]> {
  const last = (await repository.snapshotIds()).at(-1)
  if (last === undefined) return []
  try {
    return (await repository.readSnapshot(last)).pieces
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    return []
  }
}
