// A network namespace for one app: its own loopback, ports, abstract sockets and /proc/net. svcd reaches the app through
// a connector process that lives in the namespace, but outside of the app's sandbox.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { startProgram } from '../../../../lib/start-program.ts'
import { programFile } from '../../../../program-files.ts'
import { programAt } from '../../programs.ts'
import { insideNode } from '../node-inside.ts'
import { bareSandbox } from '../sandbox.ts'
import type { FromConnector, ToConnector } from './messages.ts'
import { perlConnector } from './perl-connector.ts'

const nodeConnector = fileURLToPath(programFile('../dist/ports/app-runtime/process/network/connector.mjs'))
const perl = programAt('perl')
const nsenter = programAt('nsenter') ?? 'nsenter'
const isRoot = process.getuid?.() === 0

/** Node's connector does little, so it gets little memory. */
const smallHeap = ['--max-old-space-size=32', '--max-semi-space-size=1', '--v8-pool-size=1']

/** The command that hands connections over, and the bubblewrap options that show it its files. */
interface Connector {
  command: readonly string[]
  mounts: readonly string[]
}

const connectors = {
  node: {
    command: [insideNode, ...smallHeap, '/connector.mjs'],
    mounts: ['--ro-bind', nodeConnector, '/connector.mjs'],
  },
  /** `undefined` if there is no Perl. */
  perl: perl === undefined ? undefined : perlConnector(perl),
} as const satisfies Record<string, Connector | undefined>

/** A shell script: writes its pid once bubblewrap has set the namespace up, then runs the connector. */
const writePid = 'echo $$ >&4; exec 4>&-; exec "$@"'

const answerWithinMs = 10_000

interface Waiting {
  resolve(socket: Socket): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

export class NetworkNamespace {
  /** The pid of the connector. */
  readonly pid: number
  /** Resolves when the connector has ended. Then svcd cannot connect to the app any more. */
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  private constructor(process: ChildProcess, pid: number) {
    this.#process = process
    this.pid = pid
    this.ended = new Promise(resolve => process.once('exit', () => resolve()))
    this.ended.then(() => this.#failAll(new Error('The connector of the app has ended.')))
    process.on('message', (message: FromConnector, socket) => this.#receive(message, socket as Socket))
    process.on('error', error => this.#failAll(error))
  }

  /** Resolves when commands can run in the namespace. Rejects if the system does not allow one. */
  static async open(kind: keyof typeof connectors = 'perl'): Promise<NetworkNamespace> {
    const { command, mounts } = connectors[kind] ?? connectors.node
    const [program = '', ...args] = [
      ...bareSandbox(),
      // Without root, a network namespace needs a user namespace. The root user of that one owns it.
      ...(isRoot ? [] : ['--unshare-user', '--uid', '0', '--gid', '0']),
      ...['--unshare-net', '--cap-drop', 'ALL'],
      ...[...mounts, '--remount-ro', '/dev', '--remount-ro', '/'],
      ...['/bin/sh', '-c', writePid, 'sh', ...command],
    ]
    const child = startProgram(program, args, {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
      detached: true,
    })
    const lines = createInterface(child.stdio[4] as Readable)
    const failed = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => {
      throw new Error('bubblewrap could not make a network namespace')
    })
    const [pid] = (await Promise.race([once(lines, 'line'), failed])) as [string]
    failed.catch(() => undefined)
    return new NetworkNamespace(child, Number(pid))
  }

  get isOpen(): boolean {
    return this.#process.connected && this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** The command line that runs `command` in the namespace. If svcd is not root, it also enters the user namespace. */
  around(command: readonly string[]): string[] {
    const of = (kind: string) => `/proc/${this.pid}/ns/${kind}`
    return [
      nsenter,
      ...(isRoot ? [] : ['--preserve-credentials', `--user=${of('user')}`]),
      `--net=${of('net')}`,
      '--',
      ...command,
    ]
  }

  /** Connects to a port in the namespace. */
  connect(port: number): Promise<Socket> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#settle(id, new Error('The connector did not answer.')),
        answerWithinMs,
      )
      this.#waiting.set(id, { resolve, reject, timer })
      if (!this.isOpen) return this.#settle(id, new Error('The connector of the app has ended.'))
      this.#process.send({ id, port } satisfies ToConnector, error => error && this.#settle(id, error))
    })
  }

  async close(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.ended
  }

  #receive({ id, error }: FromConnector, socket: Socket | undefined): void {
    this.#settle(id, socket ?? new Error(error ?? 'The connection was closed at once.'))
  }

  #settle(id: number, outcome: Socket | Error): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    clearTimeout(waiting?.timer)
    if (outcome instanceof Error) waiting?.reject(outcome)
    else if (waiting) waiting.resolve(outcome)
    else outcome.destroy()
  }

  #failAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, error)
  }
}
