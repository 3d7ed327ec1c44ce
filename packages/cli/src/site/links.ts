// The symbolic links of a site. A server app may have those that lead to other parts of it; all others are left out.
import { readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { limits } from '@svc/contract/limits'
import { encodeLinks, type Links, linkProblems, linksTooLarge, tooManyLinks } from '@svc/contract/site'
import { Failure, fileFailure } from '../failure.ts'

/** Returns the target of a link, relative to the link's folder if the target is inside the site. */
export function readLink(root: string, path: string): string {
  try {
    const target = readlinkSync(join(root, path))
    return (isAbsolute(target) ? fromAbsolute(root, path, target) : target).split(sep).join('/')
  } catch (error) {
    throw fileFailure('read', path, error)
  }
}

/** On Windows the links of pnpm are absolute, though they stay inside. */
function fromAbsolute(root: string, path: string, target: string): string {
  const top = realpathSync(root)
  const inside = relative(top, target)
  const isOutside = isAbsolute(inside) || inside.split(sep)[0] === '..'
  return isOutside ? target : relative(dirname(join(top, path)), target) || '.'
}

interface SortedLinks {
  carried: Links
  /** A line for each link that is left out. */
  leftOut: string[]
}

export function sortLinks(found: Links, files: readonly string[], isServer: boolean): SortedLinks {
  const carried = new Map(found)
  const leftOut: string[] = []
  const leave = (path: string, why: string) => {
    leftOut.push(`The symbolic link ${path} is left out: ${why}.`)
    carried.delete(path)
  }
  if (!isServer) for (const path of found.keys()) leave(path, 'links are not followed. Copy what it leads to')
  // A link that leads through one that is left out cannot be kept either.
  for (
    let problems = linkProblems(carried, files);
    problems.size > 0;
    problems = linkProblems(carried, files)
  )
    for (const [path, problem] of problems) leave(path, `it ${problem} (${found.get(path)})`)
  return { carried, leftOut }
}

/** The file that lists them. */
export function packLinks(links: Links): Buffer {
  if (links.size > limits.links) throw new Failure(tooManyLinks)
  const bytes = Buffer.from(encodeLinks(links))
  if (bytes.length > limits.linksBytes) throw new Failure(linksTooLarge)
  return bytes
}
