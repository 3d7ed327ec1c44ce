import { describe, expect, it } from 'vitest'
import { standIn } from '../testing/api.ts'
import { svc, token } from '../testing/svc.ts'

const time = '2026-01-02T03:04:05.678Z'
const ok = { body: { ok: true } }
const two = (one: object, other: object) => [one, other]

const listings = {
  'GET /projects/blog': { body: { domains: two({ domain: 'a.example' }, { domain: 'b.example' }) } },
  'GET /projects/blog/env': { body: { env: two({ key: 'ONE' }, { key: 'TWO' }) } },
  'GET /projects/blog/crons': {
    body: { crons: two({ id: 'cron_1', path: '/a' }, { id: 'cron_2', path: '/b', enabled: false }) },
  },
  'GET /projects/blog/notifications': {
    body: { targets: two({ id: 'ntf_1', address: 'a@example.org' }, { id: 'ntf_2', kind: 'webhook' }) },
  },
  'GET /tokens?limit=100': {
    body: { tokens: two({ id: 'tok_1', label: 'CI', created_at: time }, { id: 'tok_2', current: true }) },
  },
  'GET /projects/blog/builds?status=building': { body: { builds: [{ id: 'bld_1', commit_message: 'One' }] } },
  'GET /projects/blog/builds?status=queued': { body: { builds: [{ id: 'bld_2', branch: 'next' }] } },
  'GET /projects/blog/preview-links': { body: { links: two({ id: 'lnk_1', branch: 'a' }, { id: 'lnk_2' }) } },
  'GET /projects/blog/disk/snapshots': {
    body: { snapshots: two({ id: 'snp_1', bytes: 300 }, { id: 'snp_2', created_at: time }) },
  },
  'GET /projects/blog/disk': { body: { disk: null } },
  'GET /shares?limit=100': { body: { shares: two({ name: 'quick-fox' }, { name: 'slow-dog' }) } },
}

/** A command without its argument, and the request that it makes if the second row is chosen. */
const commands: [string[], string][] = [
  [['env', 'rm'], 'DELETE /projects/blog/env/TWO'],
  [['domains', 'remove'], 'DELETE /projects/blog/domains/b.example'],
  [['cron', 'rm'], 'DELETE /projects/blog/crons/cron_2'],
  [['notifications', 'rm'], 'DELETE /projects/blog/notifications/ntf_2'],
  [['token', 'revoke'], 'DELETE /tokens/tok_2'],
  [['git', 'cancel'], 'POST /projects/blog/builds/bld_2/cancel'],
  [['previews', 'revoke'], 'DELETE /projects/blog/preview-links/lnk_2'],
  [['disk', 'restore', '--yes'], 'POST /projects/blog/disk/snapshots/snp_2/restore'],
  [['share', 'rm'], 'DELETE /shares/slow-dog'],
]

async function run(args: string[], stdin?: string, more: object = {}) {
  const answers = { ...listings, ...Object.fromEntries(commands.map(([, key]) => [key, ok])), ...more }
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  const whole = ['token', 'share'].includes(args[0] ?? '') ? args : [...args, '--project', 'blog']
  const result = await svc(whole, { env, ...(stdin !== undefined && { terminal: true, stdin }) })
  return { result, keys: api.keys() }
}

describe('a command without the id, the key or the domain that it needs', () => {
  it.each(commands)('asks at a terminal which one: %j', async (args, request) => {
    const { result, keys } = await run(args, '2\n')
    expect(result.stderr).toContain('Which one? [1-2] ')
    expect(keys).toContain(request)
  })

  it.each(commands)('changes nothing if nothing is chosen: %j', async (args, request) => {
    const { result, keys } = await run(args, '\n')
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was chosen') })
    expect(keys).not.toContain(request)
  })

  it.each(commands)('shows scripts its usage, and asks the API for nothing: %j', async args => {
    const { result, keys } = await run(args)
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('svc: Usage: svc ') })
    expect(keys).toEqual([])
  })

  it('says that there is nothing to choose, and shows the first of very many', async () => {
    const of = (count: number) => {
      const env = Array.from({ length: count }, (_, i) => ({ key: `KEY_${i}` }))
      return run(['env', 'rm'], '1\n', { 'GET /projects/blog/env': { body: { env } } })
    }
    expect((await of(0)).result.stderr).toBe('svc: Usage: svc env rm <KEY>\nThere is no variable.\n')
    const many = await of(41)
    expect(many.result.stderr).toContain('  KEY_4\n')
    expect(many.result.stderr).toContain("'svc env' lists more.")
    expect(many.keys).toEqual(['GET /projects/blog/env'])
  })
})
