// Pushes commits to a repository of the platform. A push ends when its build has ended.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

interface Commit {
  message: string
  /** The files to write, by their names. */
  files: Record<string, string>
}

export async function pushTo(cloneUrl: string, token: string, commits: readonly Commit[]): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-push-'))
  const author = ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.org']
  const env = { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args: string[]) => promisify(execFile)('git', [...author, ...args], { cwd: dir, env })
  const remote = new URL(cloneUrl)
  remote.username = 'git'
  remote.password = token
  try {
    await git('init', '--quiet', '--initial-branch=main')
    for (const { message, files } of commits) {
      for (const [name, content] of Object.entries(files)) await writeFile(path.join(dir, name), content)
      await git('add', '--all')
      await git('commit', '--quiet', '-m', message)
      await git('push', '--quiet', remote.href, 'HEAD:main')
    }
  } finally {
    await rm(dir, { recursive: true })
  }
}
