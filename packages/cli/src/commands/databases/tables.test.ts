import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

async function run(args: string[], answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['db', ...args, '--project', 'blog'], { env }) }
}

describe('svc db tables', () => {
  it('lists tables, or says that there are none', async () => {
    const tables = [
      { schema: 'public', name: 'notes', kind: 'table', rows: 12, bytes: 8192 },
      { schema: 'shop', name: '\u001b[2Jrecent', kind: 'view', rows: null, bytes: null },
    ]
    const some = await run(['tables'], {
      'GET /projects/blog/database/tables': { body: { tables, more: false } },
    })
    expect(some.result.stdout).toContain('notes')
    expect(some.result.stdout).toContain('~12')
    expect(some.result.stdout).not.toContain('\u001b')
    const none = await run(['tables'], {
      'GET /projects/blog/database/tables': { body: { tables: [], more: false } },
    })
    expect(none.result.stdout).toBe('The database has no tables yet.\n')
  })
})

describe('svc db rows', () => {
  it('shows rows with short values, and how to see the next', async () => {
    const { api, result } = await run(['rows', 'notes', '--schema', 'shop', '--limit', '1', '--skip', '4'], {
      'POST /projects/blog/database/rows': {
        body: {
          columns: [{ name: 'id' }, { name: 'note' }, { name: 'more' }],
          rows: [['1', null, { start: `a\u001b[31m\n${'b'.repeat(100)}`, bytes: 5000 }]],
          more: true,
        },
      },
    })
    expect(result.stdout).toContain('NULL')
    expect(result.stdout).toMatch(/bbb…\n$/)
    expect(result.stdout).not.toContain('\u001b')
    expect(result.stderr).toContain('--skip 5')
    expect(JSON.parse(String(api.calls[0]?.body))).toEqual({
      table: 'notes',
      schema: 'shop',
      limit: 1,
      offset: 4,
    })
  })

  it.each([
    ['--limit', '101'],
    ['--limit', 'x'],
    ['--skip', '10001'],
  ])('refuses %s %s', async (...more) => {
    const { result } = await run(['rows', 'notes', ...more], {})
    expect([result.code === 0, result.stderr]).toEqual([false, expect.stringContaining('whole number')])
  })
})

describe('svc db slow', () => {
  it('lists statements with their times, or says what the operator can do', async () => {
    const statement = { query: 'select $1', calls: 3, mean_ms: 0.25, total_ms: 1500, rows: 3, share: 0.5 }
    const some = await run(['slow'], {
      'GET /projects/blog/database/slow': { body: { statements: [statement], remedy: null } },
    })
    expect(some.result.stdout).toMatch(/1\.5 s +50 % +0\.3 ms +3 +3 +select \$1\n$/)
    const none = await run(['slow'], {
      'GET /projects/blog/database/slow': { body: { statements: [], remedy: 'Ask the operator.' } },
    })
    expect([none.result.code, none.result.stderr]).toEqual([0, expect.stringContaining('Ask the operator.')])
  })
})
