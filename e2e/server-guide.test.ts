// docs/server.md followed to the letter, on a machine without Node.js whose internet is a network of the test: every command
// is taken out of the page. It ends with an https site whose certificate came from an authority (Pebble).
import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Authority } from '@svc/server/dist/testing/authority.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BareMachine, hasBareMachines } from './bare-machine.ts'
import { Releases } from './releases.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(path.join(repository, 'docs/server.md'), 'utf8')

/** The commands of the page: lines of its shell blocks, and what its table of commands says to run. */
const commands = [
  ...[...page.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) => block.trim().split('\n')),
  ...[...page.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`((?:svcd|systemctl|journalctl) [^`]+)`/g)].map(([, it]) => it!),
  ),
].map(line => line.replace(/\s+#.*/, ''))

const removal = [
  ...readFileSync(path.join(repository, 'docs/uninstall.md'), 'utf8').matchAll(/```sh\n([^`]*)```/g),
].flatMap(([, block = '']) => block.trim().split('\n'))

/** What is left in the folders that svcd writes to, its user and its processes. */
const leftovers = `
  find /etc /opt /usr/local /var/lib -iname '*svcd*' -o -path '/usr/local/bin/svc'
  getent passwd svcd || true
  pgrep -f '/opt/[s]vcd/' || true`

const followed = new Set<string>()

/** The one command of the page that begins with these words. */
function command(words: string): string {
  const found = [...new Set(commands.filter(line => line.startsWith(words)))]
  expect(found, `one command of the page that begins with '${words}'`).toHaveLength(1)
  followed.add(found[0]!)
  return found[0]!
}

const [internet, server] = ['93.184.215.1', '93.184.215.14']

describe.runIf(hasBareMachines)('docs/server.md', () => {
  const machine = new BareMachine()
  const releases = new Releases()
  let authority: Authority
  const world = machine.at('world')
  const upload = machine.at('upload')

  /** As root on the server. A command that fails shows what the service said. */
  async function onServer(script: string): Promise<string> {
    const { code, stdout, stderr } = await machine.run(script, { network: 'server', cwd: upload })
    const log = code === 0 ? '' : (await machine.run('tail -n 20 /run/svcd-test/log')).stdout
    expect([script, code, code === 0 ? '' : stdout + stderr + log]).toEqual([script, 0, ''])
    return stdout + stderr
  }

  /** Anybody on the internet, who trusts the certificates of Pebble. */
  async function visit(url: string, ...options: string[]): Promise<string> {
    const script = `curl -sS --cacert ${world}/root.pem ${options.join(' ')} ${url}`
    const { stdout, stderr } = await machine.run(script)
    return stdout + stderr
  }

  beforeAll(async () => {
    await releases.make()
    authority = await Authority.make()
    const { certFile, keyFile } = await authority.certificate('acme-v02.api.letsencrypt.org', 'nodejs.org')
    mkdirSync(world)
    copyFileSync(certFile, path.join(world, 'certificate.pem'))
    copyFileSync(keyFile, path.join(world, 'certificate.key'))
    const node = path.join(world, 'node')
    mkdirSync(path.join(node, 'node-linux/bin'), { recursive: true })
    copyFileSync(process.execPath, path.join(node, 'node-linux/bin/node'))
    execFileSync('tar', ['-I', 'xz -0 -T2', '-cf', path.join(world, 'node.tar.xz'), '-C', node, 'node-linux'])
    // The machine trusts the authority as it trusts those of the system.
    appendFileSync(machine.at('etc/ssl/certs/ca-certificates.crt'), authority.ca)
    writeFileSync(machine.at('authority.pem'), authority.ca)
    machine.environment.NODE_EXTRA_CA_CERTS = machine.at('authority.pem')
    writeFileSync(machine.at('etc/resolv.conf'), `nameserver ${internet}\n`)
    machine.addProgram('sudo', '#!/bin/sh\nexec "$@"\n')
    machine.addProgram('journalctl', '#!/bin/sh\ncat /run/svcd-test/log\n')
    await machine.start()
    const connected = await machine.run(`
      set -e
      ip netns add server
      ip link add wan type veth peer name eth0 netns server
      ip addr add ${internet}/24 dev wan
      ip link set wan up
      ip -n server addr add ${server}/24 dev eth0
      ip -n server link set lo up
      ip -n server link set eth0 up
      ip -n server route add default via ${internet}
      setsid ${process.execPath} ${path.join(repository, 'e2e/dist/internet.js')} ${world} ${internet} ${server} > ${world}/log 2>&1 < /dev/null &
      while [ ! -f ${world}/ready ]; do kill -0 $! || { cat ${world}/log >&2; exit 1; }; sleep 0.1; done
      # From here on the machine has no Node.js.
      mount --bind /dev/null ${process.execPath}
      ! command -v node
    `)
    expect(connected).toMatchObject({ code: 0 })
  })
  afterAll(async () => {
    await machine.remove()
    await authority?.remove()
    releases.remove()
  })

  test('leads from a bare server to an https site, and every command of it works', async () => {
    // 2. The package. `npm run release` runs the script that made the release above.
    expect(command('npm run release')).toBe('npm run release')
    cpSync(path.dirname(releases.present), upload, { recursive: true })
    for (const file of ['SHA256SUMS', `svcd-${releases.version}.tgz`])
      expect(page).toContain(`\`${file.replace(releases.version, '<version>')}\``)
    expect(page).toContain('Copy these files and `deploy/install.sh` to the server.')
    copyFileSync(path.join(repository, 'deploy/install.sh'), path.join(upload, 'install.sh'))

    // 3. Install.
    const said = await onServer(command('sudo sh install.sh'))
    expect(said).not.toContain('DNS:')
    expect(said).toContain('Waiting for the certificate of app.example.com …\n')
    expect(said).not.toContain('has no certificate')
    const [, token] = /https:\/\/app\.example\.com\/setup#token=([\w-]{43})\n/.exec(said) ?? []
    expect(token).toBeDefined()
    expect(await visit('https://app.example.com/setup')).toContain('<script')

    // The link for the first account.
    const account = { login: 'ada', password: 'a long enough password', setup_token: token }
    const signedUp = await visit('https://api.example.com/auth/signup', `--json '${JSON.stringify(account)}'`)
    const { token: key } = JSON.parse(signedUp) as { token: string }

    // A site, deployed over https.
    const site = machine.at('site')
    mkdirSync(site)
    writeFileSync(path.join(site, 'index.html'), 'from a bare server')
    const svc = `NODE_EXTRA_CA_CERTS=${world}/root.pem SVC_API_URL=https://api.example.com SVC_TOKEN=${key} svc`
    const deployed = await machine.run(`${svc} init blog && ${svc} deploy .`, { cwd: site })
    expect([deployed.code, deployed.code === 0 ? '' : deployed.stderr]).toEqual([0, ''])
    const look = `until curl -sS --fail --cacert ${world}/root.pem https://blog.example.com/ 2> /dev/null; do sleep 0.2; done`
    expect((await machine.run(look)).stdout).toBe('from a bare server')

    // What the page says to run later.
    expect(await onServer('svcd users list')).toContain(
      'with the settings of /etc/svcd.env and its data in /var/lib/svcd\n',
    )
    await onServer(command('systemctl reload svcd'))
    expect((await machine.run(look)).stdout).toBe('from a bare server')
    await onServer(command('journalctl -u svcd -f'))
    expect(await onServer(command('svcd doctor'))).toContain('All well')
    await onServer(command('svcd backup'))
    await onServer(command('svcd export project blog'))
    await onServer(`${command('svcd import project blog.tar')} --name again`)

    // Upgrade.
    const newer = await releases.doctored('0.2.0', {})
    for (const name of ['svcd-0.2.0.tgz', 'SHA256SUMS'])
      copyFileSync(path.join(path.dirname(newer), name), path.join(upload, name))
    expect(await onServer(command('svcd upgrade svcd-0.2.0.tgz'))).toContain('svcd 0.2.0 runs.')
    expect(await visit('https://api.example.com/health')).toContain('"version":"0.2.0"')
    expect((await machine.run(look)).stdout).toBe('from a bare server')

    // docs/uninstall.md, from its first step.
    const [backup, stop, ...remove] = removal
    await onServer(backup!)
    expect(await onServer(stop!)).toContain('with all sites and accounts')
    followed.add(command('svcd uninstall'))
    expect(remove.slice(0, 3)).toEqual([
      expect.stringMatching(/^rm -rf .*\/etc\/svcd\.env$/),
      expect.stringMatching(/^rm -rf \/opt\/svcd /),
      'userdel svcd',
    ])
    for (const line of remove.slice(0, 3)) await onServer(line)
    expect(await onServer(leftovers)).toBe('')

    // Other ways to the same, and what other tests run.
    const elsewhere =
      /^(# |SVCD_|docker compose up|svcd upgrade($| https:| 0\.2\.0| svcd-<new)|svcd install$|svcd export project blog$)/
    expect([...new Set(commands)].filter(line => !followed.has(line) && !elsewhere.test(line))).toEqual([])
  })
})
