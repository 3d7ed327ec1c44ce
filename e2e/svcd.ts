// The real svcd as a child process, in a data directory and on a port of its own.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ownProgram = fileURLToPath(new URL('../../packages/server/bin/svcd.js', import.meta.url))

/** A machine for an instance, which outlives the processes that run on it. */
export class Machine {
  readonly dataDir: string
  readonly environment: Record<string, string>
  /** A command that runs svcd as its argument, such as `taskset -c 0`. */
  prefix: string[] = []
  /** Another version of svcd than the one of this checkout. */
  program = ownProgram

  private constructor(dataDir: string, environment: Record<string, string>) {
    this.dataDir = dataDir
    const own = {
      SVCD_DATA_DIR: dataDir,
      SVCD_PORT: '0',
      SVCD_LOG_LEVEL: 'warn',
      SVCD_RUNNER: 'process',
      SVCD_UNSANDBOXED_APPS: '1',
      // The same processes on every machine, however many cores it has.
      SVCD_EDGE_WORKERS: '0',
      // `SVCD_FAST_LANES=0 npm test` runs everything without the fast lanes.
      SVCD_FAST_LANES: process.env.SVCD_FAST_LANES ?? '1',
    }
    this.environment = { ...own, ...environment }
  }

  static async make(environment: Record<string, string> = {}): Promise<Machine> {
    return new Machine(await mkdtemp(path.join(tmpdir(), 'svc-e2e-')), environment)
  }

  async remove(): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Runs one of svcd's other commands to its end and answers what it printed on stdout. */
  async run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [this.program, ...args], {
      cwd: this.dataDir,
      env: this.#env(),
    })
    return stdout.trim()
  }

  /** A new account's `cli` token. */
  token(login: string): Promise<string> {
    return this.run('users', 'create', login, '--token')
  }

  spawn(...args: string[]): ChildProcess {
    return this.#spawn('ignore', [...this.prefix, process.execPath, this.program, ...args])
  }

  /** Runs one of svcd's commands to its end, whatever that is. */
  async outcome(...args: string[]): Promise<{ code: number | string; stdout: string; stderr: string }> {
    const svcd = new Svcd(this.spawn(...args))
    const code = await svcd.ended
    return { code, stdout: svcd.stdout.join('\n'), stderr: svcd.stderr.join('\n') }
  }

  /** Starts the platform and waits until it says that it is ready. */
  async start(...args: string[]): Promise<Svcd> {
    const child = this.spawn('start', ...args)
    const svcd = new Svcd(child)
    await svcd.ready()
    return svcd
  }

  /** Starts the platform. It stops, and its data directory is removed, when this process ends, also if it is killed. */
  async startUntilExit(): Promise<Svcd> {
    // The shell waits for the end of its stdin.
    const script = 'trap "" INT; "$@" & cat > /dev/null; kill $!; wait $!; rm -rf "$SVCD_DATA_DIR"'
    const child = this.#spawn('pipe', ['sh', '-c', script, 'sh', process.execPath, this.program, 'start'])
    const svcd = new Svcd(child)
    await svcd.ready()
    return svcd
  }

  #spawn(stdin: 'pipe' | 'ignore', [command = '', ...args]: string[]): ChildProcess {
    return spawn(command, args, { cwd: this.dataDir, env: this.#env(), stdio: [stdin, 'pipe', 'pipe'] })
  }

  #env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', ...this.environment }
  }
}

export class Svcd {
  readonly child: ChildProcess
  /** What it printed so far, line by line. */
  readonly stdout: string[] = []
  readonly stderr: string[] = []
  readonly ended: Promise<number | string>
  #readyLine: Promise<string>

  constructor(child: ChildProcess) {
    this.child = child
    this.ended = once(child, 'close').then(([code, signal]) => code ?? signal)
    createInterface(child.stderr!).on('line', line => this.stderr.push(line))
    const lines = createInterface(child.stdout!)
    this.#readyLine = new Promise(resolve => {
      lines.on('line', line => {
        this.stdout.push(line)
        if (line.includes('svcd ready')) resolve(line)
      })
    })
  }

  async ready(): Promise<string> {
    const line = await Promise.race([this.#readyLine, this.ended.then(() => undefined)])
    if (line !== undefined) return line
    throw new Error(`svcd ended before it was ready:\n${[...this.stdout, ...this.stderr].join('\n')}`)
  }

  /** The API's address, as the line says it. */
  get url(): string {
    const line = this.stdout.find(line => line.includes('svcd ready')) ?? ''
    const url = /\bhttps?:\/\/[^\s]+/.exec(line)?.[0]
    if (url === undefined) throw new Error(`svcd's line names no address: ${line}`)
    return url
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** Answers the exit code, or the name of the signal that ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    this.child.kill(signal)
    return this.ended
  }
}
