import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const show = 'GET /projects/blog/node'
const change = 'PUT /projects/blog/node'
const versions = { standard: '20.20.2', available: ['22.12.0', '20.20.2'] }

async function run(args: string[], node: string | null) {
  const api = await standIn({
    [show]: { body: { node, ...versions } },
    [change]: { body: { node, ...versions } },
  })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const result = await svc(['projects', 'node', 'blog', ...args], { env })
  const bodies = api.calls.map(({ body }) => (body.length > 0 ? JSON.parse(body.toString()) : null))
  return { ...result, keys: api.keys(), bodies }
}

describe('svc projects node', () => {
  it('shows what the project asks for, and which versions there are', async () => {
    expect(await run([], null)).toMatchObject({
      code: 0,
      stdout:
        'blog uses the Node that its files ask for (svc.json, .nvmrc, .node-version, engines), or else Node 20.20.2. There is Node 22.12.0, 20.20.2.\n',
      keys: [show],
    })
  })

  it('sets a version, and with auto lets the files decide again', async () => {
    const set = await run(['22'], '22')
    expect(set).toMatchObject({ code: 0, keys: [change], bodies: [{ node: '22' }] })
    expect(set.stdout).toBe(
      'blog asks for Node 22. There is Node 22.12.0, 20.20.2.\nThe next build or deploy uses it.\n',
    )
    expect((await run(['auto'], null)).bodies).toEqual([{ node: null }])
  })
})
