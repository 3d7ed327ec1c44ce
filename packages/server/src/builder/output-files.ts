// Lists the symbolic links in the output of a build. Upload archives have no links, so the list is packed with the files.
import { mkdir, readdir, readlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { encodeLinks, linkProblems, linksPath } from '@svc/contract/site'

interface ListedLinks {
  /** `undefined` if there are none. */
  dir: string | undefined
  /** The links that are left out, and why. */
  warnings: string[]
}

const warningsAtMost = 20

/** Writes the list into a folder of its own, to be packed. Links to missing or outside files are left out with a warning. */
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
  // Removing a link can break other links that lead through it.
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
