// Starts every git program of svcd: each waits for its turn, has limits on memory, time and output, and ends with its client.
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { FairQueue, QueueFull } from '../fair-queue.ts'
import { Fault } from '../fault.ts'
import { startProgram } from '../start-program.ts'
import { type GitLimits, type GitWork, gitLimits, limitedGit } from './limits.ts'
import { gitEnvironment, settingArguments } from './settings.ts'

/** What git may answer to a question of svcd. */
const answerBytes = 16 * 1024 * 1024
/** How much of git's error output is kept. */
const errorBytes = 2_000
/** How long git may remove its lock files and temporary files before it is killed. */
const killAfterMs = 2_000
const waitingAtMost = 128

export class GitFailed extends Error {
  override readonly name = 'GitFailed'
}

export interface GitOptions {
  /** Whose work it is: an account or an org. */
  owner: string
  work?: GitWork
  gitDir?: string | undefined
  env?: Record<string, string> | undefined
  settings?: Record<string, string>
  /** The descriptor of an open file. Without it, the input is a pipe. */
  input?: number | undefined
  /** Opens the pipes to a hook. */
  hook?: boolean
  /** The pace of a client that git waits for, in bytes per second. `undefined` if git does not wait for it. */
  pace?: () => number | undefined
  signal?: AbortSignal | undefined
}

export interface GitProgram {
  /** Ends git, and what git has started. */
  abort(): void
  stdin: Writable | null
  stdout: Readable
  stderr: Readable
  /** What a hook writes to its descriptor 3, and what it reads from its descriptor 4. */
  fromHook: Readable | undefined
  toHook: Writable | undefined
  /** Resolves when git has ended, with whether it succeeded. Never rejects. */
  done: Promise<boolean>
}

/** A client that is slower than this makes room when others wait. */
const slowBytesPerSecond = 64 * 1024
const lookEveryMs = 1_000

interface Running {
  pace(): number | undefined
  abort(): void
}

class GitQueue {
  readonly #limits: GitLimits
  readonly #all: FairQueue
  readonly #running = new Set<Running>()
  /** The turns of each owner that has a program running or waiting. */
  readonly #owners = new Map<string, { queue: FairQueue; calls: number }>()
  #watch: NodeJS.Timeout | undefined

  constructor(limits: GitLimits) {
    this.#limits = limits
    this.#all = new FairQueue(limits.atOnce, waitingAtMost)
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const queue = new FairQueue(this.#limits.perOwner, waitingAtMost)
    const own = this.#owners.get(owner) ?? { queue, calls: 0 }
    this.#owners.set(owner, own)
    own.calls++
    this.#watch ??= setInterval(() => this.#makeRoom(), lookEveryMs).unref()
    try {
      return await own.queue.run(() => this.#all.run(work, owner))
    } catch (error) {
      throw error instanceof QueueFull ? tooManyPrograms(error) : error
    } finally {
      if (--own.calls === 0) this.#owners.delete(owner)
      if (this.#owners.size === 0) {
        clearInterval(this.#watch)
        this.#watch = undefined
      }
    }
  }

  /** Names a program while it runs. Returns the function that takes it back. */
  note(running: Running): () => void {
    this.#running.add(running)
    return () => this.#running.delete(running)
  }

  /** Ends the program of the slowest client if others wait. */
  #makeRoom(): void {
    if (!this.#all.hasWaiting) return
    const paces = [...this.#running].map(running => ({
      running,
      pace: running.pace() ?? Number.POSITIVE_INFINITY,
    }))
    const [slowest] = paces.sort((a, b) => a.pace - b.pace)
    if (slowest && slowest.pace < slowBytesPerSecond) slowest.running.abort()
  }
}

const tooManyPrograms = (cause: QueueFull) =>
  new Fault('unavailable', 'Too many git clients at once. Try again in a minute.', { cause, retryAfter: 30 })

const queues: Record<GitWork, GitQueue> = {
  read: new GitQueue(gitLimits.read),
  look: new GitQueue(gitLimits.look),
  serve: new GitQueue(gitLimits.serve),
  work: new GitQueue(gitLimits.work),
}

/** Runs git while `use` runs. Rejects with a Fault if too many programs wait. */
export async function withGit<T>(
  args: readonly string[],
  options: GitOptions,
  use: (git: GitProgram) => Promise<T>,
): Promise<T> {
  const { work = 'read', owner, signal, pace = () => undefined } = options
  const queue = queues[work]
  return await queue.run(owner, async () => {
    signal?.throwIfAborted()
    const git = start(args, options, gitLimits[work])
    const ended = queue.note({ pace, abort: git.abort })
    signal?.addEventListener('abort', git.abort)
    try {
      return await use(git)
    } finally {
      git.abort()
      await git.done
      ended()
      signal?.removeEventListener('abort', git.abort)
    }
  })
}

/** Resolves with the output of git. Rejects with GitFailed if git fails, or says too much. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<string> {
  return await withGit(args, options, async git => {
    git.stdin?.end()
    const [out, said] = await Promise.all([
      textOf(git.stdout, answerBytes, git.abort),
      textOf(git.stderr, errorBytes),
    ])
    const succeeded = await git.done
    options.signal?.throwIfAborted()
    const command = args.find(arg => !/^-|=/.test(arg))
    if (out.isCut) throw new GitFailed(`git ${command}: the answer is larger than ${answerBytes} bytes`)
    if (!succeeded) throw new GitFailed(`git ${command}: ${said.text.trim()}`)
    return out.text
  })
}

function start(args: readonly string[], options: GitOptions, limits: GitLimits): GitProgram {
  const { gitDir, env = {}, settings, input, hook = false } = options
  const [program, ...before] = limitedGit(limits)
  const git = startProgram(program, [...before, ...settingArguments(settings), ...args], {
    cwd: env.GIT_WORK_TREE ?? '/',
    stdio: [input ?? 'pipe', 'pipe', 'pipe', ...(hook ? (['pipe', 'pipe'] as const) : [])],
    // Its own group of processes, so that its children end with it.
    detached: true,
    env: { ...gitEnvironment(gitDir), ...env },
  })
  const [, stdout, stderr, fromHook, toHook] = git.stdio as [
    Writable,
    Readable,
    Readable,
    Readable?,
    Writable?,
  ]
  const abort = () => endGroup(git)
  const late = setTimeout(abort, limits.timeMs)
  const done = new Promise<boolean>(resolve => {
    git.once('error', () => resolve(false))
    git.once('close', code => resolve(code === 0))
  }).finally(() => clearTimeout(late))
  return { abort, stdin: git.stdin, stdout, stderr, toHook, fromHook, done }
}

const ending = new WeakSet<ChildProcess>()

/** First asks git to end, since a git that is killed leaves locks behind. */
function endGroup(git: ChildProcess): void {
  const { pid } = git
  if (pid === undefined || ending.has(git) || git.exitCode !== null || git.signalCode !== null) return
  ending.add(git)
  signalGroup(pid, 'SIGTERM')
  const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), killAfterMs)
  git.once('close', () => clearTimeout(late))
  for (const stream of git.stdio) stream?.destroy()
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // All of them have ended.
  }
}

/** Reads the stream and keeps the first `bytesAtMost` bytes. `tooLong` is called when there are more. */
async function textOf(stream: Readable, bytesAtMost: number, tooLong?: () => void) {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (bytes < bytesAtMost) chunks.push(chunk.subarray(0, bytesAtMost - bytes))
      bytes += chunk.length
      if (bytes > bytesAtMost) tooLong?.()
    }
  } catch {
    // The program was ended. Its exit code says so.
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isCut: bytes > bytesAtMost }
}
