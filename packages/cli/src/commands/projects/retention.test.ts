import { describe, expect, it } from 'vitest'
import { project, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const show = 'GET /projects/blog'
const change = 'PATCH /projects/blog'
const retention = { production_count: 10, preview_days: 30 }
const options = ['--keep-production', '10', '--keep-previews', '30']
const saved = 'blog keeps the live deployment and 10 before it, and previews for 30 days.\n'

async function run(args: string[], deployments = 0, input: { terminal?: boolean; stdin?: string } = {}) {
  const api = await standIn({
    [show]: { body: { ...project('blog'), retention } },
    [change]: { body: { retention, deletes: { deployments, bytes: 2048 } } },
  })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const result = await svc(['projects', 'retention', 'blog', ...args], { env, ...input })
  const bodies = api.calls.slice(0).map(({ body }) => (body.length > 0 ? JSON.parse(body.toString()) : null))
  return { ...result, keys: api.keys(), bodies }
}

describe('svc projects retention', () => {
  it('shows what is kept', async () => {
    expect(await run([])).toMatchObject({ code: 0, stdout: saved, keys: [show] })
  })

  it('saves at once what deletes nothing', async () => {
    expect(await run(options)).toMatchObject({
      code: 0,
      stdout: saved,
      bodies: [{ retention, dry_run: true }, { retention }],
    })
  })

  it('says what it deletes, and asks', async () => {
    const asked = await run(options, 3, { terminal: true, stdin: 'y\n' })
    expect(asked).toMatchObject({ code: 0, keys: [change, change] })
    expect(asked.stderr).toContain('This deletes 3 deployments (2 KB) for good')
    const declined = await run(options, 3, { terminal: true, stdin: '\n' })
    expect(declined).toMatchObject({ code: 1, keys: [change] })
    expect(declined.stderr).toContain('svc: Nothing was changed.')
  })

  it('saves nothing where it cannot ask, unless --yes is given', async () => {
    expect(await run(options, 1)).toMatchObject({
      code: 1,
      stderr: 'svc: This would delete 1 deployment (2 KB), and there is no terminal to ask at. Pass --yes.\n',
      keys: [change],
    })
    expect(await run([...options, '--yes'], 1)).toMatchObject({ code: 0, bodies: [{ retention }] })
  })

  it('takes all for no limit', async () => {
    const { bodies } = await run(['--keep-previews', 'all', '--yes'])
    expect(bodies).toEqual([{ retention: { preview_days: null } }])
  })

  it.each(['0', '-1', 'many', '1001', '1e3'])(
    'refuses to keep %s deployments, and sends nothing',
    async n => {
      const { code, stderr, keys } = await run([`--keep-production=${n}`])
      expect([code, keys]).toEqual([1, []])
      expect(stderr).toMatch(/^svc: --keep-production must be a number from 1 to 1000, or all/)
    },
  )
})
