// Counts the paths of commits without walking them: a folder that is in a tree many times is read once. So ten folders in ten
// folders, ten levels deep, are eleven reads.
import type { Readable } from 'node:stream'
import { formatWhole } from '@svc/contract/whole-number'
import { Fault } from '../fault.ts'
import { GitFailed, type GitOptions, withGit } from './programs.ts'

/** Files and folders of one commit. The largest projects of the world have about as many files. */
const pathsAtMost = 200_000
/** Folders within folders. No path of a deeper one could be written to a disk. */
const deepestPath = 256
/** What one call reads of all commits together. */
const entriesAtMost = 20 * pathsAtMost
/** The same for folders, each of which takes some memory. */
const foldersAtMost = 2 * pathsAtMost
const treeBytesAtMost = 32 * 1024 * 1024

/** A commit has more paths than a repository may have. The message is for the person who pushes. */
export class TooManyPaths extends Fault {
  constructor(message: string) {
    super('not_buildable', message)
  }
}

interface Tree {
  id: string
  entries: number
  folders: string[]
}

interface Size {
  paths: number
  depth: number
}

/** Rejects with TooManyPaths if one of the commits has too many, or if all of them have more than one call may read. */
export async function requireFewPaths(commits: readonly string[], options: GitOptions): Promise<void> {
  const trees = new Map<string, Tree>()
  const sizes = new Map<string, Size>()
  await withGit(['cat-file', '--batch'], options, async git => {
    git.stderr.resume()
    const answers = new TreeReader(git.stdout)
    let entries = 0
    let folders = 0
    const read = async (names: string[]): Promise<Tree[]> => {
      git.stdin?.write(names.map(name => `${name}\n`).join(''))
      const found: Tree[] = []
      for (const name of names) {
        const tree = await answers.next(name)
        if (!tree) continue
        entries += tree.entries
        folders += tree.folders.length
        if (entries > entriesAtMost || folders > foldersAtMost) throw tooManyTogether()
        found.push(tree)
      }
      return found
    }
    for (const commit of commits) {
      const [top] = await read([`${commit}^{tree}`])
      if (!top) continue
      let least = 0
      for (let level = [top]; level.length > 0; ) {
        for (const tree of level) trees.set(tree.id, tree)
        const unread = new Set(level.flatMap(tree => tree.folders).filter(id => !trees.has(id)))
        least += entriesIn(level)
        // One folder may be empty. So a push of very many folders is refused before they are read.
        if (least + Math.max(0, unread.size - 1) > pathsAtMost) throw tooMany(commit)
        level = await read([...unread])
      }
      const { paths, depth } = sizeOf(top.id, trees, sizes)
      if (paths > pathsAtMost) throw tooMany(commit)
      if (depth > deepestPath) throw tooDeep(commit)
    }
  })
}

const entriesIn = (trees: readonly Tree[]): number => trees.reduce((sum, tree) => sum + tree.entries, 0)

/** Post-order with a stack of its own, since trees may be deeper than the stack of calls. */
function sizeOf(top: string, trees: ReadonlyMap<string, Tree>, sizes: Map<string, Size>): Size {
  const stack = [top]
  const begun = new Set<string>()
  while (stack.length > 0) {
    const id = stack.at(-1)!
    const tree = trees.get(id)
    if (!begun.has(id)) {
      begun.add(id)
      for (const folder of tree?.folders ?? [])
        if (!begun.has(folder) && !sizes.has(folder)) stack.push(folder)
      continue
    }
    stack.pop()
    if (sizes.has(id)) continue
    let paths = tree?.entries ?? 0
    let depth = 0
    for (const folder of tree?.folders ?? []) {
      const size = sizes.get(folder)
      paths = Math.min(Number.MAX_SAFE_INTEGER, paths + (size?.paths ?? 0))
      depth = Math.max(depth, size?.depth ?? 0)
    }
    sizes.set(id, { paths, depth: depth + 1 })
  }
  return sizes.get(top)!
}

const advice = 'Remove what was committed by mistake, such as node_modules, and push again.'

const tooMany = (commit: string) =>
  new TooManyPaths(
    `The commit ${commit.slice(0, 10)} has more than ${formatWhole(pathsAtMost)} files and folders. ${advice}`,
  )

const tooManyTogether = () =>
  new TooManyPaths(
    'The branches of this push have too many files and folders to be checked at once. Push fewer of them at a time.',
  )

const tooDeep = (commit: string) =>
  new TooManyPaths(
    `The commit ${commit.slice(0, 10)} has folders within folders, more than ${deepestPath} levels deep. ${advice}`,
  )

/** Reads the answers of `git cat-file --batch`. */
class TreeReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(output: Readable) {
    this.#chunks = (output as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  /** `undefined` if there is no such tree. */
  async next(name: string): Promise<Tree | undefined> {
    const [id = '', kind = '', size = ''] = (await this.#line()).split(' ')
    if (kind !== 'tree') {
      if (kind === 'missing') return undefined
      throw new GitFailed(`git cat-file: ${name} is no tree`)
    }
    if (Number(size) > treeBytesAtMost)
      throw new TooManyPaths(`A folder of the commit has too many files. ${advice}`)
    const content = await this.#take(Number(size) + 1)
    return { id, ...readTree(content.subarray(0, -1)) }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(0x0a)
      if (end >= 0) return (await this.#take(end + 1)).toString('latin1').trimEnd()
      await this.#more(this.#held.length + 1)
    }
  }

  async #take(bytes: number): Promise<Buffer> {
    await this.#more(bytes)
    const taken = this.#held.subarray(0, bytes)
    this.#held = this.#held.subarray(bytes)
    return taken
  }

  async #more(bytes: number): Promise<void> {
    const chunks = [this.#held]
    let length = this.#held.length
    while (length < bytes) {
      const { value, done } = await this.#chunks.next()
      if (done) throw new GitFailed('git cat-file: ended too early')
      chunks.push(value)
      length += value.length
    }
    if (chunks.length > 1) this.#held = Buffer.concat(chunks)
  }
}

const folderMode = 0o040000
const kindOfMode = 0o170000

/** An entry is its mode, a space, its name, a zero byte and 20 bytes of its id. */
function readTree(content: Buffer): Pick<Tree, 'entries' | 'folders'> {
  const folders: string[] = []
  let entries = 0
  for (let at = 0; at < content.length; entries++) {
    const zero = content.indexOf(0, at)
    if (zero < 0) break
    const mode = Number.parseInt(content.toString('latin1', at, at + 7), 8)
    if ((mode & kindOfMode) === folderMode) folders.push(content.toString('hex', zero + 1, zero + 21))
    at = zero + 21
  }
  return { entries, folders }
}
