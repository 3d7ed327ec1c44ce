// Reads `_redirects` and `_headers` from a deployment. Requests wait meanwhile, so only the first megabyte is read.
import type { PackFile } from '../../../ports/packs/pack-index.ts'
import type { PackReader } from '../../../ports/packs/pack-reader.ts'
import { mentionsPassword } from './basic-auth.ts'

interface RuleFile {
  text: string
  /** Whether the file continues after `text`. */
  isCut: boolean
  /** Whether Basic-Auth is mentioned in the part after `text`, or in another file with the same name. */
  hidesPassword: boolean
}

/** Enough for 2,100 rules of the usual length. */
const mostBytes = 1024 * 1024
const lineFeed = 0x0a

/** Of several files with the same name, the first is read. */
export async function readRuleFile(
  pack: PackReader,
  [file, ...others]: readonly PackFile[],
): Promise<RuleFile> {
  let hidesPassword = false
  for (const other of others) hidesPassword ||= await mentionsPasswordAfter(pack, other, 0)
  if (file === undefined) return { text: '', isCut: false, hidesPassword }
  if (file.size <= mostBytes) return { text: decode(await pack.read(file)), isCut: false, hidesPassword }
  const start = Buffer.concat(await pack.stream(file, 0, mostBytes).toArray())
  const end = start.lastIndexOf(lineFeed) + 1
  hidesPassword ||= await mentionsPasswordAfter(pack, file, end)
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
