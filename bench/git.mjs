// A git client for the measurements: working copies, pushes and clones.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const env = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.com',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.com',
}

export const git = (cwd, ...args) =>
  promisify(execFile)('git', args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })

export function initRepository(dir) {
  mkdirSync(dir, { recursive: true })
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: dir, env })
}

export async function commit(dir, files, message = 'change') {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
  await git(dir, 'add', '--all')
  await git(dir, 'commit', '--quiet', '--allow-empty', '-m', message)
}

export const remoteOf = (svc, repo) => `${svc.url.replace('//', `//git:${svc.token}@`)}/git/${repo}.git`

/** Makes a project that builds from a repository of the forge. */
export async function connectProject(svc, name, settings = {}) {
  const repo = `bench/${name}`
  await svc.api('POST', '/projects', { name })
  await svc.api('POST', `/projects/${name}/repo`, { repo, ...settings })
  return remoteOf(svc, repo)
}

/** The newest build, once it has ended. Throws if it failed. */
export async function endOfBuild(svc, project) {
  for (;;) {
    const [build] = (await svc.api('GET', `/projects/${project}/builds`)).builds
    if (build?.finished_at) {
      if (build.status !== 'succeeded') throw new Error(`the build is ${build.status}: ${build.error}`)
      return build
    }
    await sleep(20)
  }
}

export const secondsOf = ({ started_at, finished_at }) =>
  (Date.parse(finished_at) - Date.parse(started_at)) / 1000
