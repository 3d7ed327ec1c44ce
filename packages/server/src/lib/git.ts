// Runs the `git` program independently of the git settings of this machine.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'

type Git = ChildProcessByStdio<Writable, Readable, Readable>

/** These settings replace those of the operator and the system. No hook runs. */
const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.symlinks': 'true',
  'safe.directory': '*',
  'init.defaultBranch': 'main',
  'receive.fsckObjects': 'true',
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'false',
  'receive.denyDeleteCurrent': 'ignore',
  'gc.auto': '0',
  'uploadpack.allowFilter': 'true',
  'pack.threads': '1',
  // Limits on memory: larger files are streamed, and packing a clone uses at most this much.
  'core.bigFileThreshold': '16m',
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '32m',
  'http.receivepack': 'true',
  'protocol.allow': 'never',
}

/** How much memory git may allocate. A few bytes of a malicious pack can expand to gigabytes. */
const memoryBytes = 1024 * 1024 * 1024
const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find(program => existsSync(program))
const bounded = prlimit ? [prlimit, `--data=${memoryBytes}`, 'git'] : ['git']

const answerBytes = 16 * 1024 * 1024
/** How much of git's error output is kept. */
const errorBytes = 2_000

export class GitFailed extends Error {
  override readonly name = 'GitFailed'
}

interface GitOptions {
  gitDir?: string | undefined
  env?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

export function spawnGit(args: readonly string[], { gitDir, env = {} }: GitOptions = {}): Git {
  const config = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [program = '', ...before] = bounded
  return spawn(program, [...before, ...config, ...args], {
    cwd: env.GIT_WORK_TREE ?? '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/nonexistent',
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      ...(gitDir !== undefined && { GIT_DIR: gitDir }),
      ...env,
    },
  })
}

/** Resolves with the output of git. Rejects with GitFailed if git fails. */
export async function runGit(args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { signal } = options
  signal?.throwIfAborted()
  const git = spawnGit(args, options)
  git.stdin.end()
  const stop = () => git.kill('SIGKILL')
  signal?.addEventListener('abort', stop)
  try {
    const closed = new Promise<number | null>((resolve, reject) => {
      git.once('error', reject)
      git.once('close', resolve)
    })
    const [out, said, code] = await Promise.all([
      textOf(git.stdout, answerBytes),
      textOf(git.stderr, errorBytes),
      closed,
    ])
    signal?.throwIfAborted()
    if (code !== 0) throw new GitFailed(`git ${args.find(arg => !/^-|=/.test(arg))}: ${said.trim()}`)
    return out
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Writes the files of a commit into an empty directory, without a `.git` directory: a build sees nothing of the repository. */
export async function checkOutTree(
  gitDir: string,
  sha: string,
  dir: string,
  signal: AbortSignal,
): Promise<void> {
  const index = `${dir}.index`
  const options = { gitDir, env: { GIT_INDEX_FILE: index, GIT_WORK_TREE: dir }, signal }
  try {
    await runGit(['read-tree', `${sha}^{commit}`], options)
    await runGit(['-c', 'core.bare=false', 'checkout-index', '--all'], options)
  } finally {
    await rm(index, { force: true })
  }
}

/** Reads the whole stream and keeps the first `bytesAtMost` bytes. */
async function textOf(stream: Readable, bytesAtMost: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < bytesAtMost) chunks.push(chunk.subarray(0, bytesAtMost - bytes))
    bytes += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8')
}
