// Stores repositories on the local disk, each in a directory named by its id. The `git` program reads and writes them.
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { FairQueue } from '../../lib/fair-queue.ts'
import { checkOutTree } from '../../lib/git/check-out.ts'
import { GitFailed, type GitOptions, runGit, withGit } from '../../lib/git/programs.ts'
import type { Submodule } from '../../lib/git/submodules.ts'
import { randomText } from '../../lib/ids.ts'
import { DiskPush } from './incoming-push.ts'
import { keepBody, removeOldBodies } from './kept-bodies.ts'
import { ownLayout, refsSize } from './layout.ts'
import type { GitCommit, GitRepos, GitRequest, GitService, KeptBody } from './port.ts'
import { answerHook, lastLineIs, writeHook } from './push-hook.ts'

interface DiskReposOptions {
  dir: string
  /** The largest size of one push. */
  pushBytes: number
  /** The account or org that a repository belongs to. */
  ownerOf(id: string): Promise<string | undefined>
}

interface DiskRequest extends Omit<GitRequest, 'judge'> {
  judge?: ((push: DiskPush) => Promise<string | undefined>) | undefined
  /** Stores the objects of a push as the pack that they came in, however few they are. */
  keepPacks?: boolean
}

/** Loose refs are packed when there are more. */
const looseRefsAtMost = 100

const changedNames = ['-r', '-z', '--name-only', '--no-renames']

export class DiskRepos implements GitRepos {
  readonly #dir: string
  readonly #pushBytes: number
  readonly #ownerOf: DiskReposOptions['ownerOf']
  /** One push at a time in each repository, and none while unused objects are removed. */
  readonly #changing = new Map<string, { queue: FairQueue; calls: number }>()
  #prepared: Promise<void> | undefined

  constructor({ dir, pushBytes, ownerOf }: DiskReposOptions) {
    this.#dir = dir
    this.#pushBytes = pushBytes
    this.#ownerOf = ownerOf
  }

  /** Creates the repository under a temporary name and renames it, so that no request sees an incomplete repository. */
  async create(id: string): Promise<void> {
    if (await exists(this.dirOf(id))) return
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const unfinished = path.join(this.#dir, `${id}.${process.pid}.${Date.now()}.new`)
    await runGit(['init', '--quiet', '--bare', '--template=', unfinished], { owner: id })
    try {
      await rename(unfinished, this.dirOf(id))
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      // Another request has created it meanwhile.
      if (!(await exists(this.dirOf(id)))) throw error
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.dirOf(id), { recursive: true, force: true })
  }

  async list(): Promise<string[]> {
    const names = await readdir(this.#dir).catch(() => []) // There is no directory before the first repository.
    return names.filter(name => name.endsWith('.git')).map(name => name.slice(0, -'.git'.length))
  }

  async size(id: string): Promise<number> {
    const lines = (await this.#run(['count-objects', '-v'], id)).split('\n').map(line => line.split(': '))
    const kilobytes = lines
      .filter(([name]) => name === 'size' || name === 'size-pack' || name === 'size-garbage')
      .map(([, value]) => Number(value))
    const { bytes } = await refsSize(this.dirOf(id))
    return kilobytes.reduce((sum, value) => sum + value, 0) * 1024 + bytes
  }

  async keep(body: AsyncIterable<Buffer>, bytesAtMost: number): Promise<KeptBody> {
    return await keepBody(path.join(this.#dir, 'incoming'), body, bytesAtMost)
  }

  async serve(
    id: string,
    service: GitService,
    request: DiskRequest,
    deliver: (output: Readable) => Promise<void>,
  ): Promise<boolean> {
    const isPush = service === 'receive-pack' && request.body !== undefined
    const work = () => this.#serve(id, service, request, deliver)
    return isPush ? await this.#alone(id, work) : await work()
  }

  async #serve(
    id: string,
    service: GitService,
    { account: owner, protocol, body, signal, pace, judge, keepPacks = false }: DiskRequest,
    deliver: (output: Readable) => Promise<void>,
  ): Promise<boolean> {
    const gitDir = this.dirOf(id)
    await this.#prepare()
    await ownLayout(gitDir)
    const args = [service, '--stateless-rpc', ...(body ? [] : ['--advertise-refs']), gitDir]
    const input = body && (await open(body.file))
    const lastLine = randomText(16)
    const env = { ...(protocol && { GIT_PROTOCOL: protocol }), ...(judge && lastLineIs(lastLine)) }
    const options: GitOptions = {
      owner,
      work: 'serve',
      signal,
      hook: judge !== undefined,
      settings: {
        ...(judge && { 'core.hooksPath': this.#hooksDir }),
        'receive.maxInputSize': String(this.#pushBytes),
        ...(keepPacks && { 'receive.unpackLimit': '1' }),
      },
      env,
      ...(input && { input: input.fd }),
      ...(pace && { pace }),
    }
    try {
      return await withGit(args, options, async git => {
        git.stderr.resume()
        git.stdin?.end()
        if (judge)
          answerHook(git, lastLine, async question =>
            judge(new DiskPush(gitDir, question, { owner, signal })),
          )
        await deliver(git.stdout)
        return await git.done
      })
    } finally {
      await input?.close()
    }
  }

  async heads(id: string): Promise<Map<string, string>> {
    const text = await this.#run(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/'], id)
    const lines = text.split('\n').filter(Boolean)
    return new Map(
      lines.map(line => [line.slice(line.indexOf(' ') + 1 + 'refs/heads/'.length), line.split(' ')[0] ?? '']),
    )
  }

  async head(id: string): Promise<string> {
    return (await this.#run(['symbolic-ref', 'HEAD'], id)).trim().slice('refs/heads/'.length)
  }

  async setHead(id: string, branch: string): Promise<void> {
    await this.#run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], id)
  }

  async commit(id: string, sha: string): Promise<GitCommit | undefined> {
    try {
      const text = await this.#run(
        // Not `git show`, which compares the trees even if it shows no difference.
        ['log', '--max-count=1', '--no-walk', '--format=%H%n%an%n%B', `${sha}^{commit}`, '--'],
        id,
      )
      const [full = '', author = '', ...message] = text.split('\n')
      return { sha: full, author, message: message.join('\n').trim() }
    } catch (error) {
      if (error instanceof GitFailed) return undefined
      throw error
    }
  }

  async checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<Submodule[]> {
    return await checkOutTree(sha, dir, { ...(await this.optionsOf(id)), signal })
  }

  async differ(id: string, from: string, to: string, dir: string): Promise<boolean> {
    const changes = await this.#list(id, ['diff-tree', ...changedNames, from, to, '--', `:(literal)${dir}`])
    // The earlier commit may be gone after a force push.
    return changes?.length !== 0
  }

  async changes(id: string, from: string, to: string): Promise<string[] | undefined> {
    return await this.#list(id, ['diff-tree', ...changedNames, from, to])
  }

  async present(id: string, sha: string, paths: readonly string[]): Promise<Set<string>> {
    const found =
      paths.length > 0 && (await this.#list(id, ['ls-tree', '-z', '--name-only', sha, '--', ...paths]))
    return new Set(found || [])
  }

  async read(id: string, sha: string, file: string): Promise<string | undefined> {
    return await this.#try(id, ['cat-file', 'blob', `${sha}:${file}`])
  }

  async search(id: string, sha: string, name: string, text: string): Promise<string[]> {
    const files = `:(glob)**/${name}`
    const found = await this.#list(id, [...['grep', '-lzF', '--threads=1', '-e', text, sha, '--'], files])
    return found?.map(file => file.slice(sha.length + 1)) ?? []
  }

  async tidy(id: string, { dropUnused = false } = {}): Promise<void> {
    const settings = { 'gc.auto': '200', 'gc.autoDetach': 'false' }
    const options: GitOptions = { ...(await this.optionsOf(id)), work: 'work', settings }
    if ((await refsSize(this.dirOf(id))).files > looseRefsAtMost)
      await runGit(['pack-refs', '--all'], options)
    if (!dropUnused) await runGit(['gc', '--auto', '--quiet'], options)
    // A push that is under way has objects that no ref leads to yet.
    else await this.#alone(id, () => runGit(['gc', '--prune=now', '--quiet'], options))
  }

  /** Earlier versions of svcd, of which one may still run, have another hook in `hooks`. */
  get #hooksDir(): string {
    return path.join(this.#dir, 'push-hooks')
  }

  /** Once for each process. */
  async #prepare(): Promise<void> {
    this.#prepared ??= (async () => {
      await writeHook(this.#hooksDir)
      await removeOldBodies(path.join(this.#dir, 'incoming'))
    })()
    await this.#prepared.catch(error => {
      this.#prepared = undefined
      throw error
    })
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#changing.get(id) ?? { queue: new FairQueue(1, Number.POSITIVE_INFINITY), calls: 0 }
    this.#changing.set(id, turns)
    turns.calls++
    try {
      return await turns.queue.run(work)
    } finally {
      if (--turns.calls === 0) this.#changing.delete(id)
    }
  }

  dirOf(id: string): string {
    if (!/^rep_[a-z0-9]{16}$/.test(id)) throw new Error(`not the id of a repository: ${id}`)
    return path.join(this.#dir, `${id}.git`)
  }

  /** Reads a list of paths that end with NUL. `undefined` if git fails, such as for a commit that is not there. */
  async #list(id: string, args: string[]): Promise<string[] | undefined> {
    return (await this.#try(id, args))?.split('\0').slice(0, -1)
  }

  async #try(id: string, args: string[]): Promise<string | undefined> {
    try {
      return await this.#run(args, id)
    } catch (error) {
      if (error instanceof GitFailed) return undefined
      throw error
    }
  }

  async #run(args: string[], id: string): Promise<string> {
    return await runGit(args, await this.optionsOf(id))
  }

  async optionsOf(id: string): Promise<GitOptions & { gitDir: string }> {
    const gitDir = this.dirOf(id)
    await ownLayout(gitDir)
    return { gitDir, owner: (await this.#ownerOf(id)) ?? id }
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch {
    return false // It does not exist. Any other error shows when it is created or used.
  }
}
