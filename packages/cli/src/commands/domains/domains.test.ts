import { describe, expect, it } from 'vitest'
import { project, refusal, standIn } from '../../testing/api.ts'
import { svc, token } from '../../testing/svc.ts'

const attached = {
  domain: 'www.example.com',
  branch: null,
  build_id: null,
  tls_ready: false,
  dns_target: 'edge.example.net',
}
const row = { ...attached, deployment_id: null, created_at: '2026-01-02T03:04:05.678Z' }

async function run(args: string[], answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['domains', ...args, '--project', 'blog'], { env }) }
}

describe('svc domains', () => {
  it('lists domains with certificate and branch', async () => {
    const domains = [row, { ...row, domain: 'next.example.com', branch: 'next', tls_ready: true }]
    const { result } = await run([], { 'GET /projects/blog': { body: project('blog', { domains }) } })
    expect(result).toEqual({
      code: 0,
      stdout: 'www.example.com   no certificate     production\nnext.example.com  certificate ready  next\n',
      stderr: '',
    })
  })

  const proof = { type: 'TXT', name: '_svc-challenge.www.example.com', value: 'svc-verify=abc' }

  it('shows the record that a domain waits for, where the platform asks for proof', async () => {
    const waiting = { verified: false, proof }
    const listed = await run([], {
      'GET /projects/blog': { body: project('blog', { domains: [{ ...row, ...waiting }] }) },
    })
    expect(listed.result.stdout).toContain('www.example.com  waiting for proof  production\n')
    expect(listed.result.stdout).toContain('  _svc-challenge.www.example.com TXT svc-verify=abc\n')
    const added = await run(['add', 'www.example.com'], {
      'POST /projects/blog/domains': { status: 201, body: { ...attached, ...waiting } },
    })
    expect(added.result.stdout).toContain('  _svc-challenge.www.example.com TXT svc-verify=abc\n')
  })

  it('shows how to prove that a domain is yours which another owner holds', async () => {
    const message =
      "'www.example.com' is attached to a project of another owner. Create: _svc-challenge.www.example.com TXT x"
    const { result } = await run(['add', 'www.example.com'], {
      'POST /projects/blog/domains': refusal('domain_taken', message, 409),
    })
    expect([result.code, result.stderr]).toEqual([1, `svc: ${message} (domain_taken)\n`])
  })

  it('says how to attach the first one', async () => {
    const { result } = await run([], { 'GET /projects/blog': { body: project('blog', { domains: [] }) } })
    expect(result.stdout).toBe("No domains yet. 'svc domains add <domain>' attaches one.\n")
  })

  it('attaches one and shows the DNS record to create', async () => {
    const { api, result } = await run(['add', 'www.example.com', '--branch', 'production'], {
      'POST /projects/blog/domains': { status: 201, body: attached },
    })
    expect(result.stdout).toBe(
      'Attached www.example.com, which shows production.\nCreate this DNS record: www.example.com CNAME edge.example.net\n',
    )
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ domain: 'www.example.com' })
  })

  it.each([
    ['next', 'next', 'the branch next'],
    ['production', null, 'production'],
  ])('points one at %s', async (typed, branch, words) => {
    const { api, result } = await run(['branch', 'www.example.com', typed], {
      'PUT /projects/blog/domains/www.example.com': { body: { ...attached, branch } },
    })
    expect(result.stdout).toBe(`www.example.com shows ${words}.\n`)
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ branch })
  })

  it('redirects one to another, ends that, and makes one the primary domain', async () => {
    const path = 'PUT /projects/blog/domains/www.example.com'
    const sent = async (...args: string[]) => {
      const { api, result } = await run(args, { [path]: { body: attached } })
      return [result.stdout, JSON.parse(api.calls[0]!.body.toString())]
    }
    expect(await sent('redirect', 'www.example.com', 'example.com')).toEqual([
      'www.example.com redirects to example.com.\n',
      { redirect_to: 'example.com' },
    ])
    expect(await sent('redirect', 'www.example.com', 'off')).toEqual([
      'www.example.com shows the site.\n',
      { redirect_to: null },
    ])
    expect(await sent('primary', 'www.example.com')).toEqual([
      'www.example.com is the primary domain.\n',
      { primary: true },
    ])
    const domains = [
      { ...row, domain: 'example.com', primary: true, redirect_to: null },
      { ...row, redirect_to: 'example.com', primary: false },
    ]
    const { result } = await run([], { 'GET /projects/blog': { body: project('blog', { domains }) } })
    expect(result.stdout).toBe(
      'example.com      no certificate  production, primary\nwww.example.com  no certificate  redirects to example.com\n',
    )
  })

  const certificate = {
    domain: 'www.example.com',
    reachable: true,
    valid: true,
    issuer: 'Some Authority',
    subject: 'www.example.com',
    valid_from: '2026-01-01T00:00:00.000Z',
    valid_to: '2026-04-01T00:00:00.000Z',
    days_remaining: 89,
    error: null,
    dns: {
      points_here: true,
      create: [{ type: 'CNAME', name: 'www.example.com', value: 'edge.example.net' }],
      found: { cname: ['edge.example.net'], a: ['192.0.2.1'], aaaa: [] },
    },
    issuance: {
      state: 'valid',
      waiting_for: null,
      last_error: null,
      next_attempt_at: '2026-03-01T00:00:00.000Z',
      expires_at: '2026-04-01T00:00:00.000Z',
    },
  }
  const path = 'GET /projects/blog/domains/www.example.com/certificate'

  it('shows the certificate', async () => {
    const { result } = await run(['cert', 'www.example.com'], { [path]: { body: certificate } })
    expect(result).toEqual({
      code: 0,
      stdout:
        'status   valid\nissuer   Some Authority\nsubject  www.example.com\nexpires  2026-04-01 00:00 (89 days remaining)\n',
      stderr: '',
    })
  })

  it('says what is wrong with one, and what comes next', async () => {
    const issuance = {
      ...certificate.issuance,
      state: 'failed',
      last_error: 'the authority\x1b[31m was away',
    }
    const expired = { ...certificate, valid: false, error: 'the certificate has expired', days_remaining: -3 }
    const body = { ...expired, issuance }
    const { result } = await run(['cert', 'www.example.com'], { [path]: { body } })
    expect(result.stdout.split('\n')).toEqual([
      'status   not valid: the certificate has expired',
      'issuer   Some Authority',
      'subject  www.example.com',
      'expires  2026-04-01 00:00 (expired 3 days ago)',
      'found      CNAME edge.example.net, 192.0.2.1',
      'error      the authority was away',
      'next look  2026-03-01 00:00',
      '',
    ])
  })

  it('answers, too, where the domain cannot be reached', async () => {
    const dns = { ...certificate.dns, points_here: false, found: { cname: [], a: [], aaaa: [] } }
    const issuance = {
      ...certificate.issuance,
      waiting_for: 'www.example.com has no DNS record yet.',
      next_attempt_at: null,
    }
    const unreachable = { ...certificate, reachable: false, valid: false, error: 'it is not in the DNS' }
    const body = { ...unreachable, dns, issuance }
    const { result } = await run(['cert', 'www.example.com'], { [path]: { body } })
    expect(result.code).toBe(0)
    expect(result.stdout.split('\n')).toEqual([
      'www.example.com cannot be reached on port 443: it is not in the DNS.',
      "Once its DNS points here, run 'svc domains add www.example.com' again.",
      'create   www.example.com CNAME edge.example.net',
      'found    nothing in the DNS',
      'waiting  www.example.com has no DNS record yet.',
      '',
    ])
  })

  it('shows every record that will do for a registered domain', async () => {
    const create = [
      { type: 'ALIAS', name: 'shop.co.uk', value: 'edge.example.net' },
      { type: 'A', name: 'shop.co.uk', value: '192.0.2.1' },
      { type: 'AAAA', name: 'shop.co.uk', value: '2001:db8::1' },
    ]
    const body = { ...certificate, valid: false, dns: { ...certificate.dns, points_here: false, create } }
    const { result } = await run(['cert', 'shop.co.uk'], {
      'GET /projects/blog/domains/shop.co.uk/certificate': { body },
    })
    expect(result.stdout).toContain(
      [
        'create     shop.co.uk ALIAS edge.example.net',
        'or all of  shop.co.uk A 192.0.2.1',
        '           shop.co.uk AAAA 2001:db8::1',
      ].join('\n'),
    )
  })

  it('knows that a registered domain cannot be a CNAME, and when a certificate is there', async () => {
    const path = 'POST /projects/blog/domains'
    const bare = await run(['add', 'example.com'], {
      [path]: { body: { ...attached, domain: 'example.com' } },
    })
    expect(bare.result.stdout).toContain('example.com ALIAS edge.example.net')
    const again = await run(['add', 'www.example.com'], {
      [path]: { body: { ...attached, tls_ready: true } },
    })
    expect(again.result.stdout).toBe(
      'Attached www.example.com, which shows production.\nIts certificate is ready.\n',
    )
  })

  it('detaches one, and passes on what the platform says', async () => {
    const path = 'DELETE /projects/blog/domains/www.example.com'
    const gone = await run(['remove', 'www.example.com'], { [path]: { body: { ok: true } } })
    expect(gone.result).toEqual({ code: 0, stdout: 'Detached www.example.com.\n', stderr: '' })
    const unknown = await run(['remove', 'www.example.com'], {
      [path]: refusal('not_found', 'Not here.', 404),
    })
    expect(unknown.result).toEqual({ code: 1, stdout: '', stderr: 'svc: Not here. (not_found)\n' })
  })
})
