// A push whose objects are in a folder of their own, which git calls the quarantine, until svcd has accepted them.
import { realpathSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { GitFailed, type GitOptions, runGit, withGit } from '../../lib/git/programs.ts'
import { requireFewPaths, TooManyPaths } from '../../lib/git/tree-size.ts'
import { noObject, updateRefs } from './local-copy.ts'
import type { IncomingPush, RefUpdate } from './port.ts'
import type { Question } from './push-hook.ts'

export class DiskPush implements IncomingPush {
  readonly updates: readonly RefUpdate[]
  readonly #objects: string | undefined
  readonly #options: GitOptions

  constructor(gitDir: string, { objects, updates }: Question, options: GitOptions) {
    this.updates = updates
    // The path comes from git through the hook. Git resolves links, such as one to the data directory.
    const own = realpathSync(path.join(gitDir, 'objects'))
    if (objects !== undefined && path.dirname(realpathSync(objects)) !== own)
      throw new Error('the new objects are outside of the repository')
    this.#objects = objects
    const env = objects && { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: own }
    this.#options = { ...options, gitDir, ...(env && { env }) }
  }

  async bytes(): Promise<number> {
    if (this.#objects === undefined) return 0
    const entries = await readdir(this.#objects, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile())
    let bytes = 0
    for (const { parentPath, name } of files) bytes += (await stat(path.join(parentPath, name))).size
    return bytes
  }

  async bytesAfter(): Promise<number> {
    const tips = await this.#tipsAfter()
    return await withGit(['rev-list', '--disk-usage', '--objects', '--stdin'], this.#options, async git => {
      git.stderr.resume()
      git.stdin?.end([...new Set(tips.values())].map(tip => `${tip}\n`).join(''))
      let text = ''
      for await (const chunk of git.stdout as AsyncIterable<Buffer>) text += chunk.toString()
      if (!(await git.done)) throw new Error('git rev-list failed')
      return Number(text)
    })
  }

  async refsAfter(): Promise<number> {
    return (await this.#tipsAfter()).size
  }

  async tooManyPaths(commits: readonly string[]): Promise<string | undefined> {
    try {
      await requireFewPaths(commits, this.#options)
    } catch (error) {
      if (error instanceof TooManyPaths) return error.message
      throw error
    }
  }

  /** Lets git check the names, the objects and the earlier values of the refs, as it does before it moves them. */
  async whyRefsCannotMove(): Promise<string | undefined> {
    const commands = this.updates.flatMap(({ ref, from = noObject, to }) =>
      to !== undefined
        ? `update ${ref} ${to} ${from}`
        : from === noObject
          ? [] // Git only warns that there is no such ref.
          : `delete ${ref} ${from}`,
    )
    try {
      await updateRefs(['start', ...commands, 'prepare', 'abort'], this.#options)
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error
      return `The refs cannot be changed so. Fetch, and push again. Git says: ${error.message}`
    }
  }

  /** The path of the pack that the push brings, without its ending. `undefined` if it brings no objects. */
  async pack(): Promise<string | undefined> {
    if (this.#objects === undefined) return undefined
    const entries = await readdir(this.#objects, { recursive: true, withFileTypes: true })
    const files = entries.filter(entry => entry.isFile())
    const [pack, other] = files.filter(({ name }) => name.endsWith('.pack'))
    const single = files.find(({ parentPath }) => /[/][0-9a-f]{2}$/.test(parentPath))
    if (other || single) throw new Error('the objects of a push are not in one pack')
    return pack && path.join(pack.parentPath, pack.name.slice(0, -'.pack'.length))
  }

  async #tipsAfter(): Promise<Map<string, string>> {
    const text = await runGit(['for-each-ref', '--format=%(refname) %(objectname)'], this.#options)
    const tips = new Map(
      text
        .split('\n')
        .filter(Boolean)
        .map(line => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
    )
    for (const { ref, to } of this.updates)
      if (to === undefined) tips.delete(ref)
      else tips.set(ref, to)
    return tips
  }
}
