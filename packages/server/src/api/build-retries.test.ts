import { randomBytes } from 'node:crypto'
import { minuteMs } from '@svc/contract/durations'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../testing/databases.ts'
import { eventually } from '../testing/eventually.ts'
import { gitProjectOfTest } from '../testing/git-project.ts'
import { migratedPostgres } from '../testing/postgres.ts'
import { S3Server } from '../testing/s3-server.ts'
import { send } from '../testing/send.ts'
import { TestServer } from '../testing/server.ts'

/** What the storage keeps of a deployment, and not of a repository. */
const isUpload = ({ method, key }: { method: string; key: string }) =>
  method !== 'GET' && !key.includes('/git/')

describe.each(databases())('on %s, a build that the storage failed', engine => {
  async function setUp() {
    const s3 = await S3Server.start()
    onTestFinished(() => s3.stop())
    const settings = { SVCD_STORAGE_URL: s3.storageUrl, SVCD_LOG_LEVEL: 'silent' }
    const server = await TestServer.start(engine, settings)
    onTestFinished(() => server.remove())
    const project = await gitProjectOfTest(server)
    /** Pushes while the storage takes no deployments. Resolves when the first retry waits. */
    const pushInVain = async () => {
      s3.mishap = call => (isUpload(call) ? 503 : undefined)
      await project.copy.commit({ 'index.html': 'one' })
      const pushed = project.push('main')
      const id: string = await eventually(async () => (await project.builds())[0].id)
      await untilLogHas(id, 'tries again in 5 s (retry 1 of 6)')
      return { id, pushed }
    }
    const untilLogHas = (id: string, words: string) =>
      eventually(
        () => project.log(id),
        log => log.includes(words),
      )
    const build = async (id: string) =>
      (await send(server, `GET ${project.path}/builds/${id}`, project.owner)).json
    return { s3, server, project, pushInVain, untilLogHas, build }
  }

  test('is tried again by the platform, and goes live', async () => {
    const { s3, server, project, pushInVain, build } = await setUp()
    const { id, pushed } = await pushInVain()
    expect(await build(id)).toMatchObject({ status: 'queued', error: null })
    s3.mishap = () => undefined
    server.clock.advance(minuteMs)
    expect(await project.untilEnded(id)).toMatchObject({ status: 'succeeded', error: null })
    expect(await pushed).toMatchObject({ code: 0, stderr: expect.stringContaining('tries again') })
    expect((await server.site(project.name)).text).toBe('one')
  })

  test('fails after its last retry, and its log names them all', async () => {
    const { server, project, pushInVain, untilLogHas } = await setUp()
    const { id, pushed } = await pushInVain()
    for (let retry = 2; retry <= 6; retry++) {
      server.clock.advance(3 * minuteMs)
      await untilLogHas(id, `(retry ${retry} of 6)`)
    }
    server.clock.advance(3 * minuteMs)
    const ended = await project.untilEnded(id)
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('storage does not take') })
    await pushed
  })

  test('gives way to a newer push of its branch', async () => {
    const { s3, server, project, pushInVain, build } = await setUp()
    const { id, pushed } = await pushInVain()
    s3.mishap = () => undefined
    await project.copy.commit({ 'index.html': 'two' })
    expect(await project.push('main')).toMatchObject({ code: 0 })
    expect(await build(id)).toMatchObject({ status: 'cancelled', error: expect.stringContaining('newer') })
    expect((await server.site(project.name)).text).toBe('two')
    await pushed
  })

  test('can be cancelled while it waits', async () => {
    const { server, project, pushInVain, build } = await setUp()
    const { id, pushed } = await pushInVain()
    await send(server, `POST ${project.path}/builds/${id}/cancel`, project.owner)
    expect(await build(id)).toMatchObject({ status: 'cancelled' })
    await pushed
  })
})

test('a build that waits for a retry is taken up by another node when its own has ended', async () => {
  const [s3, database] = [await S3Server.start(), await migratedPostgres()]
  onTestFinished(async () => {
    await s3.stop()
    await database.drop()
  })
  const shared = {
    SVCD_DATABASE_URL: database.url,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_LOG_LEVEL: 'silent',
  }
  const here = await TestServer.start('sqlite', shared)
  const project = await gitProjectOfTest(here)
  s3.mishap = call => (isUpload(call) ? 503 : undefined)
  await project.copy.commit({ 'index.html': 'one' })
  const pushed = project.push('main')
  const [{ id }] = await eventually(project.builds, builds => builds.length > 0)
  await eventually(
    () => project.log(id),
    log => log.includes('tries again'),
  )
  await here.remove()
  await pushed
  s3.mishap = () => undefined
  const there = await TestServer.start('sqlite', shared)
  onTestFinished(() => there.remove())
  there.clock.advance(minuteMs)
  const build = async () => (await send(there, `GET ${project.path}/builds/${id}`, project.owner)).json
  await eventually(build, ({ status }) => status === 'succeeded')
  expect((await there.site(project.name)).text).toBe('one')
})
