// Writes the files of a directory to a tar archive, with a manifest before them.
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { Fault } from '../../lib/fault.ts'
import { type Manifest, manifestName } from './format.ts'

/** The largest size that the header of a tar entry can name. */
const entryBytesAtMost = 8 * 1024 ** 3 - 1

/** Returns the size of the archive. `file` must not exist. */
export async function writeArchive(
  dir: string,
  file: string,
  about: Omit<Manifest, 'files'>,
): Promise<number> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = found
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .sort()
  const archive = await open(file, 'wx', 0o600)
  try {
    const manifest: Manifest = { ...about, files: files.length }
    await addText(archive, manifestName, `${JSON.stringify(manifest)}\n`)
    for (const each of files) await addFile(archive, path.relative(dir, each), each)
    await archive.writeFile(tarEnd())
    await archive.sync()
    return (await archive.stat()).size
  } finally {
    await archive.close()
  }
}

async function addText(archive: FileHandle, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  await archive.writeFile(tarHeader({ path: name, size: bytes.length }))
  await archive.writeFile(bytes)
  await archive.writeFile(tarPadding(bytes.length))
}

async function addFile(archive: FileHandle, name: string, source: string): Promise<void> {
  const { size } = await stat(source)
  if (size > entryBytesAtMost)
    throw new Fault(
      'payload_too_large',
      `${name} is larger than 8 GB, which does not fit into a backup. Stop svcd and copy its data directory.`,
    )
  await archive.writeFile(tarHeader({ path: name, size }))
  if (size > 0)
    for await (const chunk of createReadStream(source, { end: size - 1, highWaterMark: 1024 * 1024 }))
      await archive.writeFile(chunk as Buffer)
  await archive.writeFile(tarPadding(size))
}
