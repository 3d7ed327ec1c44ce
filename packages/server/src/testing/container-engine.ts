// A container engine as a process of its own, for tests: it says on stdout where it is, or why there is none, and goes
// with all that it made when its stdin closes. So nothing stays behind even if the test run is killed. With the argument
// `swarm` it is a swarm of two machines: the second one is an engine in a network namespace of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { Engine, isMissing } from '../ports/app-runtime/docker/engine.ts'
import { programAt } from '../ports/app-runtime/programs.ts'
import { importImage } from './container-image.ts'

export type EngineUnderTest =
  | {
      host: string
      image: string
      /** The second machine of a swarm. */
      worker?: { host: string; address: string; pid: number }
    }
  | { missing: string }

const places = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin']
const usual = 'unix:///var/run/docker.sock'
const image = `svc-test-runtime:${process.pid}`
const startWithinMs = 60_000
/** The firewall tables of the tests' networks, also those that a killed test run left behind. */
const ofTests = (table: string) => /^table inet svc_t[a-z0-9]{8}$/.test(table)
/** The firewall tables that the engine uses. */
const ofEngine = /^table ip6? (filter|nat|raw)$/

/** The machines of the swarm and the network between them. */
const managerAddress = '10.213.7.1'
const workerAddress = '10.213.7.2'
const [managerLink, workerLink] = ['svc-t-manager', 'svc-t-worker']

const wantsSwarm = process.argv[2] === 'swarm'
let directory: string | undefined
const daemons: ChildProcess[] = []
let host: string | undefined
/** The firewall rules of this machine before the engine started. */
let rules: string | undefined
let tablesBefore: string[] = []
let isStopping = false

// All users may read the folders of the image, even if the tests run with a strict umask.
process.umask(0o022)

process.stdin.on('end', () => void stop()).resume()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop())

// Two engines at once would remove each other's firewall rules. The lock ends with this process. A database that nothing refers
// to is closed by the garbage collector, and the lock with it.
const lock = new DatabaseSync(path.join(tmpdir(), 'svc-test-engine.lock'), { timeout: 1_800_000 })
lock.exec('begin exclusive')

console.log(JSON.stringify(await findOrStart()))

async function findOrStart(): Promise<EngineUnderTest> {
  try {
    if (!wantsSwarm && (await answers(usual))) host = usual
    else {
      const why = whyNot()
      if (why) return { missing: why }
      host = await startFirst()
    }
    deleteTables(ofTests)
    importImage(host, image)
    return wantsSwarm ? { host, image, worker: await makeSwarm(host) } : { host, image }
  } catch (error) {
    return { missing: `no container engine could be started: ${(error as Error).message}` }
  }
}

function whyNot(): string | undefined {
  if (!program('dockerd')) return 'there is no container engine, and dockerd is not installed'
  return process.getuid?.() === 0 ? undefined : 'there is no container engine, and only root can start one'
}

async function startFirst(): Promise<string> {
  // The path must be short, because the path of a socket has at most about a hundred characters.
  directory = mkdtempSync('/tmp/svc-engine-')
  tablesBefore = tables()
  rules = execFileSync(program('iptables-save') ?? 'iptables-save', { encoding: 'utf8' })
  return await start(path.join(directory, '1'), [])
}

/** Starts an engine and returns its URL. `wrapper` is a command that runs the engine. */
async function start(dir: string, wrapper: string[]): Promise<string> {
  const socket = path.join(dir, 'engine.sock')
  mkdirSync(dir)
  const flags = [
    `--data-root=${dir}/data`,
    `--exec-root=${dir}/run`,
    `--pidfile=${dir}/pid`,
    `--host=unix://${socket}`,
    '--bridge=none',
    '--userland-proxy=false',
    '--shutdown-timeout=1',
    // In a swarm, older engines cannot forbid new privileges for a single service.
    ...(wantsSwarm ? ['--no-new-privileges'] : []),
  ]
  const env = { ...process.env, PATH: places.join(path.delimiter) }
  // The engine ends with this process, even if this process is killed.
  const args = ['--pdeathsig', 'TERM', ...wrapper, program('dockerd') ?? '', ...flags]
  const daemon = spawn(program('setpriv') ?? 'setpriv', args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  daemons.push(daemon)
  let log = ''
  daemon.stderr?.on('data', chunk => (log = (log + chunk).slice(-4000)))
  daemon.on('error', error => (log += error.message))
  const until = Date.now() + startWithinMs
  while (Date.now() < until && daemon.exitCode === null && daemon.signalCode === null) {
    if (existsSync(socket) && (await answers(`unix://${socket}`))) return `unix://${socket}`
    await sleep(50)
  }
  throw new Error(`dockerd did not start:\n${log}`)
}

/** Makes a swarm of the engine and of a second one, which has no other way to the network than the first. */
async function makeSwarm(first: string): Promise<{ host: string; address: string; pid: number }> {
  // One that is there was left by a run that was killed: the lock lets nobody else have one.
  if (existsSync(`/sys/class/net/${managerLink}`)) ip('link', 'delete', managerLink)
  ip('link', 'add', managerLink, 'type', 'veth', 'peer', 'name', workerLink)
  ip('address', 'add', `${managerAddress}/24`, 'dev', managerLink)
  ip('link', 'set', managerLink, 'up')
  const second = await start(path.join(directory ?? '', '2'), ['unshare', '--net'])
  const pid = daemons[1]?.pid ?? 0
  ip('link', 'set', workerLink, 'netns', String(pid))
  const inside = ['-t', String(pid), '-n', program('ip') ?? 'ip']
  for (const args of [
    ['address', 'add', `${workerAddress}/24`, 'dev', workerLink],
    ['link', 'set', workerLink, 'up'],
    ['link', 'set', 'lo', 'up'],
  ])
    execFileSync('nsenter', [...inside, ...args])
  importImage(second, image)
  const listen = { ListenAddr: `${managerAddress}:2377`, AdvertiseAddr: managerAddress }
  await new Engine(first).call('POST', '/swarm/init', listen)
  const { JoinTokens } = await new Engine(first).call<{ JoinTokens: { Worker: string } }>('GET', '/swarm')
  await new Engine(second).call('POST', '/swarm/join', {
    ...{ ListenAddr: `${workerAddress}:2377`, AdvertiseAddr: workerAddress },
    ...{ RemoteAddrs: [`${managerAddress}:2377`], JoinToken: JoinTokens.Worker },
  })
  return { host: second, address: workerAddress, pid }
}

function ip(...args: string[]): void {
  execFileSync(program('ip') ?? 'ip', args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

function answers(url: string): Promise<boolean> {
  return new Engine(url).answers()
}

async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  if (host && wantsSwarm) await leaveSwarm(new Engine(host)).catch(error => console.error(error))
  if (host) await removeEverything(new Engine(host)).catch(error => console.error(error))
  deleteTables(ofTests)
  for (const daemon of daemons.toReversed())
    if (daemon.exitCode === null && daemon.signalCode === null) {
      daemon.kill('SIGTERM')
      await new Promise(resolve => daemon.once('exit', resolve))
    }
  if (rules !== undefined) execFileSync(program('iptables-restore') ?? 'iptables-restore', { input: rules })
  // A table that did not exist is not in `rules`, so it was not restored.
  if (rules !== undefined) deleteTables(table => ofEngine.test(table) && !tablesBefore.includes(table))
  if (directory) {
    for (const mount of mountsBelow(directory)) execFileSync('umount', ['-l', mount])
    rmSync(directory, { recursive: true, force: true })
  }
  lock.close()
  process.exit()
}

/** Ends all services. The bridge between containers and the machine may stay unless it is removed. */
async function leaveSwarm(engine: Engine): Promise<void> {
  await engine.call('POST', '/swarm/leave?force=1')
  await engine.call('DELETE', '/networks/docker_gwbridge').catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/** Removes the containers, networks and images that tests created. */
async function removeEverything(engine: Engine): Promise<void> {
  const named = encodeURIComponent(JSON.stringify({ name: ['svc-t'] }))
  const ours = encodeURIComponent(JSON.stringify({ ancestor: [image] }))
  for (const { Id } of await engine.call<{ Id: string }[]>('GET', `/containers/json?all=1&filters=${ours}`))
    await engine.call('DELETE', `/containers/${Id}?force=1&v=1`)
  for (const { Id } of await engine.call<{ Id: string }[]>('GET', `/networks?filters=${named}`))
    await engine.call('DELETE', `/networks/${Id}`)
  await engine.call('DELETE', `/images/${encodeURIComponent(image)}?force=1`)
}

/** The machine's firewall tables, each as `table <family> <name>`. */
function tables(): string[] {
  return nft('list', 'tables').split('\n').filter(Boolean)
}

function deleteTables(isOver: (table: string) => boolean): void {
  for (const table of tables().filter(isOver)) nft('delete', ...table.split(' '))
}

function nft(...args: string[]): string {
  // Not by PATH: under npx it begins with a folder in which `nft` is another program, of the package @vercel/nft.
  const file = programAt('nft')
  if (!file) return ''
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return '' // Who may not list tables has created none.
  }
}

function mountsBelow(dir: string): string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return mounts.map(line => line.split(' ')[1] ?? '').filter(mount => mount.startsWith(`${dir}/`))
}

function program(name: string): string | undefined {
  return places.map(place => path.join(place, name)).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false // The program is missing or may not be run.
  }
}
