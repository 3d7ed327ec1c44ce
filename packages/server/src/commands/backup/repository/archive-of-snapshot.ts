// Gives a snapshot the form of a backup file, so that a restore treats both alike and checks both alike.
import { tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { ByteReader } from '../../../lib/byte-reader.ts'
import { Fault } from '../../../lib/fault.ts'
import { type Manifest, manifestName, packIdOf } from '../format.ts'
import type { ArchiveSource } from '../read-archive.ts'
import { chunkBytes, DamagedObject } from './encryption.ts'
import type { Repository } from './repository.ts'
import type { Piece, Snapshot } from './snapshot.ts'

export async function archiveOf(repository: Repository, id: string): Promise<ArchiveSource> {
  const refusal = (cause: unknown) => refused(id, repository.place, cause)
  const snapshot = await repository.readSnapshot(id).catch(error => {
    throw error instanceof DamagedObject ? refusal(error) : error
  })
  return {
    stream: () => tarOf(repository, snapshot, snapshot.pieces),
    packs: () =>
      tarOf(
        repository,
        snapshot,
        snapshot.pieces.filter(({ files }) => packIdOf(files[0]![0]) !== undefined),
      ),
    refusal,
  }
}

const refused = (id: string, place: string, cause: unknown): Fault =>
  new Fault(
    'invalid_archive',
    `The backup ${id} at ${place} is damaged: ${(cause as Error).message}. Run 'svcd backup verify', and restore another one with --at.`,
    { cause },
  )

async function* tarOf(repository: Repository, snapshot: Snapshot, pieces: Piece[]): AsyncGenerator<Buffer> {
  const { format, svcd, created_at, has_key } = snapshot
  const files = snapshot.pieces.reduce((sum, piece) => sum + piece.files.length, 0)
  const manifest: Manifest = { format, svcd, created_at, has_key, files }
  const text = Buffer.from(JSON.stringify(manifest))
  yield* [tarHeader({ path: manifestName, size: text.length }), text, tarPadding(text.length)].map(asBuffer)
  for (const piece of pieces)
    for await (const part of filesOf(repository, piece)) {
      if ('name' in part) yield asBuffer(tarHeader({ path: part.name, size: part.size }))
      else if ('bytes' in part) yield part.bytes
      else yield asBuffer(tarPadding(part.endOf))
    }
  yield asBuffer(tarEnd())
}

type Part = { name: string; size: number } | { bytes: Buffer } | { endOf: number }

/** The files of a piece, each as its name, its bytes and its end. Throws DamagedObject. */
export async function* filesOf(repository: Repository, { id, files }: Piece): AsyncGenerator<Part> {
  const reader = new ByteReader(repository.get(id))
  try {
    for (const [name, size] of files) {
      yield { name, size }
      for (let left = size; left > 0; ) {
        const bytes = await reader.readAtMost(Math.min(left, chunkBytes))
        if (bytes.length === 0) throw new DamagedObject(`${name} was cut off`)
        left -= bytes.length
        yield { bytes }
      }
      yield { endOf: size }
    }
    // Reads the end, which is authenticated as well.
    if (!(await reader.isAtEnd())) throw new DamagedObject(`${files.at(-1)![0]} is longer than it was`)
  } catch (error) {
    throw error instanceof DamagedObject ? new DamagedObject(`${files[0]![0]}: ${error.message}`) : error
  } finally {
    await reader.close()
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
