import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const at = '2026-01-02T03:04:05.678Z'
const database = {
  name: 'svc_1',
  status: 'ready',
  size_bytes: 1024 ** 3,
  used_bytes: 8 * 1024 ** 2,
  connections: 15,
  variable: 'set',
  created_at: at,
}
const removed = { name: 'svc_0', removed_at: at, kept_until: '2026-01-09T03:04:05.678Z' }

async function run(args: string[], answers: Parameters<typeof standIn>[0], stdin?: string) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const terminal = stdin === undefined ? {} : { terminal: true, stdin }
  return { api, result: await svc(['db', ...args, '--project', 'blog'], { env, ...terminal }) }
}

describe('svc db', () => {
  it('shows the database, or how to make one', async () => {
    const some = await run([], { 'GET /projects/blog/database': { body: { database, removed: null } } })
    expect(some.result.stdout.split('\n').map(line => line.trimEnd())).toEqual([
      'Database      svc_1',
      'Size          8 MB of 1 GB',
      'Connections   up to 15',
      'New previews  begin empty',
      'Variable      DATABASE_URL',
      '',
    ])
    const none = await run([], {
      'GET /projects/blog/database': {
        body: { database: null, removed, previews: [{ branch: 'topic', used_bytes: 1024 ** 2 }] },
      },
    })
    expect(none.result.stdout).toBe(
      "No database yet. 'svc db create' makes one.\nPreview of topic: 1 MB\nRemoved at 2026-01-02 03:04: svc_0. 'svc db undelete' brings it back until 2026-01-09 03:04 UTC.\n",
    )
  })

  it('prints what the API answers as JSON', async () => {
    const previews = [{ branch: 'topic', name: 'svc_2', used_bytes: 1024 ** 2 }]
    const body = { database, removed, previews }
    const shown = await run(['--json'], { 'GET /projects/blog/database': { body } })
    expect(JSON.parse(shown.result.stdout)).toEqual(body)
    const made = await run(['create', '--json'], {
      'POST /projects/blog/database': { status: 201, body: { database, warnings: ['Mind this.'] } },
    })
    expect(JSON.parse(made.result.stdout)).toEqual({ database, warnings: ['Mind this.'] })
    const queries = [{ seconds: 1.5, state: 'active', query: 'select 1' }]
    const running = await run(['queries', '--json'], {
      'GET /projects/blog/database/queries': { body: { queries } },
    })
    expect(JSON.parse(running.result.stdout)).toEqual({ queries })
    for (const { result } of [shown, made, running]) expect([result.code, result.stderr]).toEqual([0, ''])
  })

  it('creates one, passes warnings on, and says when the app gets it', async () => {
    const { result } = await run(['create'], {
      'POST /projects/blog/database': {
        status: 201,
        body: { database, warnings: ['The project has one of its own.'], restarting: true },
      },
    })
    expect(result.code).toBe(0)
    expect(result.stdout).toBe('Created svc_1.\nThe app restarts with DATABASE_URL.\n')
    expect(result.stderr).toContain('The project has one of its own.')
  })

  it('brings the removed one back', async () => {
    const { api, result } = await run(['undelete'], {
      'POST /projects/blog/database': { status: 201, body: { database, warnings: [] } },
    })
    expect(result.stdout).toBe('Brought back svc_1.\nThe app gets DATABASE_URL at its next start.\n')
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ restore: true })
  })

  it('removes it when the name of the project was typed', async () => {
    const answers = { 'DELETE /projects/blog/database': { body: { ok: true, removed } } }
    const { api, result } = await run(['rm'], answers, 'blog\n')
    expect(result.stdout).toContain(
      "Removed the database of blog.\n'svc db undelete' brings it back until 2026-01-09 03:04 UTC.\n",
    )
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ confirm: 'blog' })
    const wrong = await run(['rm'], answers, 'shop\n')
    expect([wrong.result.code, wrong.api.calls]).toEqual([1, []])
  })

  it('passes on that the platform has none', async () => {
    const { result } = await run(['create'], {
      'POST /projects/blog/database': refusal('unavailable', 'This platform has no databases.'),
    })
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('has no databases')])
  })

  it('says what new previews begin with', async () => {
    const answers = { 'PATCH /projects/blog/database': { body: { database } } }
    const { api, result } = await run(['previews', 'copy'], answers)
    expect(result.stdout).toBe(
      "The databases of new previews begin with a copy of what production's holds.\n",
    )
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ preview_data: 'copy' })
    const wrong = await run(['previews', 'full'], answers)
    expect([wrong.result.code, wrong.api.calls]).toEqual([1, []])
  })

  it('sends the SQL that masks copies, and says when that from before stays', async () => {
    const masked = {
      'PATCH /projects/blog/database': { body: { database: { ...database, preview_mask: 'delete' } } },
    }
    const cwd = temporaryDirectory({ 'mask.sql': "update users set email = 'x';\n", 'empty.sql': ' \n' })
    const previews = async (...args: string[]) => {
      const api = await standIn(masked)
      const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
      const result = await svc(['db', 'previews', 'copy', ...args, '--project', 'blog'], { cwd, env })
      return { ...result, sent: api.calls.map(({ body }) => JSON.parse(body.toString())) }
    }
    expect(await previews('--mask', 'mask.sql')).toMatchObject({
      stdout: "The databases of new previews begin with a masked copy of what production's holds.\n",
      stderr: '',
      sent: [{ preview_data: 'copy', preview_mask: "update users set email = 'x';\n" }],
    })
    const kept = await previews()
    expect([kept.sent, kept.stderr]).toEqual([
      [{ preview_data: 'copy' }],
      expect.stringContaining('from before'),
    ])
    expect((await previews('--unmasked')).sent).toEqual([{ preview_data: 'copy', preview_mask: null }])
    for (const file of ['empty.sql', 'none.sql'])
      expect(await previews('--mask', file)).toMatchObject({ code: 1, sent: [] })
  })

  it('restores a dump when the name of the project was typed, and nothing else', async () => {
    const answers = { 'POST /projects/blog/database/load?confirm=blog': { body: { database, removed } } }
    const cwd = temporaryDirectory({ 'a.dump': 'PGDMP and so on', 'a.sql': 'create table a ();' })
    const restore = async (file: string, stdin?: string) => {
      const api = await standIn(answers)
      const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
      const terminal = stdin === undefined ? {} : { terminal: true, stdin }
      return { api, ...(await svc(['db', 'restore', file, '--project', 'blog'], { cwd, env, ...terminal })) }
    }
    const restored = await restore('a.dump', 'blog\n')
    expect(restored.stdout).toContain(
      "Restored a.dump into the database of blog.\n'svc db undelete' brings back what it held before, until 2026-01-09 03:04 UTC.\n",
    )
    expect(restored.api.calls[0]!.body.toString()).toBe('PGDMP and so on')
    const others = [
      await restore('a.dump', 'shop\n'),
      await restore('a.dump'),
      await restore('a.sql', 'blog\n'),
    ]
    expect(others.map(({ code, api }) => [code, api.calls])).toEqual([1, 1, 1].map(code => [code, []]))
    expect(others[1]!.stderr).toContain('Replacing a database asks for its name')
    expect(others[2]!.stderr).toContain("Make one with 'svc db dump'")
  })

  it('writes a dump to a file that only its owner can read', async () => {
    const api = await standIn({ 'GET /projects/blog/database/dump': { body: { as: 'it comes' } } })
    const cwd = temporaryDirectory({})
    const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
    const { code, stdout } = await svc(['db', 'dump', '--project', 'blog'], { cwd, env })
    expect([code, stdout]).toEqual([0, 'Wrote blog.dump.\n'])
    const file = path.join(cwd, 'blog.dump')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ as: 'it comes' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
