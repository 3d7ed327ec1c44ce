// The list of symbolic links in the archive of a server app.

import { limits } from '@svc/contract/limits'
import { decodeLinks, type Links, linkProblems, linksPath } from '@svc/contract/site'
import { Fault } from '../../../lib/fault.ts'
import type { PackReader } from '../../../ports/packs/pack-reader.ts'
import { printable } from './entry-path.ts'

/** Refuses a list with a link that leads out of the deployment, or that cannot be created. */
export async function checkedLinks(pack: PackReader): Promise<Links> {
  const links = await readLinks(pack)
  if (links.size === 0) return links
  const files = Array.from(pack.files(), ({ path }) => path).filter(path => path !== linksPath)
  for (const [path, problem] of linkProblems(links, files))
    throw new Fault(
      'invalid_archive',
      `The link '${printable(Buffer.from(path))}' in ${linksPath} ${printable(Buffer.from(problem))}. Leave it out.`,
    )
  return links
}

/** Removes links that have the path of a directory that the app writes to. The directory is created instead. */
export function linksToMake(links: Links, scratchDirs: readonly string[]): Links {
  const isInTheWay = (link: string) => scratchDirs.some(dir => isWithin(link, dir) || isWithin(dir, link))
  return new Map([...links].filter(([link]) => !isInTheWay(link)))
}

const isWithin = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`)

/** Empty if the deployment has no list. Its links were checked when it was uploaded. */
export async function readLinks(pack: PackReader): Promise<Links> {
  const file = pack.find(linksPath)
  if (file === undefined) return new Map()
  const links =
    file.size <= limits.linksBytes ? decodeLinks((await pack.read(file)).toString('utf8')) : undefined
  if (links) return links
  throw new Fault(
    'invalid_archive',
    `${linksPath} is not a list of at most 10,000 links and 4 MB. This name is the platform's: give your file another one.`,
  )
}
