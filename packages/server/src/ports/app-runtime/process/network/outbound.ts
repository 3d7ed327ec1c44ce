// Outbound connections from an app's network namespace: slirp4netns makes them, and the firewall rules filter them.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { startProgram } from '../../../../lib/start-program.ts'
import type { Outbound } from '../../private-networks.ts'
import { programAt } from '../../programs.ts'
import { publicOnly, resolver } from './firewall.ts'
import type { NetworkNamespace } from './namespace.ts'

export interface OutboundSettings {
  outbound: Outbound
  /** The ports on which this machine serves sites to the public. */
  webPorts: readonly number[]
}

/** Debian packages and the programs that each mode needs. */
const needs: Record<Outbound, Record<string, string>> = {
  on: { slirp4netns: 'slirp4netns' },
  public: { slirp4netns: 'slirp4netns', nftables: 'nft' },
  off: {},
}

const slirpFlags = ['--configure', '--mtu=65520', '--disable-host-loopback', '--enable-sandbox']

/** The Debian packages that are not installed and that this mode needs. */
export const missingFor = (outbound: Outbound): string[] =>
  Object.entries(needs[outbound]).flatMap(([name, program]) => (programAt(program) ? [] : [name]))

/** The resolv.conf of sandboxed programs. Without outbound connections it is empty, so DNS lookups fail at once. */
export const resolvConfFor = (outbound: Outbound): string =>
  outbound === 'off' ? '' : `nameserver ${resolver}\n`

/** Enables outbound connections. Returns the function that ends them. They also end with svcd. */
export async function openOutbound(
  namespace: NetworkNamespace,
  { outbound, webPorts }: OutboundSettings,
): Promise<() => void> {
  if (outbound === 'off') return () => undefined
  // Apply the rules first, so that there is no moment without them.
  if (outbound === 'public') await applyRules(namespace, publicOnly(webPorts))
  const args = [...slirpFlags, '--ready-fd=3', '--exit-fd=4', String(namespace.pid), 'tap0']
  const slirp = startProgram(programAt('slirp4netns') ?? 'slirp4netns', args, {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const [, , , ready] = slirp.stdio as unknown as [null, null, Readable, Readable]
  await Promise.race([once(ready, 'data'), failed(slirp, 'slirp4netns')])
  ready.destroy()
  slirp.stderr?.resume()
  return () => void slirp.kill('SIGKILL')
}

async function applyRules(namespace: NetworkNamespace, rules: string): Promise<void> {
  const [program = '', ...args] = namespace.around([programAt('nft') ?? 'nft', '-f', '-'])
  const nft = startProgram(program, args, { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'pipe'] })
  nft.stdin.end(rules)
  const [code] = (await Promise.race([once(nft, 'exit'), failed(nft, 'nft', 1)])) as [number]
  if (code !== 0) throw new Error(`nft ended with code ${code}`)
}

/** Rejects with the program's error output when it ends with the exit code `from` or a higher one. */
async function failed(child: ChildProcess, name: string, from = 0): Promise<never> {
  let said = ''
  child.stderr?.on('data', chunk => (said = `${said}${chunk}`.slice(-500)))
  return await new Promise((_, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      if ((code ?? 255) >= from) reject(new Error(`${name} ended with code ${code}: ${said.trim()}`))
    })
  })
}
