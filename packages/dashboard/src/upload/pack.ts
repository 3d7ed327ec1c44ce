// Packs the files of a site into a gzipped tarball in the browser, a few files at a time.
import { limits } from '@svc/contract/limits'
import { archiveTooLarge, joinBytes, linksPath, tarEnd, tarHeader, tarPadding } from '@svc/contract/site'
import { Refusal, type SiteFile } from './selection.ts'

interface Packing {
  signal: AbortSignal
  onProgress(done: number, total: number): void
}

/** Reading a small file is mostly waiting, so many are read ahead, but never much at once. */
const readAhead = { files: 64, bytes: 8 * 1024 * 1024 }

export async function pack(chosen: SiteFile[], packing: Packing): Promise<Blob> {
  // The platform keeps its own list of symbolic links at that path.
  const files = chosen.filter(({ path }) => path !== linksPath)
  const gzip = new CompressionStream('gzip')
  const [archive] = await Promise.all([collect(gzip.readable), feed(gzip.writable, files, packing)])
  return archive
}

/** A file weighs its bytes and its header, so that sites of tiny files show progress too. */
const weight = ({ size }: SiteFile) => size + 512

async function feed(gzip: WritableStream<BufferSource>, files: SiteFile[], packing: Packing): Promise<void> {
  const writer = gzip.getWriter()
  const total = files.reduce((sum, file) => sum + weight(file), 0)
  let done = 0
  try {
    for await (const { site, content } of contents(files)) {
      packing.signal.throwIfAborted()
      await writer.write(joinBytes([tarHeader(site), content, tarPadding(site.size)]))
      done += weight(site)
      packing.onProgress(done, total)
    }
    await writer.write(tarEnd())
    await writer.close()
  } catch (error) {
    // The other end of the stream must not wait for bytes that never come. It may be closed already.
    await writer.abort(error).catch(() => undefined)
    throw error
  }
}

/** The files with their contents, in order. */
async function* contents(files: SiteFile[]) {
  const ahead: { site: SiteFile; reading: Promise<Uint8Array> }[] = []
  let bytes = 0
  let next = 0
  const hasRoom = (size: number) =>
    ahead.length === 0 || (ahead.length < readAhead.files && bytes + size <= readAhead.bytes)
  for (;;) {
    for (let site = files[next]; site && hasRoom(site.size); site = files[next]) {
      const reading = readContent(site)
      // A failure is thrown where the content is awaited. Without this line it would count as unhandled until then.
      reading.catch(() => undefined)
      ahead.push({ site, reading })
      bytes += site.size
      next += 1
    }
    const first = ahead.shift()
    if (!first) return
    const content = await first.reading
    bytes -= first.site.size
    yield { site: first.site, content }
  }
}

/** Throws a Refusal if the content is not what was chosen. */
export async function readContent({ path, size, file }: SiteFile): Promise<Uint8Array<ArrayBuffer>> {
  const content = await file.arrayBuffer().catch((error: unknown) => {
    // An entry of an archive says itself what is wrong with it.
    if (error instanceof Refusal) throw error
    return undefined
  })
  if (content?.byteLength === size) return new Uint8Array(content)
  throw new Refusal(
    `${path} cannot be read: it changed or moved since it was chosen. Choose the files again.`,
  )
}

async function collect(packed: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = packed.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(chunks, { type: 'application/gzip' })
    chunks.push(value)
    size += value.length
    if (size <= limits.tarballBytes) continue
    const refusal = new Refusal(archiveTooLarge)
    await reader.cancel(refusal)
    throw refusal
  }
}
