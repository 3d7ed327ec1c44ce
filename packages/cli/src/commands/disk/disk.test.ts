import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const show = 'GET /projects/shop/disk'
const put = 'PUT /projects/shop/disk'
const remove = 'DELETE /projects/shop/disk?confirm=shop'
const MB = 1024 ** 2
const disk = { size_bytes: 1024 * MB, path: '/data', used_bytes: 5 * MB, is_full: false, is_copying: false }
const linked = () => temporaryDirectory({ 'svc.json': '{"project":"shop"}' })
const envOf = (url: string) => ({ SVC_API_URL: url, SVC_TOKEN: token, NO_COLOR: '1' })

describe('svc disk', () => {
  it.each([
    [{ disk, removed_until: null }, '/data  5 MB of 1 GB\n'],
    [{ disk: null, removed_until: null }, "No disk. 'svc disk add' gives the server app one.\n"],
  ])('shows what there is', async (body, stdout) => {
    const api = await standIn({ [show]: { body } })
    expect(await svc(['disk'], { cwd: linked(), env: envOf(api.url) })).toEqual({
      code: 0,
      stdout,
      stderr: '',
    })
  })

  it('adds one of the size and at the path that are named', async () => {
    const added = { disk: { ...disk, size_bytes: 10 * 1024 * MB }, was_kept: false, warnings: ['Mind this.'] }
    const api = await standIn({ [put]: { body: added } })
    const args = ['disk', 'add', '--size', '10GB', '--path', '/data']
    expect(await svc(args, { cwd: linked(), env: envOf(api.url) })).toEqual({
      code: 0,
      stdout: 'shop has a disk of 10 GB at /data.\n',
      stderr: 'Mind this.\n',
    })
    const refused = await svc(['disk', 'add', '--size', 'big'], { cwd: linked(), env: envOf(api.url) })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      "svc: Unknown size 'big'. Write it as in --size 10GB.\n",
    ])
    expect(api.keys()).toEqual([put])
  })

  it('lets two instances have it, or one again', async () => {
    const api = await standIn({
      [put]: { body: { disk } },
      [show]: { body: { disk: { ...disk, is_shared: true }, removed_until: null } },
    })
    const env = envOf(api.url)
    await svc(['disk', 'add', '--shared'], { cwd: linked(), env })
    await svc(['disk', 'add', '--unshared'], { cwd: linked(), env })
    expect(api.calls.map(call => JSON.parse(call.body.toString()))).toEqual([
      { shared: true },
      { shared: false },
    ])
    expect((await svc(['disk', 'add', '--shared', '--unshared'], { cwd: linked(), env })).code).toBe(1)
    expect((await svc(['disk'], { cwd: linked(), env })).stdout).toBe(
      '/data  5 MB of 1 GB\nTwo instances may have it at a time: no request waits at a deploy.\n',
    )
  })

  it('says what new previews begin with, and lists those that have one', async () => {
    const previews = [
      { branch: 'topic', used_bytes: MB },
      { branch: 'next', used_bytes: null },
    ]
    const api = await standIn({
      'PATCH /projects/shop/disk': { body: { disk } },
      [show]: { body: { disk: { ...disk, preview_data: 'copy' }, removed_until: null, previews } },
    })
    const env = envOf(api.url)
    expect(await svc(['disk', 'previews', 'copy'], { cwd: linked(), env })).toMatchObject({
      stdout: "The disks of new previews begin with the newest snapshot of production's.\n",
    })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ preview_data: 'copy' })
    expect((await svc(['disk', 'previews', 'all'], { cwd: linked(), env })).code).toBe(1)
    expect((await svc(['disk'], { cwd: linked(), env })).stdout).toBe(
      '/data  5 MB of 1 GB\nNew previews begin with its newest snapshot.\nPreview of topic: 1 MB\nPreview of next: not measured yet\n',
    )
  })

  it('is removed once the name of the project is typed', async () => {
    const api = await standIn({ [remove]: { body: { removed_until: '2026-11-25', restarting: true } } })
    const env = envOf(api.url)
    const wrong = await svc(['disk', 'rm'], { cwd: linked(), env, terminal: true, stdin: 'yes\n' })
    expect([wrong.code, api.keys()]).toEqual([1, []])
    const { code, stdout } = await svc(['disk', 'rm'], {
      cwd: linked(),
      env,
      terminal: true,
      stdin: 'shop\n',
    })
    expect([code, stdout]).toEqual([
      0,
      "Removed the disk of shop. Until 2026-11-25, 'svc disk add' brings its files back.\n",
    ])
  })

  it('says why a snapshot could not be made or restored', async () => {
    const api = await standIn({
      'POST /projects/shop/disk/snapshots': { body: { ok: true } },
      [show]: { body: { disk: { ...disk, problem: 'The machine is full.' } } },
      'POST /projects/shop/disk/snapshots/snp_1/restore': refusal(
        'not_found',
        'The disk has no such snapshot.',
      ),
    })
    const env = envOf(api.url)
    expect(await svc(['disk', 'snapshot'], { cwd: linked(), env })).toMatchObject({
      code: 1,
      stderr: 'svc: The machine is full.\n',
    })
    expect(await svc(['disk', 'restore', 'snp_1', '--yes'], { cwd: linked(), env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The disk has no such snapshot.'),
    })
    expect((await svc(['disk', 'restore', 'snp_1'], { cwd: linked(), env })).code).toBe(1)
  })

  it('writes a snapshot to a file', async () => {
    const api = await standIn({
      'GET /projects/shop/disk/snapshots/snp_1/download': { body: { as: 'it comes' } },
    })
    const cwd = linked()
    const { code, stdout } = await svc(['disk', 'download', 'snp_1'], { cwd, env: envOf(api.url) })
    expect([code, stdout]).toEqual([0, 'Wrote snp_1.tar.\n'])
    expect(JSON.parse(readFileSync(path.join(cwd, 'snp_1.tar'), 'utf8'))).toEqual({ as: 'it comes' })
  })
})
