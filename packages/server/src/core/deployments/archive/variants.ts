// Makes the compressed variants of a deployment, in a second pack beside its own, after it went live.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { PackReader } from '../../../ports/packs/pack-reader.ts'
import { PackWriter } from '../../../ports/packs/pack-writer.ts'
import type { Packs } from '../../../ports/packs/port.ts'
import { type Effort, effortFor, isCompressible, isWorthKeeping } from './compressible.ts'

/** The pack of a deployment's variants. */
export function variantsId(id: string): string {
  return `${id}.z`
}

/** Content codings, by their names in HTTP. */
export type Coding = 'br' | 'gzip'

/** The positions of a file's variants in the pack of variants. Only files that compress well have variants. */
export function variantPath(path: string, coding: Coding): string {
  return `${folders[coding]}/${path}`
}

const folders: Record<Coding, string> = { br: 'br', gzip: 'gz' }

/** The function that core calls. A separate thread does the work. */
export type MakeVariants = (id: string, options?: VariantsOptions) => Promise<void>

interface VariantsOptions {
  /** The folders whose files visitors can get, such as `public/`. `undefined` if they can get all files. */
  folders?: readonly string[] | undefined
  signal?: AbortSignal | undefined
}

/** Writes a pack even if it is empty, to mark that the work is done. Does nothing if it exists or the deployment is gone. */
export async function makeVariants(packs: Packs, id: string, options: VariantsOptions = {}): Promise<void> {
  const done = await packs.open(variantsId(id))
  if (done !== undefined) return done.close()
  const reader = await PackReader.open(packs, id)
  if (reader === undefined) return
  try {
    await writeVariants(reader, packs, variantsId(id), options)
  } finally {
    await reader.close()
  }
}

async function writeVariants(
  reader: PackReader,
  packs: Packs,
  id: string,
  { folders, signal }: VariantsOptions,
) {
  const isPublic = (path: string) => folders?.some(folder => path.startsWith(folder)) ?? true
  const files = [...reader.files()].filter(file => isPublic(file.path) && isCompressible(file))
  const effort = effortFor(files.reduce((sum, file) => sum + file.size, 0))
  const writer = PackWriter.create(await packs.create(id))
  try {
    for (const file of files) {
      signal?.throwIfAborted()
      const content = await reader.read(file)
      for (const [coding, compress] of encoders) {
        const variant = compress(content, effort)
        if (isWorthKeeping(variant.length, file.size))
          await writer.addFile(variantPath(file.path, coding), variant)
      }
    }
    signal?.throwIfAborted()
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Synchronous, because this thread has nothing else to do. */
const encoders: [coding: Coding, compress: (content: Buffer, effort: Effort) => Buffer][] = [
  [
    'br',
    (content, effort) =>
      brotliCompressSync(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: effort.brotli,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      }),
  ],
  ['gzip', (content, effort) => gzipSync(content, { level: effort.gzip })],
]
