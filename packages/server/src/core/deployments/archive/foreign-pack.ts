// Checks a pack that another platform made: everything that is checked of an upload while its pack is written.
import { formatBytes } from '@svc/contract/bytes'
import { limits } from '@svc/contract/limits'
import { linksPath } from '@svc/contract/site'
import { Fault } from '../../../lib/fault.ts'
import { DamagedPack, footerBytes, indexOffset } from '../../../ports/packs/pack-index.ts'
import { PackReader } from '../../../ports/packs/pack-reader.ts'
import type { PackSource } from '../../../ports/packs/port.ts'
import { damageOf } from '../../../ports/packs/verify.ts'
import { frameworkOf } from '../frameworks.ts'
import { checkDiskNames } from './disk-names.ts'
import { entryPath } from './entry-path.ts'
import { checkedLinks, linksToMake } from './links.ts'

/** The index of 10,000 files with long paths is much smaller. */
const indexBytesAtMost = 64 * 1024 * 1024

/** No pack is larger: its files, and its index. */
export const packBytesAtMost = limits.extractedBytes + limits.linksBytes + indexBytesAtMost

interface ForeignPack {
  kind: 'static' | 'server'
  framework: string | null
}

/** Throws a fault if the platform would not have taken these files as an upload. */
export async function checkForeignPack(
  source: PackSource,
  { kind, framework }: ForeignPack,
): Promise<{ fileCount: number; sizeBytes: number }> {
  await requireSmallIndex(source)
  const damage = await damageOf(source)
  if (damage !== undefined) throw refused(damage)
  const pack = await PackReader.of(source)
  const paths = new Set<string>()
  let [fileCount, sizeBytes] = [0, 0]
  for (const { path, size } of pack.files()) {
    if (entryPath(Buffer.from(path)) !== path || paths.has(path)) throw refused('a path is not plain')
    if (size > limits.fileBytes) throw refused(`a file is larger than ${formatBytes(limits.fileBytes)}`)
    paths.add(path)
    if (path === linksPath) continue
    fileCount += 1
    sizeBytes += size
  }
  if (fileCount > limits.files || sizeBytes > limits.extractedBytes) throw refused('it has too many files')
  const links = await checkedLinks(pack)
  const scratch = frameworkOf(framework)?.scratch ?? []
  if (kind === 'server') checkDiskNames([...paths, ...linksToMake(links, scratch).keys()], scratch)
  return { fileCount, sizeBytes }
}

async function requireSmallIndex(source: PackSource): Promise<void> {
  const { size } = source
  if (size < footerBytes) throw refused('it is too short')
  const footer = await source.read(size - footerBytes, footerBytes)
  try {
    if (size - indexOffset(footer, size) > indexBytesAtMost) throw refused('its index is too large')
  } catch (error) {
    throw error instanceof DamagedPack ? refused(error.message) : error
  }
}

const refused = (why: string): Fault =>
  new Fault('invalid_archive', `The files of a deployment cannot be used: ${why}.`)
