// A project that builds from a repository of its owner, and a working copy of the repository.
import { expect, onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'
import { type GitResult, WorkingCopy } from './git.ts'
import { send } from './send.ts'
import type { TestServer } from './server.ts'
import { freshName } from './team.ts'

const ended = ['succeeded', 'failed', 'cancelled']

export async function newGitProject(server: TestServer, settings: Record<string, unknown> = {}) {
  const owner = await server.account()
  const name = freshName()
  const repo = `${owner.login}/site`
  await send(server, 'POST /projects', owner, { name })
  const connected = await send(server, `POST /projects/${name}/repo`, owner, { repo, ...settings })
  expect(connected.status).toBe(200)
  const copy = await WorkingCopy.make(server, owner.token, repo)
  const path = `/projects/${name}` as const
  const builds = async () => (await send(server, `GET ${path}/builds`, owner)).json.builds
  const untilEnded = async (id: string) => {
    const get = async () => (await send(server, `GET ${path}/builds/${id}`, owner)).json
    await eventually(async () => ended.includes((await get()).status))
    return await get()
  }
  const log = async (id: string) => (await send(server, `GET ${path}/builds/${id}/log`, owner)).text
  const push = (...args: string[]): Promise<GitResult> => copy.git('push', 'origin', ...args)
  return { owner, name, repo, copy, path, builds, untilEnded, log, push }
}

/** A project for one test. Its working copy is removed when the test ends. */
export async function gitProjectOfTest(server: TestServer, settings: Record<string, unknown> = {}) {
  const project = await newGitProject(server, settings)
  onTestFinished(() => project.copy.remove())
  return project
}

/** A repository for one test, with a working copy that is removed when the test ends. */
export async function gitCopyOfTest(server: TestServer, name = 'site') {
  const owner = await server.account()
  const repo = `${owner.login}/${name}`
  const copy = await WorkingCopy.make(server, owner.token, repo)
  onTestFinished(() => copy.remove())
  return { owner, copy, repo }
}

export type GitProject = Awaited<ReturnType<typeof newGitProject>>

/**
 * A build that waits until it is cancelled, so that what is queued after it stays queued on a server that builds one at
 * a time.
 */
export async function occupyBuilder(server: TestServer): Promise<{ release(): Promise<void> }> {
  const busy = await newGitProject(server, { install_cmd: 'true', build_cmd: 'sleep 600' })
  await busy.copy.commit({ 'package.json': '{}' })
  const pushed = busy.push('main')
  await eventually(async () => (await busy.builds())[0]?.status === 'building')
  const [{ id }] = await busy.builds()
  const release = async () => {
    await send(server, `POST ${busy.path}/builds/${id}/cancel`, busy.owner)
    await pushed
    await busy.copy.remove()
  }
  return { release }
}
