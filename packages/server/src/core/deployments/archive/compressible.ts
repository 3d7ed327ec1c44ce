// Decides which files to compress, and at which quality, so that the largest site takes seconds and not minutes.
import { extname } from 'node:path/posix'

const MB = 1024 * 1024

/** Text, and binary formats that are not compressed by themselves. */
const extensions = new Set(
  (
    'html htm xhtml css js mjs cjs jsx ts tsx map json jsonld json5 geojson topojson webmanifest ' +
    'xml xsl xslt rss atom svg kml gpx txt text md markdown mdx csv tsv yaml yml toml ini log vtt srt ics ' +
    'wasm ttf otf eot ico bmp cur tga dds psd gltf stl obj mtl ply glb tar ps eps rtf'
  ).split(' '),
)

/** A smaller file fits into one packet, compressed or not. */
const minBytes = 512

export function isCompressible(file: { path: string; size: number }): boolean {
  return file.size >= minBytes && extensions.has(extname(file.path).slice(1).toLowerCase())
}

/** A variant that saves less than a tenth is not worth the decompression. */
export function isWorthKeeping(variantBytes: number, fileBytes: number): boolean {
  return variantBytes <= fileBytes * 0.9
}

export interface Effort {
  brotli: number
  gzip: number
}

/**
 * The quality depends on the total size of all compressible files of a deployment. Brotli compresses about 0.7 MB/s at
 * quality 11, 2 at 10 and 30 at 6. Qualities 7 to 9 are slower than 10 on small files and gain nothing.
 */
const efforts: (Effort & { upTo: number })[] = [
  { upTo: 4 * MB, brotli: 11, gzip: 9 },
  { upTo: 16 * MB, brotli: 10, gzip: 9 },
  { upTo: Number.POSITIVE_INFINITY, brotli: 6, gzip: 6 },
]

export function effortFor(totalBytes: number): Effort {
  return efforts.find(effort => totalBytes <= effort.upTo)!
}
