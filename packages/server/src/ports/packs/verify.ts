// Finds out whether a pack is whole: its index and every file in it.
import { ContentCheck } from './content-check.ts'
import { DamagedPack } from './pack-index.ts'
import { PackReader } from './pack-reader.ts'
import type { PackSource } from './port.ts'

/**
 * Words about what is damaged. `undefined` if the pack is whole. The source stays open. `afterChunk` is awaited before the next
 * bytes are read.
 */
export async function damageOf(
  source: PackSource,
  afterChunk?: (bytes: number) => Promise<void>,
): Promise<string | undefined> {
  try {
    const check = new ContentCheck(await filesOf(source))
    for await (const chunk of source.stream(0, source.size)) {
      check.take(chunk)
      await afterChunk?.(chunk.length)
    }
    return damagedFiles(check.finish())
  } catch (error) {
    if (error instanceof DamagedPack || error instanceof RangeError) return error.message
    // The disk cannot read a sector any more.
    if ((error as NodeJS.ErrnoException).code === 'EIO') return 'the disk cannot read it'
    throw error
  }
}

interface Listeners {
  /** Files do not match their checksums. Called after the last byte. */
  onFiles(damage: string): void
  /** No file can be checked, because there is no index that can be read. */
  onIndex?(damage: string): void
}

/** Passes the bytes of a pack on, and tells what is damaged. */
export async function* whileChecking(
  source: PackSource,
  { onFiles, onIndex }: Listeners,
): AsyncGenerator<Buffer> {
  let check: ContentCheck | undefined
  try {
    check = new ContentCheck(await filesOf(source))
  } catch (error) {
    if (!(error instanceof DamagedPack)) throw error
    onIndex?.(error.message)
  }
  for await (const chunk of source.stream(0, source.size)) {
    check?.take(chunk)
    yield chunk
  }
  const damage = damagedFiles(check?.finish() ?? [])
  if (damage !== undefined) onFiles(damage)
}

const filesOf = async (source: PackSource) => (await PackReader.of(source)).files()

function damagedFiles(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `${paths.slice(0, 3).join(', ')}${more} do not match their checksums`
}
