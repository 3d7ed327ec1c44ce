// What 'svcd install' does to the system: each step is a command line that is run, or a question to the system.
import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { Fault } from '../../lib/fault.ts'
import { programAt } from '../../ports/app-runtime/programs.ts'

/** Runs a program. If it fails, the error has what it said. */
export async function run(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 64 * 1024 ** 2 })
    return stdout
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    const said = stderr.trim().split('\n').at(-1) || message
    throw new Fault('unavailable', `'${[program, ...args].join(' ')}' failed: ${said}`, { cause: error })
  }
}

export const succeeds = (program: string, ...args: string[]): Promise<boolean> =>
  run(program, ...args).then(
    () => true,
    () => false,
  )

/** Debian packages of the sandbox and of builds, with a program of each. */
const packages = { bubblewrap: 'bwrap', slirp4netns: 'slirp4netns', nftables: 'nft', git: 'git' }

/** Returns the packages that it installed. Throws if some are missing and cannot be installed here. */
export async function installPackages(): Promise<string[]> {
  const missing = () =>
    Object.entries(packages).flatMap(([name, program]) => (programAt(program) ? [] : [name]))
  const wanted = missing()
  if (wanted.length === 0) return []
  if (programAt('apt-get')) {
    await run('apt-get', 'update', '-q')
    await run('apt-get', 'install', '-y', '-q', '--no-install-recommends', ...wanted)
  }
  const still = missing()
  if (still.length > 0)
    throw new Fault(
      'unavailable',
      `These packages are missing: ${still.join(', ')}. Install them with the package manager of this system, and run 'svcd install' again.`,
    )
  return wanted
}

/** Creates the user of the service if there is none, and returns its ids. */
export async function ensureUser(name: string, home: string): Promise<{ uid: number; gid: number }> {
  if (!(await succeeds('getent', 'passwd', name)))
    await run(
      'useradd',
      ...['--system', '--user-group', '--home-dir', home, '--no-create-home', '--shell', '/usr/sbin/nologin'],
      name,
    )
  const [, , uid, gid] = (await run('getent', 'passwd', name)).trim().split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** Throws if another program has the port. */
export async function requireFreePort(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, resolve)).catch(
    (error: Error) => {
      throw new Fault(
        'unavailable',
        `Port ${port} is in use by another program (${error.message}). See which one with 'ss -ltnp', stop it, and run 'svcd install' again. To put svcd behind a proxy that has this port, see docs/server.md.`,
      )
    },
  )
  await new Promise(resolve => server.close(resolve))
}

/** Says in one line each which names do not lead to this machine. */
export async function dnsProblems(domain: string): Promise<string[]> {
  const own = Object.values(networkInterfaces()).flatMap(addresses => addresses?.map(it => it.address) ?? [])
  const problems: string[] = []
  for (const name of [domain, `app.${domain}`]) {
    const found = await addressesOf(name)
    if (found.length === 0)
      problems.push(`${name} is not in the DNS. Create the records ${domain} and *.${domain}.`)
    else if (!found.some(address => own.includes(address)))
      problems.push(
        `${name} points at ${found.join(', ')}, which is no address of this machine (${own.filter(isPublic).join(', ') || 'it has only private ones'}). That is right only behind a router or a load balancer.`,
      )
  }
  return problems
}

export const isInDns = async (name: string): Promise<boolean> => (await addressesOf(name)).length > 0

const isPublic = (address: string): boolean =>
  !/^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|::1$|fe80:|f[cd])/.test(address)

async function addressesOf(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}
