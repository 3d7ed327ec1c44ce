import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { githubApp } from '../../config/github.ts'
import { readSettings } from '../../config.ts'
import { eventually } from '../../testing/eventually.ts'
import { StandIn } from '../../testing/github/stand-in.ts'
import { githubOf } from './app.ts'
import type { GitHub } from './port.ts'

describe('the GitHub App', () => {
  let standIn: StandIn
  let github: GitHub
  beforeAll(async () => {
    standIn = await StandIn.start()
    github = githubOf(githubApp(readSettings(standIn.settings))!, 'svc/1')
  })
  afterAll(() => standIn.remove())

  it('is checked: its name, its permissions, its events', async () => {
    expect(await github.check()).toContain('the App svc-test at http://127.0.0.1:')
    standIn.appSettings = { permissions: { contents: 'write', statuses: 'read' }, events: ['push'] }
    await expect(github.check()).rejects.toThrow(
      'lacks the permission statuses: write, the permission deployments: write, the permission pull_requests: write, the event pull_request, the event repository',
    )
  })

  it('makes one token for many requests at a time, for one repository, and another once GitHub refuses it', async () => {
    const repository = await standIn.addRepository('ada/site')
    await repository.push({ 'index.html': 'x' })
    const at = {
      installationId: standIn.install('ada', ['ada/site']),
      repositoryId: repository.id,
      fullName: 'ada/site',
    }
    const made = () => standIn.requests.filter(line => line.endsWith('/access_tokens')).length
    await Promise.all([1, 2, 3].map(() => github.head(at, 'main')))
    expect(made()).toBe(1)
    standIn.outage = { status: 401 }
    await expect(github.head(at, 'main')).rejects.toMatchObject({ kind: 'unauthorized' })
    standIn.outage = undefined
    expect(await github.head(at, 'main')).toMatchObject({ author: 'Ada' })
    expect(made()).toBe(2)
    expect(await github.head(at, 'no-such')).toBeUndefined()
  })

  it('rejects all requests that wait for a token that cannot be made, and makes the next one', async () => {
    const repository = await standIn.addRepository('ada/other')
    await repository.push({ 'index.html': 'x' })
    const installationId = standIn.install('ada', ['ada/other'])
    const at = { installationId, repositoryId: repository.id, fullName: 'ada/other' }
    standIn.outage = { status: 502 }
    // A rejection that nobody handles would end svcd, and here the test run.
    for (const failed of await Promise.allSettled([1, 2].map(() => github.head(at, 'main'))))
      expect(failed).toMatchObject({ status: 'rejected', reason: { kind: 'unreachable' } })
    standIn.outage = undefined
    expect(await github.head(at, 'main')).toMatchObject({ author: 'Ada' })
  })

  it('sends no request while GitHub limits it, tries a read twice, and a write once', async () => {
    const token = 'ghu_someone'
    standIn.outage = { status: 502 }
    const asked = () => standIn.requests.length
    let before = asked()
    await expect(github.userBehind(token)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(asked() - before).toBe(2)
    before = asked()
    await expect(github.startDeviceLogin()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(asked() - before).toBe(1)
    standIn.outage = { status: 429, headers: { 'retry-after': '60' } }
    before = asked()
    for (let n = 0; n < 3; n++)
      await expect(github.userBehind(token)).rejects.toMatchObject({
        kind: 'limited',
        retryAt: expect.any(Number),
      })
    expect(asked() - before).toBe(1)
    standIn.outage = undefined
  })

  it('ends its requests when the program stops', async () => {
    standIn.outage = 'silence'
    const before = standIn.requests.length
    const asked = github.userBehind('ghu_someone-else')
    await eventually(async () => standIn.requests.length > before)
    github.endRequests()
    await expect(asked).rejects.toMatchObject({ kind: 'unreachable' })
    standIn.outage = undefined
  })
})
