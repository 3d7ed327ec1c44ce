// Starts the edge workers, restarts those that end, sends them changes, and stops them.
import type { ChildProcess as Worker } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Connect } from '../core/base/apps.ts'
import type { Counts } from '../core/base/request-counts.ts'
import { startModule } from '../lib/start-program.ts'
import type { Sockets } from '../listener.ts'
import type { Change } from '../ports/changes/port.ts'
import { programFile } from '../program-files.ts'
import type { FromMain, FromWorker } from './messages.ts'

export interface WorkersParts {
  count: number
  /** The sockets that they listen on. */
  sockets: Sockets
  /** The environment of a worker that gets these sockets. */
  environment: NodeJS.ProcessEnv
  log: Logger
}

/** The pause before a worker that ended is restarted. It doubles while workers keep ending. */
const firstPauseMs = 100
const longestPauseMs = 5_000
/** A worker that ran this long resets the pause. */
const soundMs = 10_000
/** How long `broadcast` waits for a worker's acknowledgement. A worker that is late still gets the message, or is dead. */
const acknowledgeMs = 5_000
/** Workers that still run after this are killed. Longer than a worker takes to drain. */
const stopMs = 9_000

export class EdgeWorkers {
  readonly #parts: WorkersParts
  readonly #workers = new Set<Worker>()
  /** As the watchdog calls them. */
  readonly #names = new Map<Worker, string>()
  readonly #listening = new Set<Worker>()
  readonly #ready = new Set<Worker>()
  /** By message number: the workers that have not acknowledged it yet. */
  readonly #awaited = new Map<number, { missing: Set<Worker>; done: () => void }>()
  readonly #watchers = new Set<() => void>()
  #failure: Error | undefined
  #isStopping = false
  #pauseMs = firstPauseMs
  #numbers = 0
  #started = 0
  /** Called with changes that a worker committed. */
  onChanges: (changes: Change[]) => void = () => undefined
  /** Called with the number of cache entries that a worker dropped, before `broadcast` resolves. */
  onEvicted: (key: string, count: number) => void = () => undefined
  /** Called with what a worker has answered, by its name; with `undefined` when it has ended. */
  onCounted: (name: string, counts: Counts | undefined) => void = () => undefined
  /** Opens connections to apps for workers. */
  connect: Connect = () => Promise.reject(new Error('server apps do not run here'))

  private constructor(parts: WorkersParts) {
    this.#parts = parts
  }

  /** Resolves when all workers listen. */
  static async start(parts: WorkersParts): Promise<EdgeWorkers> {
    const workers = new EdgeWorkers(parts)
    for (let i = 0; i < parts.count; i++) workers.#fork()
    try {
      await workers.#until(() => workers.#listening.size === parts.count)
      return workers
    } catch (error) {
      await workers.stop()
      throw error
    }
  }

  get pids(): number[] {
    return [...this.#workers].map(({ pid }) => pid ?? 0)
  }

  /** Resolves when all workers serve sites. */
  ready(): Promise<void> {
    return this.#until(() => this.#ready.size === this.#parts.count)
  }

  /** Resolves when all workers have applied the changes. */
  broadcast(changes: Change[], except?: Worker): Promise<void> {
    const number = ++this.#numbers
    const missing = new Set([...this.#listening].filter(worker => worker !== except))
    if (missing.size === 0) return Promise.resolve()
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        this.#awaited.delete(number)
        resolve()
      }
      const timer = setTimeout(done, acknowledgeMs)
      this.#awaited.set(number, { missing, done })
      for (const worker of missing) send(worker, { kind: 'change', number, changes })
    })
  }

  /** Lets each worker finish its requests, then kills those that still run. */
  async stop(idleMs = 0): Promise<void> {
    this.#isStopping = true
    for (const worker of this.#workers) send(worker, { kind: 'stop', idleMs })
    const cut = setTimeout(() => {
      for (const worker of this.#workers) worker.kill('SIGKILL')
    }, stopMs)
    await new Promise<void>(resolve => {
      const look = () => this.#workers.size === 0 && resolve()
      this.#watchers.add(look)
      look()
    })
    clearTimeout(cut)
  }

  #fork(): void {
    const { environment: env, sockets } = this.#parts
    const fds = [sockets.http.fd, ...(sockets.https ? [sockets.https.fd] : [])]
    // Each worker accepts connections itself, so none of them passes through the main process.
    const worker = startModule(fileURLToPath(programFile('edge-workers/worker.js')), [`${++this.#started}`], {
      ...{ env, stdio: ['inherit', 'inherit', 'inherit', ...fds, 'ipc'] },
    })
    const startedAt = Date.now()
    this.#workers.add(worker)
    this.#names.set(worker, `edge-${this.#started}`)
    worker.on('message', (message: FromWorker) => this.#receive(worker, message))
    worker.on('error', err => this.#parts.log.warn({ err }, 'cannot send messages to an edge worker'))
    // One that could not start has no `exit`.
    worker.once('close', (code, signal) => {
      this.#forget(worker)
      if (this.#isStopping) return
      this.#parts.log.error({ code, signal }, 'an edge worker ended and is being restarted')
      if (Date.now() - startedAt > soundMs) this.#pauseMs = firstPauseMs
      setTimeout(() => this.#isStopping || this.#fork(), this.#pauseMs)
      this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2)
    })
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.kind === 'listening') this.#listening.add(worker)
    else if (message.kind === 'ready') this.#ready.add(worker)
    else if (message.kind === 'failed')
      this.#failure = Object.assign(new Error(message.message), { code: message.code })
    else if (message.kind === 'evicted') this.onEvicted(message.key, message.count)
    else if (message.kind === 'counted') this.onCounted(this.#names.get(worker) ?? '', message.counts)
    else if (message.kind === 'acknowledged') this.#acknowledge(message.number, worker)
    else if (message.kind === 'connect') void this.#connect(worker, message)
    else {
      this.onChanges(message.changes)
      void this.broadcast(message.changes, worker)
    }
    this.#notifyWatchers()
  }

  async #connect(worker: Worker, { id, address }: FromWorker & { kind: 'connect' }): Promise<void> {
    try {
      const socket = await this.connect(address)
      // The app may close it before the worker has it.
      socket.on('error', () => undefined)
      // The worker, not this process, reads what the app sends.
      socket.pause()
      if (socket.connecting) await once(socket, 'connect')
      send(worker, { kind: 'connected', id }, socket)
    } catch (error) {
      send(worker, { kind: 'connected', id, error: (error as Error).message })
    }
  }

  #forget(worker: Worker): void {
    this.#workers.delete(worker)
    this.onCounted(this.#names.get(worker) ?? '', undefined)
    this.#names.delete(worker)
    this.#listening.delete(worker)
    this.#ready.delete(worker)
    for (const number of [...this.#awaited.keys()]) this.#acknowledge(number, worker)
    this.#notifyWatchers()
  }

  #acknowledge(number: number, worker: Worker): void {
    const awaited = this.#awaited.get(number)
    awaited?.missing.delete(worker)
    if (awaited?.missing.size === 0) awaited.done()
  }

  #notifyWatchers(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }

  /** Rejects when a worker failed to start, because the next one would fail the same way. */
  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const failure = this.#failure
        if (!holds() && failure === undefined) return
        this.#watchers.delete(look)
        if (failure === undefined) resolve()
        else reject(failure)
      }
      this.#watchers.add(look)
      look()
    })
  }
}

/** Does nothing for a worker that is ending. */
function send(worker: Worker, message: FromMain, socket?: Socket): void {
  if (worker.connected) worker.send(message, socket, undefined, () => undefined)
  else socket?.destroy()
}
