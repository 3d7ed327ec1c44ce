// Lists the files of a build's output that are published, by the rules of an upload: svc.json, .git and what .svcignore leaves
// out stay behind. The output is untrusted.
import { readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { limits } from '@svc/contract'
import { type BuildPlan, below, type Output, type ProjectFiles } from '@svc/contract/project'
import {
  type EntryKind,
  type Extent,
  type Ignores,
  ignoreFile,
  ignoreRules,
  isExcluded,
  linksPath,
  tooManyFiles,
} from '@svc/contract/site'
import { BuildFailed } from './job.ts'

const rulesBytes = 32 * 1024
/** Rules that take longer were made to. */
const ignoringMs = 10_000
/** How long the event loop may be busy with one list. */
const turnMs = 10

export interface OutputFiles {
  /** Sorted. */
  files: string[]
  links: Map<string, string>
}

/** The rules of both .svcignore files hold, as for `svc deploy`: the one of the project, and the one in its output. */
export async function publishedExtent(files: ProjectFiles, plan: BuildPlan, output: Output): Promise<Extent> {
  const places = [...new Set([plan.dir, output.dir])].map(dir => below(dir, ignoreFile))
  const texts: string[] = []
  for (const place of places) {
    if (!(await files.hasFile(place))) continue
    const text = await files.read(place, rulesBytes)
    if (text === undefined)
      throw new BuildFailed(`${place} is larger than 32 KB. Use fewer rules, then push again.`)
    texts.push(text)
  }
  const nodeModules = output.withNodeModules
  return texts.length === 0 ? { nodeModules } : { nodeModules, ignores: bounded(ignoreRules(texts)) }
}

function bounded(ignores: Ignores): Ignores {
  let spent = 0
  return (path, isFolder) => {
    const begun = performance.now()
    const isIgnored = ignores(path, isFolder)
    spent += performance.now() - begun
    if (spent > ignoringMs)
      throw new BuildFailed(`The rules of ${ignoreFile} take too long. Use simpler rules, then push again.`)
    return isIgnored
  }
}

/** Messages for errors that the permissions and names of a build's own files cause. */
const unreadable: Record<string, string> = {
  ENAMETOOLONG: 'its folders are nested too deeply',
  EACCES: 'it has a folder that nobody may read',
  ELOOP: 'it has links that lead in a circle',
}

/** Fails if there is nothing to publish, or more than a deployment may have. */
export const listOutput = (dir: string, extent: Extent): Promise<OutputFiles> =>
  list(dir, extent).catch((cause: NodeJS.ErrnoException) => {
    const problem = unreadable[cause.code ?? '']
    throw problem ? new BuildFailed(`The output cannot be published: ${problem}.`, { cause }) : cause
  })

async function list(dir: string, extent: Extent): Promise<OutputFiles> {
  const found: OutputFiles = { files: [], links: new Map() }
  for await (const { path: at, kind } of walk(dir, '', extent)) {
    if (at.includes('\uFFFD'))
      throw new BuildFailed(`The file '${at}' has a name that is not UTF-8. Rename it, then push again.`)
    if (kind === 'link') found.links.set(at, await readlink(path.join(dir, at)))
    else found.files.push(at)
    if (found.files.length > limits.files)
      throw new BuildFailed(`${tooManyFiles} Leave files out with ${ignoreFile}, then push again.`)
  }
  if (found.files.length === 0) throw new BuildFailed(nothingIn(extent))
  found.files.sort()
  return found
}

const nothingIn = ({ ignores }: Extent): string =>
  ignores
    ? `Nothing to deploy: ${ignoreFile} leaves out every file.`
    : 'Nothing to deploy: there are no files in the folder that is published.'

/** Only the platform writes below this folder of a deployment. */
const ownFolder = path.dirname(linksPath)

async function* walk(
  root: string,
  folder: string,
  extent: Extent,
): AsyncGenerator<{ path: string; kind: EntryKind }> {
  let turn = performance.now()
  for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
    const at = below(folder, entry.name)
    const kind = entry.isDirectory()
      ? 'folder'
      : entry.isSymbolicLink()
        ? 'link'
        : entry.isFile()
          ? 'file'
          : undefined
    // Sockets and pipes are not published.
    if (kind === undefined || at === ownFolder || isExcluded(at, kind, extent)) continue
    if (kind === 'folder') yield* walk(root, at, extent)
    else yield { path: at, kind }
    if (performance.now() - turn < turnMs) continue
    await setImmediate()
    turn = performance.now()
  }
}
