import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const post = 'POST /projects/blog/revalidate'

async function place(evicted: number) {
  const api = await standIn({ [post]: { body: { ok: true, evicted } } })
  const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}' })
  return { api, settings: { cwd, env: { SVC_API_URL: api.url, SVC_TOKEN: token } } }
}

describe('svc revalidate', () => {
  it('sends the paths and says what became of them', async () => {
    const { api, settings } = await place(3)
    const stdout = 'blog: 2 paths are fetched again from now on; 3 stored answers dropped.\n'
    expect(await svc(['revalidate', '/', '/posts/first'], settings)).toEqual({ code: 0, stdout, stderr: '' })
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ paths: ['/', '/posts/first'] })
    expect(JSON.parse((await svc(['revalidate', '/', '--json'], settings)).stdout)).toEqual({
      ok: true,
      evicted: 3,
    })
  })

  it('asks for a path, and takes at most 100', async () => {
    const { api, settings } = await place(1)
    expect((await svc(['revalidate'], settings)).code).toBe(1)
    const many = await svc(['revalidate', ...Array(101).fill('/')], settings)
    expect(many).toMatchObject({ code: 1, stderr: 'svc: At most 100 paths can be given at once.\n' })
    expect(api.calls).toEqual([])
  })
})
