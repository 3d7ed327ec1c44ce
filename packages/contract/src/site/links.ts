// Symbolic links of a server app. Archives cannot carry them (links in an archive are skipped), so clients list them in a
// file of their own, and the runner makes them again. A link may lead only to a file or folder of the same deployment.
import { limits } from '../limits.ts'
import { normalPath, pathProblem, textProblem } from './paths.ts'

/** The path of the list in an archive. `_svc/` belongs to the platform and is never served. */
export const linksPath = '_svc/links.json'

/** The target of each link, by the path of the link. A target is relative to the folder of its link. */
export type Links = ReadonlyMap<string, string>

/** A path through more links than this counts as a loop, as on Linux. */
const mostHops = 40
/** Limits the work on a list that was made to be slow. Each step looks at one name of a path. */
const mostSteps = 300_000
const tooMany = 'leads through too many folders and links'

export function encodeLinks(links: Links): string {
  return `${JSON.stringify({ links: Object.fromEntries(links) })}\n`
}

/** Reads a list of links. `undefined` if the text is not one. */
export function decodeLinks(text: string): Links | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const { links } = (json ?? {}) as { links?: unknown }
  if (typeof links !== 'object' || links === null || Array.isArray(links)) return undefined
  const entries = Object.entries(links)
  if (entries.length > limits.links) return undefined
  return entries.every(([, target]) => typeof target === 'string') ? new Map(entries) : undefined
}

/** What is wrong with links, by their paths: each completes "The link … ". Empty if all can be made. */
export function linkProblems(links: Links, files: Iterable<string>): Map<string, string> {
  const tree = new Tree(links, files)
  const problems = new Map<string, string>()
  for (const [path, target] of links) {
    const problem = tree.problemOf(path, target)
    if (problem) problems.set(path, problem)
  }
  return problems
}

class Tree {
  readonly #links: Links
  readonly #files: ReadonlySet<string>
  /** Paths of files and links, sorted, so that what lies below a folder is found without a list of all folders. */
  readonly #sorted: string[]
  #steps = 0

  constructor(links: Links, files: Iterable<string>) {
    this.#links = links
    this.#files = new Set(files)
    this.#sorted = [...this.#files, ...links.keys()].sort()
  }

  problemOf(path: string, target: string): string | undefined {
    if (!isSoundPath(path)) return 'has a path that cannot be deployed'
    if (this.#files.has(path) || this.#isFolder(path)) return 'stands where the upload has a file or folder'
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      if (++this.#steps > mostSteps) return tooMany
      const parent = path.slice(0, slash)
      if (this.#links.has(parent) || this.#files.has(parent))
        return `lies below '${parent}', which is no folder`
    }
    return this.#problemOfTarget(path.split('/').slice(0, -1), target)
  }

  /** Walks to the target as the kernel would, name by name, and through further links. */
  #problemOfTarget(from: string[], target: string): string | undefined {
    const unsound = unsoundTarget(target)
    if (unsound) return unsound
    const at = [...from]
    const ahead = target.split('/').reverse()
    let hops = 1
    for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
      if (++this.#steps > mostSteps) return tooMany
      if (name === '' || name === '.') continue
      if (name === '..') {
        if (at.pop() === undefined) return 'leads outside of the deployed folder'
        continue
      }
      at.push(name)
      const here = at.join('/')
      const next = this.#links.get(here)
      if (next !== undefined) {
        if (++hops > mostHops) return 'leads in a circle'
        const unsoundNext = unsoundTarget(next)
        if (unsoundNext) return `leads through '${here}', which ${unsoundNext}`
        at.pop()
        ahead.push(...next.split('/').reverse())
      } else if (!this.#isFolder(here) && (ahead.length > 0 || !this.#files.has(here)))
        return 'leads to nothing that is part of the upload'
    }
    return undefined
  }

  #isFolder(path: string): boolean {
    const below = `${path}/`
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#sorted[middle]! < below) low = middle + 1
      else high = middle
    }
    return this.#sorted[low]?.startsWith(below) ?? false
  }
}

function isSoundPath(path: string): boolean {
  return pathProblem(path) === undefined && normalPath(path) === path && !path.startsWith('_svc/')
}

function unsoundTarget(target: string): string | undefined {
  if (target.startsWith('/')) return 'has an absolute target'
  return target === '' || textProblem(target) ? 'has a target that cannot be deployed' : undefined
}
