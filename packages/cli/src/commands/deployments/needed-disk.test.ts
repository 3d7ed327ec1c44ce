import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const upload = 'POST /projects/blog/deployments'
const deployed = { status: 201, body: { deployment_id: 'dep_a', url: 'http://blog.localhost', warnings: [] } }
const [show, add] = ['GET /projects/blog/disk', 'PUT /projects/blog/disk']
const none = { body: { disk: null, removed_until: null } }
const disk = { size_bytes: 5 * 1024 ** 3, path: '/data' }

async function deploy(api: Awaited<ReturnType<typeof standIn>>, asked: unknown, ...args: string[]) {
  const settings = { project: 'blog', disk: asked }
  const cwd = temporaryDirectory({ 'svc.json': JSON.stringify(settings), 'index.html': 'hi' })
  return await svc(['deploy', ...args], { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } })
}

describe('a disk in svc.json', () => {
  it('is added before the first deploy', async () => {
    const api = await standIn({ [show]: none, [add]: { body: { disk } }, [upload]: deployed })
    const { code, stderr } = await deploy(api, { size: '5GB', path: '/data' })
    expect([code, stderr]).toEqual([0, 'Added a disk of 5 GB at /data, as svc.json asks.\n'])
    expect(api.keys()).toEqual([show, add, upload])
    expect(JSON.parse(api.calls[1]!.body.toString())).toEqual(disk)
  })

  it('is not touched if it is there, and a warning says what differs', async () => {
    const api = await standIn({ [show]: { body: { disk } }, [upload]: deployed })
    expect(await deploy(api, { size: '5GB' })).toMatchObject({ code: 0, stderr: '' })
    const { code, stderr } = await deploy(api, { size: '10GB', path: '/data' })
    expect(code).toBe(0)
    expect(stderr).toContain('which is 5 GB at /data. To change it: svc disk add --size 10GB --path /data')
  })

  it('is added as one that two instances may have', async () => {
    const api = await standIn({ [show]: none, [add]: { body: { disk } }, [upload]: deployed })
    await deploy(api, { shared: true })
    expect(JSON.parse(api.calls[1]!.body.toString())).toEqual({ shared: true })
    const other = await standIn({ [show]: { body: { disk } }, [upload]: deployed })
    expect((await deploy(other, { shared: true })).stderr).toContain('To change it: svc disk add --shared')
    expect((await deploy(other, { shared: false })).stderr).toBe('')
  })

  it('that was removed is not brought back by a deploy', async () => {
    const removed = { body: { disk: null, removed_until: '2026-12-01T00:00:00Z' } }
    const api = await standIn({ [show]: removed, [upload]: deployed })
    expect((await deploy(api, {})).stderr).toContain('To bring it back with its files: svc disk add')
  })

  it('is left to an admin by those who may not add one, and the deploy goes on', async () => {
    const api = await standIn({ [show]: none, [add]: refusal('forbidden', 'No.', 403), [upload]: deployed })
    const { code, stderr } = await deploy(api, { size: '1536MB' })
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('An admin adds it: svc disk add --size 1536MB'),
    ])
    const closed = await standIn({ [show]: refusal('unauthorized', 'No.', 401), [upload]: deployed })
    expect(await deploy(closed, {})).toMatchObject({ code: 0, stderr: '' })
  })

  it('is for production only', async () => {
    const api = await standIn({ [`${upload}?branch=topic`]: deployed })
    expect(await deploy(api, {}, '--branch', 'topic')).toMatchObject({ code: 0 })
    expect(api.keys()).toEqual([`${upload}?branch=topic`])
  })

  it.each([
    [true],
    ['5GB'],
    [{ size: 5 }],
    [{ size: 'much' }],
    [{ path: 'data' }],
    [{ path: '/a;b' }],
    [{ sized: '1GB' }],
    [{ shared: 'yes' }],
  ])('that is written as %j is refused', async asked => {
    const { code, stderr } = await deploy(await standIn({}), asked)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('"disk" in svc.json must be as in { "size": "5GB"'),
    ])
  })
})
