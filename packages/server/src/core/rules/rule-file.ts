// Reads `_redirects` and `_headers` from a deployment. Requests wait meanwhile, so only the first megabyte is read.
import type { PackFile } from '../../ports/packs/pack-index.ts'
import type { PackReader } from '../../ports/packs/pack-reader.ts'
import { mentionsPassword } from './basic-auth.ts'

export interface RuleFile {
  text: string
  /** The file goes on after `text`. */
  isCut: boolean
  /** It mentions Basic-Auth there. */
  hidesPassword: boolean
}

/** Enough for 2,100 rules of the usual length. */
const mostBytes = 1024 * 1024
const lineFeed = 0x0a

export async function readRuleFile(pack: PackReader, file: PackFile | undefined): Promise<RuleFile> {
  if (file === undefined) return { text: '', isCut: false, hidesPassword: false }
  if (file.size <= mostBytes)
    return { text: decode(await pack.read(file)), isCut: false, hidesPassword: false }
  const start = Buffer.concat(await pack.stream(file, 0, mostBytes).toArray())
  const end = start.lastIndexOf(lineFeed) + 1
  const hidesPassword = await mentionsPasswordAfter(pack, file, end)
  return { text: decode(start.subarray(0, end)), isCut: true, hidesPassword }
}

/** Windows PowerShell writes UTF-16. */
const decode = (bytes: Buffer): string =>
  bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8')

async function mentionsPasswordAfter(pack: PackReader, file: PackFile, start: number): Promise<boolean> {
  let tail = ''
  for await (const chunk of pack.stream(file, start)) {
    // Without the NULs, UTF-16 reads like ASCII.
    const text = tail + (chunk as Buffer).toString('latin1').replaceAll('\0', '')
    if (mentionsPassword(text)) return true
    tail = text.slice(-'basic-auth'.length)
  }
  return false
}
