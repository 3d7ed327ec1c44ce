// A real git client with its own working copy.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestServer } from './server.ts'

const run = promisify(execFile)

export interface GitResult {
  code: number
  stdout: string
  /** What git shows to the person at the terminal, `remote: …` included. */
  stderr: string
}

export class WorkingCopy {
  readonly dir: string
  readonly url: string

  private constructor(dir: string, url: string) {
    this.dir = dir
    this.url = url
  }

  /** Creates an empty working copy on the branch `main`, with the remote `origin`. */
  static async make(server: TestServer, token: string, repo: string): Promise<WorkingCopy> {
    return await WorkingCopy.of(urlOf(server, token, repo))
  }

  /** Creates an empty working copy whose remote is any URL that git can reach. */
  static async of(url: string): Promise<WorkingCopy> {
    const copy = new WorkingCopy(await mkdtemp(path.join(tmpdir(), 'svc-git-')), url)
    await copy.#shell('git init --quiet --initial-branch=main && git remote add origin "$1"', url)
    return copy
  }

  git(...args: string[]): Promise<GitResult> {
    return this.#run('git', args)
  }

  /** Runs several commands. A shell starts them in less time than this process, which has more memory to hand on. */
  #shell(line: string, argument: string): Promise<GitResult> {
    return this.#run('sh', ['-c', line, 'sh', argument])
  }

  async #run(program: string, args: string[]): Promise<GitResult> {
    const env = {
      PATH: process.env.PATH,
      HOME: this.dir,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    }
    try {
      const options = { cwd: this.dir, env, maxBuffer: 64 * 1024 * 1024 }
      return { code: 0, ...(await run(program, args, options)) }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, stdout, stderr }
    }
  }

  async commit(files: Record<string, string | Buffer>, message = 'change'): Promise<string> {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.dir, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, content)
    }
    const line = 'git add --all && git commit --quiet --allow-empty -m "$1" && git rev-parse HEAD'
    return (await this.#shell(line, message)).stdout.trim()
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true })
  }
}

export const urlOf = (server: TestServer, token: string, repo: string): string =>
  `http://git:${token}@127.0.0.1:${server.running.port}/git/${repo}.git`

/** A push that announces a body and sends none of it. The caller destroys it. */
export function announcePush(server: TestServer, token: string, repo: string): ClientRequest {
  const req = request(`http://127.0.0.1:${server.running.port}/git/${repo}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
      'content-length': '1000000',
      expect: '100-continue',
    },
  })
  req.on('error', () => undefined) // The server or the test ends it.
  req.flushHeaders()
  return req
}
