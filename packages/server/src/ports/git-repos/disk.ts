// Stores repositories on the local disk, each in a directory named by its id. The `git` program reads and writes them.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { checkOutTree, GitFailed, runGit, spawnGit } from '../../lib/git.ts'
import type { GitAnswer, GitCommit, GitRepos, GitRequest, GitService } from './port.ts'

interface DiskReposOptions {
  dir: string
  /** The largest size of one push. */
  pushBytes: number
}

const changedNames = ['-r', '-z', '--name-only', '--no-renames']

export class DiskRepos implements GitRepos {
  readonly #dir: string
  readonly #pushBytes: number

  constructor({ dir, pushBytes }: DiskReposOptions) {
    this.#dir = dir
    this.#pushBytes = pushBytes
  }

  /** Creates the repository under a temporary name and renames it, so that no request sees an incomplete repository. */
  async create(id: string): Promise<void> {
    if (await exists(this.#at(id))) return
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const unfinished = path.join(this.#dir, `${id}.${process.pid}.${Date.now()}.new`)
    await this.#run(['init', '--quiet', '--bare', unfinished])
    try {
      await rename(unfinished, this.#at(id))
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      // Another request has created it meanwhile.
      if (!(await exists(this.#at(id)))) throw error
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#at(id), { recursive: true, force: true })
  }

  async list(): Promise<string[]> {
    const names = await readdir(this.#dir).catch(() => []) // There is no directory before the first repository.
    return names.filter(name => name.endsWith('.git')).map(name => name.slice(0, -'.git'.length))
  }

  async size(id: string): Promise<number> {
    const lines = (await this.#run(['count-objects', '-v'], id)).split('\n').map(line => line.split(': '))
    const kilobytes = lines
      .filter(([name]) => name === 'size' || name === 'size-pack')
      .map(([, value]) => Number(value))
    return kilobytes.reduce((sum, value) => sum + value, 0) * 1024
  }

  serve(id: string, service: GitService, { protocol, input }: GitRequest): GitAnswer {
    const limit = service === 'receive-pack' ? ['-c', `receive.maxInputSize=${this.#pushBytes}`] : []
    const advertise = input ? [] : ['--advertise-refs']
    const args = [...limit, service, '--stateless-rpc', ...advertise, this.#at(id)]
    const git = spawnGit(args, protocol ? { env: { GIT_PROTOCOL: protocol } } : {})
    git.stderr.resume()
    if (input) pipeline(input, git.stdin).catch(() => git.stdin.destroy())
    else git.stdin.end()
    const done = new Promise<boolean>(resolve => {
      git.once('error', () => resolve(false))
      git.once('close', code => resolve(code === 0))
    })
    return { output: git.stdout, done, abort: () => git.kill('SIGKILL') }
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
        ['show', '--no-patch', '--format=%H%n%an%n%B', `${sha}^{commit}`, '--'],
        id,
      )
      const [full = '', author = '', ...message] = text.split('\n')
      return { sha: full, author, message: message.join('\n').trim() }
    } catch (error) {
      if (error instanceof GitFailed) return undefined
      throw error
    }
  }

  async checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<void> {
    await checkOutTree(this.#at(id), sha, dir, signal)
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

  async tidy(id: string): Promise<void> {
    await this.#run(['-c', 'gc.auto=200', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'], id)
  }

  #at(id: string): string {
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

  #run(args: string[], id?: string): Promise<string> {
    return runGit(args, id === undefined ? {} : { gitDir: this.#at(id) })
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
