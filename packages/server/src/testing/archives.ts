// Makes the archives that tests upload.
import { gzipSync } from 'node:zlib'
import { tarEnd, tarHeader, tarPadding } from '@svc/contract/site'

export type Entries = [path: string, content: string | Buffer][]

/** A gzipped tarball with its entries in this order. */
export function tarball(entries: Entries): Buffer {
  const parts = entries.flatMap(([name, content]) => {
    const bytes = Buffer.from(content)
    return [tarHeader({ path: name, size: bytes.length }), bytes, tarPadding(bytes.length)]
  })
  return gzipSync(Buffer.concat([...parts, tarEnd()]), { level: 1 })
}

/** A gzipped tarball of the given files. */
export const archiveOf = (files: Record<string, string | Buffer>): Buffer => tarball(Object.entries(files))
