// Repositories of the stand-in for GitHub: bare repositories on the disk, served over git's smart HTTP protocol.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { WorkingCopy } from '../git.ts'

/** Not svcd's own way to run git: GitHub has machines of its own. */
const runGit = async (args: string[], { gitDir = '/' } = {}): Promise<string> =>
  (await promisify(execFile)('git', ['-c', 'safe.directory=*', '--git-dir', gitDir, ...args])).stdout

interface StandInPull {
  number: number
  state: 'open' | 'closed'
  head: { ref: string; label: string; sha: string; repo: { id: number; name: string } }
}

export class StandInRepository {
  readonly id: number
  fullName: string
  readonly dir: string
  readonly copy: WorkingCopy
  readonly pulls: StandInPull[] = []
  readonly statuses: Record<string, unknown>[] = []
  readonly deployments: { id: number; statuses: Record<string, unknown>[]; [field: string]: unknown }[] = []
  readonly comments: { id: number; pull: number; body: string; byApp: boolean }[] = []

  /** How often git asked for something. */
  requests = 0

  private constructor(id: number, fullName: string, dir: string, copy: WorkingCopy) {
    this.id = id
    this.fullName = fullName
    this.dir = dir
    this.copy = copy
  }

  static async make(id: number, fullName: string): Promise<StandInRepository> {
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-github-'))
    await runGit(['init', '--quiet', '--bare', '--initial-branch=main'], { gitDir: dir })
    return new StandInRepository(id, fullName, dir, await WorkingCopy.of(dir))
  }

  /** Commits to a branch and pushes it. Returns the id of the commit. */
  async push(files: Record<string, string>, { branch = 'main', message = 'change' } = {}): Promise<string> {
    await this.copy.git('switch', '--quiet', '--force-create', branch)
    const sha = await this.copy.commit(files, message)
    await this.copy.git('push', '--quiet', '--force', 'origin', `${branch}:${branch}`)
    return sha
  }

  async setDefaultBranch(branch: string): Promise<void> {
    await runGit(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], { gitDir: this.dir })
  }

  async deleteBranch(branch: string): Promise<void> {
    await this.copy.git('push', '--quiet', 'origin', '--delete', branch)
  }

  /** Opens a pull request from a branch of this repository, or from a fork. */
  async openPull(
    ref: string,
    fork?: { owner: string; name?: string; files: Record<string, string> },
  ): Promise<StandInPull> {
    const number = this.pulls.length + 1
    if (fork) {
      await this.copy.git('switch', '--quiet', '--force-create', `fork-${number}`)
      await this.copy.commit(fork.files)
      await this.copy.git('push', '--quiet', 'origin', `fork-${number}:refs/pull/${number}/head`)
    }
    const from = fork ? `refs/pull/${number}/head` : `refs/heads/${ref}`
    const sha = (await runGit(['rev-parse', from], { gitDir: this.dir })).trim()
    const [owner, name = ''] = this.fullName.split('/')
    const repo = { id: fork ? this.id + 1_000_000 + number : this.id, name: fork?.name ?? name }
    const head = { ref, label: `${fork?.owner ?? owner}:${ref}`, sha, repo }
    const pull: StandInPull = { number, state: 'open', head }
    this.pulls.push(pull)
    return pull
  }

  async commitAt(ref: string): Promise<{ sha: string; commit: unknown } | undefined> {
    const name = ref.startsWith('heads/') ? `refs/${ref}` : ref
    const text = await runGit(['show', '--no-patch', '--format=%H%n%an%n%B', `${name}^{commit}`, '--'], {
      gitDir: this.dir,
    }).catch(() => undefined)
    if (text === undefined) return undefined
    const [sha = '', author = '', ...message] = text.split('\n')
    return { sha, commit: { message: message.join('\n').trim(), author: { name: author } } }
  }

  async tree(sha: string): Promise<{ path: string; type: string; sha: string }[] | undefined> {
    const text = await runGit(['ls-tree', sha], { gitDir: this.dir }).catch(() => undefined)
    return text
      ?.split('\n')
      .filter(Boolean)
      .map(line => {
        const [facts = '', name = ''] = line.split('\t')
        const [, type = '', id = ''] = facts.split(' ')
        return { path: name, type, sha: id }
      })
  }

  serve(req: IncomingMessage, res: ServerResponse): void {
    this.requests++
    const isAdvertisement = req.method === 'GET'
    const args = [
      'upload-pack',
      '--stateless-rpc',
      ...(isAdvertisement ? ['--advertise-refs'] : []),
      this.dir,
    ]
    const protocol = req.headers['git-protocol']
    const env: Record<string, string> = typeof protocol === 'string' ? { GIT_PROTOCOL: protocol } : {}
    // GitHub allows fetching any commit of a repository and of its pull requests by its id.
    const settings = ['safe.directory=*', 'uploadpack.allowFilter=true', 'uploadpack.allowAnySHA1InWant=true']
    const git = spawn('git', [...settings.flatMap(setting => ['-c', setting]), ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, ...env },
    })
    const kind = isAdvertisement ? 'advertisement' : 'result'
    res.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` })
    if (isAdvertisement && !protocol) res.write('001e# service=git-upload-pack\n0000')
    git.stdout.pipe(res)
    const body = req.headers['content-encoding'] === 'gzip' ? req.pipe(createGunzip()) : req
    if (isAdvertisement) git.stdin.end()
    else body.pipe(git.stdin)
  }

  async remove(): Promise<void> {
    await this.copy.remove()
    await rm(this.dir, { recursive: true, force: true })
  }
}
