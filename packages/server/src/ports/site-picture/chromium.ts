// Makes pictures with a headless Chromium: one process for each picture, in Chromium's own sandbox and without any network but a
// proxy to the site. If svcd runs as root, the browser runs as the user of the project.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { formatBytes } from '@svc/contract/bytes'
import type { PictureMark } from '../../lib/picture-mark.ts'
import { startProgram } from '../../lib/start-program.ts'
import type { PictureRequest, TakePicture } from './port.ts'
import { openSiteProxy } from './site-proxy.ts'

/** How apps are run and watched, for the processes of the browser. */
interface Processes {
  /** The user that runs the commands of a project. */
  userOf(projectId: string): number
  /** The process and its descendants. */
  treeOf(pid: number): number[]
  /** Kills a process, or with a negative number a process group. */
  end(pid: number): void
  /** Calls `onExceeded` when the processes use more than `memoryBytes` together. */
  watchMemory(
    tree: { readonly pids: number[]; readonly ended: Promise<unknown> },
    memoryBytes: number,
    onExceeded: () => void,
  ): void
  /** Looks at intervals, until `over`. Returns a signal that aborts when the directories hold more than `bytes`. */
  watchDiskUse(dirs: readonly string[], bytes: number, over: AbortSignal, lookEveryMs: number): AbortSignal
}

interface ChromiumSettings {
  processes: Processes
  /** The path of the program. */
  program: string
  urlOf(project: string): string
  /** The edge of this process. */
  edge?: { socketPath: string } | undefined
  /** Marks the requests, so that they count as no traffic. */
  mark?: PictureMark
  /** Runs without Chromium's sandbox, where the operator allows that. */
  unsandboxed: boolean
  limits?: Limits
}

interface Limits {
  timeMs: number
  memoryBytes: number
  pictureBytes: number
  /** What a page may store, with the profile of the browser. Chromium itself allows a page more than half of the disk. */
  diskBytes: number
}

const usualLimits: Limits = {
  timeMs: 30_000,
  memoryBytes: 1024 * 1024 * 1024,
  pictureBytes: 2 * 1024 * 1024,
  diskBytes: 256 * 1024 * 1024,
}
const lookAtDiskMs = 1_000

/** The window is 1280 × 800, and the picture half as large. */
const flags = [
  '--headless',
  '--window-size=1280,800',
  '--force-device-scale-factor=0.5',
  '--hide-scrollbars',
  '--mute-audio',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-breakpad',
  // Scripts get five seconds of the page's own clock, which runs as fast as it can.
  '--virtual-time-budget=5000',
  '--timeout=15000',
  '--user-agent=Mozilla/5.0 (compatible; svc-picture; bot)',
  // Everything goes to the proxy, loopback addresses too, and no name is looked up.
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // WebRTC sends nothing past the proxy. Chromium has renamed this flag.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
]

export const chromiumPictures =
  (settings: ChromiumSettings): TakePicture =>
  async (request, signal) => {
    signal.throwIfAborted()
    const site = new URL(settings.urlOf(request.project))
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-picture-'))
    const proxy = await openSiteProxy(site, settings)
    try {
      const file = path.join(dir, 'picture.png')
      const own = [
        `--proxy-server=http://127.0.0.1:${proxy.port}`,
        `--user-data-dir=${path.join(dir, 'profile')}`,
        `--screenshot=${file}`,
        ...(settings.unsandboxed ? ['--no-sandbox'] : []),
      ]
      await run(settings, [...flags, ...own, `http://${site.host}/`], dir, request, signal)
      if (proxy.pageStatus !== 200)
        throw new Error(`the page answered with status ${proxy.pageStatus ?? 'none'}`)
      return await readPicture(file, (settings.limits ?? usualLimits).pictureBytes)
    } finally {
      proxy.close()
      await rm(dir, { recursive: true, force: true, maxRetries: 5 })
    }
  }

async function run(
  {
    program,
    processes: { userOf, treeOf, end, watchMemory, watchDiskUse },
    limits = usualLimits,
  }: ChromiumSettings,
  args: string[],
  dir: string,
  { projectId }: PictureRequest,
  signal: AbortSignal,
): Promise<void> {
  const user = process.getuid?.() === 0 ? userOf(projectId) : undefined
  if (user !== undefined) await chown(dir, user, user)
  const child = startProgram(program, args, {
    cwd: dir,
    env: { HOME: dir, TMPDIR: dir, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    // A process group of its own, so that all its processes can be ended.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(user !== undefined && { uid: user, gid: user }),
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  let problem: string | undefined
  const stop = (why: string) => {
    problem ??= why
    if (child.pid === undefined) return
    for (const pid of treeOf(child.pid)) end(pid)
    end(-child.pid)
  }
  const onAbort = () => stop('svcd stops')
  const timer = setTimeout(() => stop(`it took longer than ${limits.timeMs / 1000} seconds`), limits.timeMs)
  signal.addEventListener('abort', onAbort)
  const over = new AbortController()
  watchDiskUse([dir], limits.diskBytes, over.signal, lookAtDiskMs).onabort = () =>
    stop(`the page stored more than ${formatBytes(limits.diskBytes)}`)
  if (child.pid !== undefined) {
    const root = child.pid
    const tree = {
      get pids() {
        return treeOf(root)
      },
      ended: ended.catch(() => undefined),
    }
    const most = formatBytes(limits.memoryBytes)
    watchMemory(tree, limits.memoryBytes, () => stop(`the browser used more than ${most} of memory`))
  }
  let words = ''
  child.stderr.on('data', chunk => (words = (words + chunk).slice(-2_000)))
  try {
    const [code] = await ended
    if (problem !== undefined) throw new Error(problem)
    if (code !== 0) throw new Error(`Chromium ended with code ${code}: ${lastLine(words)}`)
  } finally {
    clearTimeout(timer)
    over.abort()
    signal.removeEventListener('abort', onAbort)
    // A process that outlived the browser ends, too.
    if (child.pid !== undefined) end(-child.pid)
  }
}

/** The messages about a missing D-Bus say nothing. */
const lastLine = (words: string): string =>
  words.split('\n').findLast(line => line.trim() !== '' && !line.includes('dbus')) ?? 'it said nothing'

async function readPicture(file: string, pictureBytes: number): Promise<Buffer> {
  const { size } = await stat(file).catch(() => {
    throw new Error('Chromium wrote no picture')
  })
  if (size > pictureBytes) throw new Error(`the picture has ${size} bytes, which is too large`)
  return await readFile(file)
}

/** For `svcd doctor`. */
export async function chromiumVersion(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 20_000 })
  return stdout.trim()
}
