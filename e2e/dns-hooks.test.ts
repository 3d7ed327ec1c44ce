// The hooks of deploy/dns, as svcd runs them: each adds and removes values at one name without touching the others.
import { execFile, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { expect, onTestFinished, test } from 'vitest'
import { startProvider } from './dns-providers.ts'

const folder = fileURLToPath(new URL('../../deploy/dns', import.meta.url))
const name = '_acme-challenge.apps.example.com'
/** Of the domain and of its wildcard: both prove themselves at the same name. */
const [apex, wildcard] = [
  'Zx1-apex_0123456789abcdefghijklmnopqrstuvwx',
  '-y2_wildcard0123456789abcdefghijklmnopqrst',
]

/** The settings stand in a file, as for svcd, which passes no variables on. */
async function hookOf(provider: string, settings: Record<string, string>) {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-dns-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const file = path.join(dir, 'dns.env')
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`)
  await writeFile(file, `# the settings of the hook\n${lines.join('')}`, { mode: 0o600 })
  const run = (...args: string[]) =>
    new Promise<{ code: number; stderr: string }>(resolve => {
      const env = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin`, DNS_SETTINGS: file }
      execFile(path.join(folder, `${provider}.mjs`), args, { env }, (error, _, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stderr }),
      )
    })
  return { dir, file, run }
}

const good = { code: 0, stderr: '' }

const token = { right: 'right-token', wrong: 'wrong-token' }
const http = {
  cloudflare: (secret: string) => ({ CLOUDFLARE_API_TOKEN: secret }),
  digitalocean: (secret: string) => ({ DIGITALOCEAN_TOKEN: secret }),
  hetzner: (secret: string) => ({ HETZNER_TOKEN: secret }),
  desec: (secret: string) => ({ DESEC_TOKEN: secret }),
  route53: (secret: string) => ({
    AWS_ACCESS_KEY_ID: 'AKIDRIGHT',
    AWS_SECRET_ACCESS_KEY: secret === token.right ? 'right/secret' : secret,
  }),
}
const names = Object.keys(http) as (keyof typeof http)[]

test.each(names)(
  '%s: both values stand at one name, are added once, and are removed alone',
  async provider => {
    const { url, records, refused, stop } = await startProvider(provider)
    onTestFinished(() => void stop())
    const { run } = await hookOf(provider, { ...http[provider](token.right), DNS_API: url })
    const at = () => (records.get('_acme-challenge.apps') ?? []).map(value => value.replaceAll('"', ''))
    for (const value of [apex, wildcard, apex]) expect(await run('present', name, value)).toEqual(good)
    expect([at(), refused]).toEqual([[apex, wildcard], []])
    expect(await run('cleanup', name, apex)).toEqual(good)
    expect(at()).toEqual([wildcard])
    for (const value of [wildcard, wildcard]) expect(await run('cleanup', name, value)).toEqual(good)
    expect([...records.keys(), ...refused]).toEqual(['www'])

    const elsewhere = await run('present', '_acme-challenge.example.net', apex)
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('reach no zone of')])
  },
)

test.each(names)('%s: a failure names the request and the answer, and never the secret', async provider => {
  const { url, stop } = await startProvider(provider)
  onTestFinished(() => void stop())
  const wrong = await hookOf(provider, { ...http[provider](token.wrong), DNS_API: url })
  const { code, stderr } = await wrong.run('present', name, apex)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^GET http\S+ is answered with 40[13]: /)])
  expect(stderr).not.toContain(token.wrong)
  const none = await hookOf(provider, {})
  expect((await none.run('present', name, apex)).stderr).toMatch(/^set [A-Z0-9_]+.* in /)
  await chmod(none.file, 0o644)
  expect((await none.run('present', name, apex)).stderr).toContain('is open to other users; run: chown svcd')
  for (const args of [
    ['present', name],
    ['remove', name, apex],
    ['present', `${name}\nsend`, apex],
    ['present', name, `"${apex}"`],
    ['present', `${name}/../x`, apex],
  ])
    expect(await none.run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('usage: <hook>'),
    })
})

test('every hook is in these tests', async () => {
  const files = (await readdir(folder)).filter(file => file !== 'hook.mjs').toSorted()
  expect(files).toEqual([...names, 'nsupdate'].map(each => `${each}.mjs`).toSorted())
})

const programs = ['/usr/sbin/named', '/usr/bin/nsupdate', '/usr/sbin/tsig-keygen']
const hasBind = programs.every(program => existsSync(program))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

test.runIf(hasBind)(
  'nsupdate: a BIND server takes both values at one name, and loses them one by one (needs bind9 and bind9-dnsutils)',
  async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-bind-'))
    const port = await freePort()
    const key = await new Promise<string>((resolve, reject) =>
      execFile(programs[2]!, ['svc'], (error, stdout) => (error ? reject(error) : resolve(stdout))),
    )
    const keyFile = path.join(dir, 'svc.key')
    await writeFile(keyFile, key, { mode: 0o600 })
    await writeFile(
      path.join(dir, 'zone'),
      `$ORIGIN example.com.\n$TTL 60\n@ SOA ns. root. 1 60 60 60 60\n@ NS ns\nns A 127.0.0.1\n`,
    )
    await writeFile(
      path.join(dir, 'named.conf'),
      `${key}
      options { directory "${dir}"; pid-file none; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; session-keyfile none; };
      controls { };
      zone "example.com" { type primary; file "${dir}/zone"; update-policy { grant svc name ${name}. TXT; }; };\n`,
    )
    const named = spawn(programs[0]!, ['-g', '-c', path.join(dir, 'named.conf')], { stdio: 'ignore' })
    const ended = once(named, 'exit')
    onTestFinished(async () => {
      named.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true })
    })
    const dns = new Resolver({ timeout: 1_000, tries: 1 })
    dns.setServers([`127.0.0.1:${port}`])
    const at = () =>
      dns.resolveTxt(name).then(
        found => found.flat().toSorted(),
        () => [],
      )
    await eventually(async () => (await dns.resolve4('ns.example.com').catch(() => [])).length > 0)

    const server = { DNS_SERVER: '127.0.0.1', DNS_PORT: String(port) }
    const { run } = await hookOf('nsupdate', { ...server, DNS_KEY_FILE: keyFile })
    for (const value of [apex, wildcard, apex]) expect(await run('present', name, value)).toEqual(good)
    expect(await at()).toEqual([apex, wildcard].toSorted())
    expect(await run('cleanup', name, apex)).toEqual(good)
    expect(await at()).toEqual([wildcard])
    expect(await run('cleanup', name, wildcard)).toEqual(good)
    expect(await at()).toEqual([])

    const refused = await run('present', '_acme-challenge.example.com', apex)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('REFUSED')])
    const odd = await hookOf('nsupdate', { DNS_SERVER: 'a b', DNS_KEY_FILE: keyFile })
    expect((await odd.run('present', name, apex)).stderr).toContain('DNS_SERVER is a name or an address')
  },
)
