// Packs of git as objects of the storage. One object holds a pack and its index, so that a push is one upload.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { randomText } from '../../lib/ids.ts'
import { type Packs, StorageFailure } from '../packs/port.ts'
import type { StoredPack } from '../repo-ledger/port.ts'

const chunkBytes = 1024 * 1024

export const newObjectId = (repository: string): string => `${repository}.${randomText(16)}`

/** `file` is the path of a pack without its ending. The object is durable when this resolves. */
export async function storePack(packs: Packs, id: string, file: string): Promise<StoredPack> {
  const hash = createHash('sha256')
  const sink = await packs.create(id)
  try {
    const bytes: number[] = []
    for (const part of [`${file}.pack`, `${file}.idx`]) {
      bytes.push((await stat(part)).size)
      for await (const chunk of createReadStream(part, { highWaterMark: chunkBytes })) {
        hash.update(chunk)
        await sink.write(chunk)
      }
    }
    await sink.commit()
    const [packBytes = 0, indexBytes = 0] = bytes
    return { id, name: path.basename(file), packBytes, indexBytes, sha256: hash.digest('hex') }
  } catch (error) {
    await sink.abort()
    throw error
  }
}

/** Writes the pack into a directory of packs, where git finds it by its index. Does nothing if it is there. */
export async function fetchPack(packs: Packs, pack: StoredPack, dir: string): Promise<void> {
  const { id, name, packBytes, indexBytes, sha256 } = pack
  if (await isFile(path.join(dir, `${name}.idx`))) return
  const source = await packs.open(id)
  if (source === undefined || source.size !== packBytes + indexBytes) {
    await source?.close()
    throw new StorageFailure(`The storage has no object ${id} of ${packBytes + indexBytes} bytes.`)
  }
  const unfinished = path.join(dir, `tmp_${randomText(16)}`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  try {
    const hash = createHash('sha256')
    const copy = async (offset: number, length: number, file: string) => {
      const passed = async function* (bytes: AsyncIterable<Buffer>) {
        for await (const chunk of bytes) {
          hash.update(chunk)
          yield chunk
        }
      }
      await pipeline(source.stream(offset, length), passed, createWriteStream(file, { mode: 0o400 }))
      await synced(file)
    }
    await copy(0, packBytes, `${unfinished}.pack`)
    await copy(packBytes, indexBytes, `${unfinished}.idx`)
    if (hash.digest('hex') !== sha256)
      throw new StorageFailure(`The object ${id} of the storage is damaged: its checksum is another one.`)
    // Git looks for the index first.
    for (const ending of ['pack', 'idx'])
      await rename(`${unfinished}.${ending}`, path.join(dir, `${name}.${ending}`))
  } finally {
    await source.close()
    for (const ending of ['pack', 'idx']) await rm(`${unfinished}.${ending}`, { force: true })
  }
}

async function synced(file: string): Promise<void> {
  const handle = await open(file, 'r')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    found => found.isFile(),
    () => false, // Any other error shows when it is written.
  )
}
