// Repositories on the local disk, each in a directory of its id, used by the `git` program.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GitAnswer, GitCommit, GitRepos, GitRequest, GitService } from './port.ts'

type Git = ChildProcessByStdio<Writable, Readable, Readable>

/** Neither the operator's nor the system's settings of git change what the forge does, and no hook runs. */
const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.symlinks': 'true',
  'safe.directory': '*',
  'init.defaultBranch': 'main',
  'receive.fsckObjects': 'true',
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'false',
  'receive.denyDeleteCurrent': 'ignore',
  'gc.auto': '0',
  'uploadpack.allowFilter': 'true',
  'pack.threads': '1',
  'http.receivepack': 'true',
  'protocol.allow': 'never',
}

const answerBytes = 16 * 1024 * 1024
/** Of what git says when something fails. */
const errorBytes = 2_000

export interface DiskReposOptions {
  dir: string
  /** What one push may send. */
  pushBytes: number
}

export class DiskRepos implements GitRepos {
  readonly #dir: string
  readonly #pushBytes: number

  constructor({ dir, pushBytes }: DiskReposOptions) {
    this.#dir = dir
    this.#pushBytes = pushBytes
  }

  /** Made beside its place and moved there, so that half a repository is never used. */
  async create(id: string): Promise<void> {
    if (await exists(this.#at(id))) return
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const unfinished = path.join(this.#dir, `${id}.${process.pid}.${Date.now()}.new`)
    await this.#run(['init', '--quiet', '--bare', unfinished])
    try {
      await rename(unfinished, this.#at(id))
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      // Another request was faster.
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
    const git = this.#spawn(args, undefined, protocol ? { GIT_PROTOCOL: protocol } : {})
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

  /** With an index of its own and without a `.git` directory: the build sees files, and nothing of the repository. */
  async checkOut(id: string, sha: string, dir: string, signal: AbortSignal): Promise<void> {
    const index = `${dir}.index`
    const options = { env: { GIT_INDEX_FILE: index, GIT_WORK_TREE: dir }, signal }
    try {
      await this.#run(['read-tree', `${sha}^{commit}`], id, options)
      await this.#run(['-c', 'core.bare=false', 'checkout-index', '--all'], id, options)
    } finally {
      await rm(index, { force: true })
    }
  }

  async differ(id: string, from: string, to: string, dir: string): Promise<boolean> {
    try {
      const args = ['diff-tree', '-r', '--name-only', '--no-renames', from, to, '--', `:(literal)${dir}`]
      return (await this.#run(args, id)) !== ''
    } catch (error) {
      // The earlier commit may be gone after a force push.
      if (error instanceof GitFailed) return true
      throw error
    }
  }

  async tidy(id: string): Promise<void> {
    await this.#run(['-c', 'gc.auto=200', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'], id)
  }

  #at(id: string): string {
    if (!/^rep_[a-z0-9]{16}$/.test(id)) throw new Error(`not the id of a repository: ${id}`)
    return path.join(this.#dir, `${id}.git`)
  }

  #spawn(args: string[], id: string | undefined, env: Record<string, string> = {}): Git {
    const config = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    return spawn('git', [...config, ...args], {
      cwd: env.GIT_WORK_TREE ?? '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: '/nonexistent',
        LC_ALL: 'C.UTF-8',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        ...(id !== undefined && { GIT_DIR: this.#at(id) }),
        ...env,
      },
    })
  }

  async #run(
    args: string[],
    id?: string,
    { env, signal }: { env?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<string> {
    signal?.throwIfAborted()
    const git = this.#spawn(args, id, env)
    git.stdin.end()
    const stop = () => git.kill('SIGKILL')
    signal?.addEventListener('abort', stop)
    try {
      const closed = new Promise<number | null>((resolve, reject) => {
        git.once('error', reject)
        git.once('close', resolve)
      })
      const [out, said, code] = await Promise.all([
        textOf(git.stdout, answerBytes),
        textOf(git.stderr, errorBytes),
        closed,
      ])
      signal?.throwIfAborted()
      if (code !== 0) throw new GitFailed(`git ${args.find(arg => !/^-|=/.test(arg))}: ${said.trim()}`)
      return out
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

export class GitFailed extends Error {
  override readonly name = 'GitFailed'
}

/** What is beyond the bound is read and dropped. */
async function textOf(stream: Readable, bytesAtMost: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < bytesAtMost) chunks.push(chunk.subarray(0, bytesAtMost - bytes))
    bytes += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch {
    return false // It is not there; any other trouble shows when it is made or used.
  }
}
