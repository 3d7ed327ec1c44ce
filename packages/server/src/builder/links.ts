// The symbolic links of what a build made: archives carry none, so they are listed beside the files.
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { encodeLinks, linkProblems, linksPath } from '@svc/contract/site'

export interface ListedLinks {
  /** Undefined where there are none. */
  dir: string | undefined
  /** What is left out, and why. */
  warnings: string[]
}

const warningsAtMost = 20

/** Writes the list into a folder of its own, from which it is packed. Left out and named is what leads nowhere good. */
export async function listLinks(
  source: string,
  excluded: ReadonlySet<string>,
  staging: string,
): Promise<ListedLinks> {
  const files: string[] = []
  const links = new Map<string, string>()
  for await (const entry of walk(source, '', excluded))
    if (entry.target === undefined) files.push(entry.path)
    else links.set(entry.path, entry.target)
  const warnings: string[] = []
  // What leads through a link that is left out leads nowhere, too.
  for (let problems = linkProblems(links, files); problems.size > 0; problems = linkProblems(links, files))
    for (const [link, problem] of problems) {
      links.delete(link)
      warnings.push(`The link ${link} ${problem}, and is left out.`)
    }
  if (warnings.length > warningsAtMost)
    warnings.splice(
      warningsAtMost,
      warnings.length,
      `${warnings.length - warningsAtMost} more links are left out.`,
    )
  if (links.size === 0) return { dir: undefined, warnings }
  const file = path.join(staging, linksPath)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, encodeLinks(links))
  return { dir: staging, warnings }
}

async function* walk(
  root: string,
  folder: string,
  excluded: ReadonlySet<string>,
): AsyncGenerator<{ path: string; target?: string }> {
  for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
    if (excluded.has(entry.name)) continue
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, relative, excluded)
    else if (entry.isSymbolicLink())
      yield { path: relative, target: await readlink(path.join(root, relative)) }
    else if (entry.isFile()) yield { path: relative }
  }
}
