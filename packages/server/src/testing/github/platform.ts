// A platform that uses the stand-in for GitHub, on every database, and people who signed in with GitHub.

import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { randomText } from '../../lib/ids.ts'
import { databases } from '../databases.ts'
import { eventually } from '../eventually.ts'
import { send } from '../send.ts'
import { TestServer } from '../server.ts'
import { freshName, type Person } from '../team.ts'
import type { StandInRepository } from './repositories.ts'
import { StandIn } from './stand-in.ts'

interface GitHubPlatform {
  server: TestServer
  github: StandIn
  /** Every line that the platform has logged. */
  logged: string[]
}

export function onGitHub(
  tests: (on: () => GitHubPlatform) => void,
  environment: Record<string, string> = {},
): void {
  describe.each(databases())('on %s', engine => {
    let platform: GitHubPlatform
    beforeAll(async () => {
      const github = await StandIn.start()
      const logged: string[] = []
      const settings = {
        ...github.settings,
        ...{ SVCD_SIGNUPS: 'open', SVCD_LOG_LEVEL: 'trace', SVCD_TRUST_PROXY: '127.0.0.1' },
        ...environment,
      }
      const server = await TestServer.start(engine, settings, { write: line => void logged.push(line) })
      // Creates the first account, so that the others need no set-up link.
      await server.account('operator')
      platform = { server, github, logged }
    })
    afterAll(async () => {
      await platform?.server.remove()
      await platform?.github.remove()
      expect(platform?.github.complaints).toEqual([])
    })
    tests(() => platform)
  })
}

interface GitHubPerson extends Person {
  githubId: number
}

/** Starts a login from a new IP address, so that the rate limit per address does not apply. */
export async function startLogin(server: TestServer, body: object = {}) {
  const address = `10.${[0, 0, 0].map(() => randomInt(256)).join('.')}`
  const headers = { 'x-forwarded-for': address }
  return await server.request('/auth/device', { method: 'POST', body, headers })
}

/** Signs a person in with GitHub. */
export async function signIn(
  { server, github }: GitHubPlatform,
  login = `gh-${randomText(8)}`,
  githubId = github.addUser(login),
): Promise<GitHubPerson> {
  const device = (await startLogin(server)).json
  github.logins.decide(device.user_code, githubId)
  const { json } = await send(server, 'POST /auth/device/poll', undefined, {
    device_code: device.device_code,
  })
  const me = (await send(server, 'GET /me', { token: json.token })).json
  return { id: me.id, login: me.gitforge_login, token: json.token, githubId }
}

/** Creates a person with a repository that has one commit and the GitHub App installed. */
export async function withRepository(on: GitHubPlatform) {
  const person = await signIn(on)
  const fullName = `${person.login}/site`
  const repository = await on.github.addRepository(fullName, [person.githubId])
  await repository.push({ 'index.html': 'first' })
  const installationId = on.github.install(person.login, [fullName])
  return { person, repository, fullName, installationId }
}

/** Runs build.js if the repository has one. Without npm, which takes long on a busy machine. */
export const plainBuild = { install_cmd: 'true', build_cmd: 'test ! -f build.js || node build.js' }

/** Creates a project that builds from a repository at GitHub, and waits for its first build. */
export async function withProject(on: GitHubPlatform, settings: Record<string, unknown> = {}) {
  const { server, github } = on
  const { person, repository, fullName, installationId } = await withRepository(on)
  const name = freshName()
  await send(server, 'POST /projects', person, { name })
  const connected = await send(server, `POST /projects/${name}/repo`, person, { repo: fullName, ...settings })
  expect(connected.json).toMatchObject({ forge: 'github', build_id: expect.any(String) })
  const builds = async () => (await send(server, `GET /projects/${name}/builds`, person)).json.builds
  const idle = async () => {
    await eventually(async () => (await builds()).every(isOver))
    return await builds()
  }
  const log = async (id: string) =>
    (await send(server, `GET /projects/${name}/builds/${id}/log`, person)).text
  const announce = (event: string, more: object, repo: StandInRepository = repository) =>
    github.deliver(server, event, { ...github.about(repo), ...more })
  const pushed = (branch = 'main') => announce('push', { ref: `refs/heads/${branch}` })
  const settled = () => eventsHandled(server)
  await idle()
  return { person, repository, fullName, installationId, name, builds, idle, log, announce, pushed, settled }
}

/** Waits until all events so far are processed. */
export const eventsHandled = (server: TestServer): Promise<boolean> =>
  eventually(async () => {
    const rows = await server.running.platform.store.db
      .selectFrom('github_deliveries')
      .select('id')
      .where('event', 'is not', null)
      .execute()
    return rows.length === 0
  })

const isOver = ({ status }: { status: string }): boolean => !['queued', 'building'].includes(status)
