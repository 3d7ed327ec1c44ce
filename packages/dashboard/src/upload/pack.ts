// Packs the files of a site into a gzipped tarball in the browser, without holding their contents in memory.
import { limits } from '@svc/contract/limits'
import { Refusal, type SiteFile } from './selection.ts'
import { archiveEnd, entryHead, entryTail } from './tar.ts'

export interface Packing {
  signal: AbortSignal
  /** Told how many bytes of the archive were read, and how many there are. */
  onProgress(done: number, total: number): void
}

/** The archive before compression: a blob that refers to the files and reads them when it is read. */
function tarball(files: SiteFile[]): Blob {
  const parts: BlobPart[] = []
  for (const { path, file } of files) {
    const mtime = Math.max(0, Math.floor(file.lastModified / 1000))
    parts.push(...(entryHead(path, file.size, mtime) as BlobPart[]), file, entryTail(file.size) as BlobPart)
  }
  return new Blob([...parts, archiveEnd() as BlobPart])
}

export async function pack(files: SiteFile[], { signal, onProgress }: Packing): Promise<Blob> {
  const archive = tarball(files)
  let done = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      done += chunk.length
      onProgress(done, archive.size)
      controller.enqueue(chunk)
    },
  })
  const gzip = new CompressionStream('gzip') as unknown as ReadableWritablePair<Uint8Array, Uint8Array>
  const packed = archive.stream().pipeThrough(count, { signal }).pipeThrough(gzip)

  const chunks: BlobPart[] = []
  let size = 0
  const reader = packed.getReader()
  for (;;) {
    const { done: ended, value } = await reader.read()
    if (ended) return new Blob(chunks, { type: 'application/gzip' })
    size += value.length
    if (size > limits.tarballBytes) {
      await reader.cancel()
      throw new Refusal('Archive exceeds the 100 MB limit.')
    }
    chunks.push(value as BlobPart)
  }
}
