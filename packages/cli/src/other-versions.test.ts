// The tool meets platforms of other versions: answers with service.md's fields alone, with more than it knows, with null
// where this version has a value, and with nothing at all.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { send } from './testing/api.ts'
import { useOneProcess } from './testing/many-commands.ts'
import { temporaryDirectory, token } from './testing/svc.ts'

const at = '2026-01-02T03:04:05.678Z'
const account = {
  id: 'acc_1',
  gitforge_id: 1,
  gitforge_login: 'ada',
  email: null,
  token_kind: 'cli',
  org: null,
  created_at: at,
}
const project = {
  id: 'prj_1',
  name: 'blog',
  org: null,
  url: 'https://blog.example.com',
  active_deployment_id: 'dep_1',
  expires_at: null,
  created_at: at,
}
const detail = {
  ...project,
  deployments: [{ id: 'dep_1', status: 'live', created_at: at, file_count: null, size_bytes: null }],
  domains: [{ domain: 'a.example', branch: null, deployment_id: null }],
  access: { mode: 'public' },
}
const certificate = {
  domain: 'a.example',
  reachable: false,
  valid: false,
  issuer: null,
  subject: null,
  valid_from: null,
  valid_to: null,
  days_remaining: null,
  error: 'connection refused',
}
const secret = { id: 'tok_1', kind: 'cli', label: '', created_at: at, revoked_at: null, token: 'svc_secret' }
const traffic = { requests: 2, bytes: 10, cache_hits: 1 }
const stats = {
  project: 'blog',
  from: at,
  to: at,
  totals: traffic,
  status: { '2xx': 2, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 },
  cache: { HIT: 1 },
  hostnames: [{ hostname: 'blog.example.com', requests: 2, bytes: 10 }],
  timeline: [{ hour: at, ...traffic }],
  top_paths: [{ path: '/', requests: 2, bytes: 10 }],
  top_countries: [{ country: 'NL', requests: 2 }],
  truncated: false,
}
const invite = {
  org: 'acme',
  role: 'member',
  sender: 'ada',
  invite_url: 'https://app.example.com/invites/x',
  email_sent: false,
}

/** Commands, the fewest fields that they may count on, and a word of what they then print. */
const commands: [command: string, answer: object, printed: string][] = [
  ['whoami', account, 'ada (acc_1)'],
  ['email', {}, 'no email address'],
  ['email cancel', {}, 'Cancelled the change'],
  ['account keep', {}, 'Your account stays'],
  ['token cli', secret, 'svc_secret'],
  ['projects retention blog', {}, 'blog keeps all'],
  ['projects node blog', {}, 'blog uses the Node that its files ask for'],
  ['token create', secret, 'svc_secret'],
  ['token list', { tokens: [{ id: 'tok_1', kind: 'cli', label: '' }] }, 'tok_1'],
  ['token revoke tok_1', {}, 'Revoked tok_1.'],
  ['projects', { projects: [project] }, 'blog'],
  ['init other', { ...project, name: 'other' }, 'Created other'],
  ['init other --template html', { ...project, files: [{ path: 'x.html', content: '' }] }, 'Created other'],
  ['import vercel', { ...detail, env: [], crons: [] }, 'Plan'],
  ['open dep_1', { url: 'https://dep-1.example.com' }, 'https://dep-1.example.com'],
  ['open', detail, 'https://blog.example.com'],
  ['deployments', detail, '* dep_1  live'],
  ['deployments --status live', detail, '* dep_1  live'],
  ['rollback dep_1', { ...detail, ok: true, active_deployment_id: 'dep_1' }, 'dep_1 is live.'],
  ['redeploy dep_1', { build_id: 'bld_1', id: 'bld_1', status: 'succeeded' }, ''],
  ['git lock', {}, 'is locked'],
  ['git unlock', {}, 'is unlocked'],
  ['promote dep_1', { ...detail, ok: true, active_deployment_id: 'dep_1' }, 'dep_1 is live.'],
  ['deploy --branch next', { deployment_id: 'dep_1', url: project.url }, 'dep_1 is the preview'],
  ['deploy', { deployment_id: 'dep_1', url: project.url, expires_at: null }, 'dep_1 is live'],
  ['stats', stats, 'Requests'],
  ['metrics', {}, 'No requests'],
  ['metrics', { points: [{ requests: 3 }] }, 'Requests'],
  ['billing', { plan: { id: 'pro' }, usage: { projects: 1 } }, 'pro'],
  ['usage', { limits: [{ name: 'projects', used: 1 }] }, 'Projects'],
  ['billing invoices', { invoices: [{ id: 'ivc_1' }] }, 'ivc_1'],
  ['ai', { base_url: 'https://ai.example.com/v1' }, 'https://ai.example.com/v1'],
  ['audit', { entries: [{}] }, ''],
  ['share', { url: 'https://tmp-a.example.com' }, 'https://tmp-a.example.com'],
  ['share ls', { shares: [{ name: 'tmp-a' }] }, 'tmp-a'],
  ['domains', detail, 'a.example'],
  [
    'domains add a.example',
    { domain: 'a.example', branch: null, build_id: null, tls_ready: false, dns_target: 'edge.example.com' },
    'Create this DNS record',
  ],
  ['domains branch a.example next', { build_id: null }, 'a.example shows the branch next.'],
  ['domains cert a.example', certificate, 'cannot be reached on port 443: connection refused.'],
  ['domains cert a.example', { ...certificate, reachable: true, error: null }, 'not valid'],
  ['password', detail, 'is public'],
  ['password members', {}, 'is open to the members'],
  ['password set secret --previews', {}, 'ask visitors for the password'],
  ['previews', { links: [{ id: 'lnk_1' }] }, 'lnk_1'],
  ['previews share next', { url: 'https://next--blog.example.com/_svc/share?key=x' }, '/_svc/share?key=x'],
  ['previews revoke lnk_1', {}, 'Revoked lnk_1.'],
  ['env', { env: [{ key: 'A', value: 'b', scope: 'runtime' }] }, 'A  b'],
  ['env set A=b', {}, 'Set A.'],
  ['env pull', { env: [{ key: 'A', value: 'b' }] }, 'Wrote 1 variable of production to .env.'],
  // The output of the command itself does not pass through svc.
  ['dev true', { env: [{ key: 'A', value: 'b' }] }, ''],
  ['env rm A', { ok: true }, 'Removed A.'],
  ['disk', {}, 'No disk'],
  ['disk add', { disk: {} }, 'has a disk'],
  ['disk rm --yes', {}, 'Removed the disk'],
  ['disk previews copy', {}, 'begin with the newest snapshot'],
  ['disk snapshots', { snapshots: [{ id: 'snp_1' }] }, 'snp_1'],
  ['disk snapshot', { ok: true }, 'Made a snapshot'],
  ['disk restore snp_1 --yes', { ok: true }, 'Restored snp_1'],
  [
    'cron list',
    { crons: [{ id: 'cron_1', schedule: '* * * * *', path: '/', method: 'GET', enabled: true }] },
    'cron_1',
  ],
  ['cron add "* * * * *" /', { id: 'cron_1' }, 'Added cron_1'],
  ['domains redirect www.example.com example.com', {}, 'redirects to example.com'],
  ['domains primary www.example.com', {}, 'is the primary domain'],
  ['projects rename blog journal', {}, 'Renamed blog to journal.'],
  ['cron update cron_1 --path /', {}, 'Saved cron_1'],
  ['db', {}, 'No database yet'],
  ['db', { database: { name: 'svc_1' } }, 'svc_1'],
  ['db create', { database: { name: 'svc_1' } }, 'Created svc_1'],
  ['db undelete', { database: { name: 'svc_1' } }, 'Brought back svc_1'],
  ['db previews copy', {}, 'begin with a copy'],
  ['db queries', { queries: [{ query: 'select 1' }] }, 'select 1'],
  ['db tables', { tables: [{ name: 'notes' }] }, 'notes'],
  ['db rows notes', { rows: [['a note', null, { start: 'long' }, {}]] }, 'a note'],
  ['db slow', { statements: [{ query: 'select 1' }] }, 'select 1'],
  ['db dump', {}, 'Wrote blog.dump'],
  ['db restore a.dump --yes', {}, 'Restored a.dump'],
  ['db rm --yes', {}, 'Removed the database'],
  ['cron enable cron_1', {}, 'Enabled cron_1.'],
  ['cron runs cron_1', { runs: [{}] }, 'No answer'],
  ['cron run cron_1', {}, 'No answer.'],
  ['notifications', { targets: [{ id: 'ntf_1' }] }, 'ntf_1'],
  ['notifications add https://a.example/', { id: 'ntf_1' }, 'Added ntf_1.'],
  ['notifications edit ntf_1 --events cron.failed', {}, 'Changed ntf_1.'],
  ['notifications rm ntf_1', {}, 'Deleted ntf_1.'],
  ['notifications test ntf_1', {}, 'Sending a test.'],
  ['notifications log ntf_1', { deliveries: [{ id: 'dlv_1' }] }, 'dlv_1'],
  ['notifications resend ntf_1 dlv_1', {}, 'Sending dlv_1 again.'],
  ['forms', { forms: [{ name: 'contact' }] }, 'contact'],
  ['forms submissions contact', { submissions: [{ id: 'sub_1' }] }, 'sub_1'],
  ['forms read contact', {}, 'All submissions to contact are marked as read.'],
  ['forms read contact sub_1', {}, 'sub_1 is marked as read.'],
  ['forms spam contact sub_1', {}, 'sub_1 is marked as spam.'],
  ['forms not-spam contact sub_1', {}, 'sub_1 is no longer marked as spam.'],
  ['forms notify contact on', {}, 'Submissions to contact are sent to the owner by email.'],
  ['forms retention contact 7', {}, 'deleted after 7 days'],
  ['logs --requests', { requests: [{ path: '/about' }] }, '/about'],
  ['logs', { state: 'stopped', logs: 'hi\n' }, 'hi'],
  ['git', { repo: 'ada/site', builds: [{ id: 'bld_1' }] }, 'bld_1'],
  ['git connect ada/site', { repo: 'ada/site' }, 'Connected ada/site'],
  [
    'git link',
    {
      device_code: 'd',
      user_code: 'ABCD-EFGH',
      verification_uri: 'https://a.example',
      interval: 0,
      token: '',
    },
    'is linked',
  ],
  ['git disconnect', {}, 'Disconnected.'],
  ['git branches', { branches: [{ branch: 'next' }] }, 'next'],
  ['git hooks', { hooks: [{ id: 'hook_1' }] }, 'hook_1'],
  ['git hooks add CMS', { url: 'https://api.example.com/hooks/deploy/x' }, '/hooks/deploy/x'],
  ['git hooks rm hook_1', {}, 'Revoked hook_1.'],
  ['git repos', { repos: [{ repo: 'ada/site' }] }, 'ada/site'],
  ['git repos rm ada/site --yes', {}, 'Deleted ada/site.'],
  ['git cancel bld_1', {}, 'Cancelled bld_1.'],
  ['restart', { ok: true }, 'restarts'],
  ['revalidate /', { ok: true }, 'one path is fetched again'],
  ['org list', { orgs: [{ name: 'acme', role: 'owner' }] }, 'acme  owner'],
  ['org create acme', { name: 'acme' }, 'Created acme'],
  ['org members acme', { members: [{ login: 'ada', role: 'owner' }] }, 'ada  owner'],
  ['org role acme bob admin', {}, 'bob has the role admin'],
  ['org invite acme a@b.example', invite, invite.invite_url],
  ['org resend-invite acme inv_1', invite, invite.invite_url],
  ['org invites acme', { invites: [{ id: 'inv_1', email: 'a@b.example', role: 'member' }] }, 'inv_1'],
  ['org token acme deploy', secret, 'svc_secret'],
  ['org tokens acme', { tokens: [{ id: 'tok_1', kind: 'deploy', label: '', created_by: null }] }, 'tok_1'],
  ['org installations acme', { installations: [{ id: 7, shared_by: 'ada' }] }, '7'],
  ['org audit acme', { entries: [{}] }, ''],
]

/** A platform that gives one answer to everything. */
async function platform(answer: unknown): Promise<string> {
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => send(response, { status: request.method === 'POST' ? 201 : 200, body: answer }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const svc = useOneProcess()

async function run(command: string, answer: unknown) {
  const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const cwd = temporaryDirectory({ 'svc.json': '{"project":"blog"}', 'index.html': 'hi', 'a.dump': 'PGDMP' })
  return await svc({ args, cwd, env: { SVC_API_URL: await platform(answer), SVC_TOKEN: token } })
}

/** Fields that no version knows yet, at every level. */
const grown = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(grown)
    : typeof value === 'object' && value !== null
      ? {
          ...Object.fromEntries(Object.entries(value).map(([key, part]) => [key, grown(part)])),
          zzz: { a: [1] },
        }
      : value

/** Null for every field below the first level. */
const hollow = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(hollow)
    : Object.fromEntries(
        Object.entries(value as object).map(([key, part]) => [
          key,
          Array.isArray(part) ? part.map(nulls) : part,
        ]),
      )
const nulls = (row: unknown) => Object.fromEntries(Object.keys(row as object).map(key => [key, null]))

const stack = /\n\s+at /

describe.each(commands)('svc %s', (command, answer, printed) => {
  it('needs no field that service.md does not name, and minds none that is new', async () => {
    for (const body of [answer, grown(answer)]) {
      const { code, stdout, stderr } = await run(command, body)
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(stack) })
      expect(stdout).toContain(printed)
      expect(stdout).not.toMatch(/undefined|null|NaN|Invalid Date/)
    }
  })

  it('bears null, and an answer that holds nothing', async () => {
    for (const body of [hollow(answer), {}]) {
      const { stdout, stderr } = await run(command, body)
      expect(stderr).not.toMatch(stack)
      expect(stdout).not.toMatch(/undefined|NaN|Invalid Date/)
    }
  })
})
