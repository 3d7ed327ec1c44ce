import { describe, expect, it } from 'vitest'
import { standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const GB = 1024 ** 3
const limits = [
  { name: 'projects', allowed: 5, is_own: true, default: null, used: 3 },
  { name: 'stored_bytes', allowed: 10 * GB, is_own: false, default: 10 * GB, used: 1.5 * GB },
  { name: 'build_minutes', allowed: null, is_own: false, default: null, used: 12 },
  { name: 'ready_apps', allowed: 1, is_own: false, default: 1, used: 3 },
]

async function run(args: string[], path: string) {
  const api = await standIn({
    [`GET ${path}`]: { body: { owner: 'ada', kind: 'account', limits, orgs: [] } },
  })
  return await svc(['usage', ...args], { env: { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' } })
}

describe('svc usage', () => {
  it('shows what is used, of how much, and which limits the operator set for this account', async () => {
    const { code, stdout, stderr } = await run([], '/me/limits')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').map(line => line.trimEnd())).toEqual([
      'Projects                  3       of 5      set by the operator',
      'Stored deployments        1.5 GB  of 10 GB',
      'Build minutes this month  12      no limit',
      'Server apps kept ready    1       of 1',
      '',
    ])
  })

  it('shows those of an org, and all as JSON', async () => {
    const { code, stdout } = await run(['--org', 'acme', '--json'], '/orgs/acme/limits')
    expect([code, JSON.parse(stdout).limits]).toEqual([0, limits])
  })
})
