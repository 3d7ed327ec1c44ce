// Packs the output of a build like an upload: a gzipped tar stream with a list of its symbolic links.
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type Extent, encodeLinks, linkProblems, linksPath } from '@svc/contract/site'
import { listOutput, type OutputFiles } from './output-files.ts'
import { writeTar } from './tar.ts'

const warningsAtMost = 20

interface Packed {
  archive: Readable
  /** The links that a server app gets. A static site has none. */
  links: string[]
  warnings: string[]
}

/** Packs the folder. The stream fails if tar fails, so that an incomplete build is never published. */
export async function packFolder(dir: string, staging: string, extent: Extent): Promise<Packed> {
  const listed = await listOutput(dir, extent)
  const warnings = removeBrokenLinks(listed)
  if (listed.links.size > 0) await writeLinks(listed.links, staging)
  const args = [
    '--hard-dereference',
    ...(listed.links.size === 0 ? [] : ['--directory', staging, linksPath]),
    ...['--directory', dir],
  ]
  // Fast rather than small, because the same process unpacks it again.
  const gzip = writeTar(args, listed.files, createGzip({ level: 1 }))
  return { archive: gzip, links: [...listed.links.keys()], warnings }
}

/** Removes links to missing or outside files. Returns a warning for each. */
function removeBrokenLinks({ files, links }: OutputFiles): string[] {
  const warnings: string[] = []
  // Removing a link can break other links that lead through it.
  for (let problems = linkProblems(links, files); problems.size > 0; problems = linkProblems(links, files))
    for (const [link, problem] of problems) {
      links.delete(link)
      warnings.push(`The link ${link} ${problem}, and is left out.`)
    }
  return shortened(warnings)
}

/** Repositories may have thousands of links. */
export const shortened = (warnings: readonly string[]): string[] =>
  warnings.length > warningsAtMost
    ? [...warnings.slice(0, warningsAtMost), `${warnings.length - warningsAtMost} more links are left out.`]
    : [...warnings]

/** Upload archives have no links, so a list of them is packed with the files, from a folder of its own. */
async function writeLinks(links: ReadonlyMap<string, string>, staging: string): Promise<void> {
  const file = path.join(staging, linksPath)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, encodeLinks(links))
}
