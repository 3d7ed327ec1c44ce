// Copies what an app has written, also trees that are nested deeper than a path can be long (4,096 bytes). `cp` names files by their
// whole path, so it leaves those out; they are copied from directories in their middle, which are open here and there.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { endOf, startProgram } from '../../lib/start-program.ts'

/** Below it, paths are copied again from a directory whose path has about this length. */
const [surelyShort, cutAt] = [3_500, 1_500]
/** Each takes two open files. */
const levelsAtMost = 100

const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
const copying = ['cp', '--archive', '--reflink=auto', '--sparse=always', '--no-target-directory', '--']
const tooLong = ': File name too long'
/** How a program sees the directories that it is given as its file descriptors 3 and 4. */
const [source, target] = ['/proc/self/fd/3/.', '/proc/self/fd/4/.']

interface Pair {
  from: FileHandle
  to: FileHandle
}

/** No app writes meanwhile. Blocks are shared where the file system can do that, links stay links, and holes stay holes. */
export async function copyDeepTree(from: string, to: string): Promise<void> {
  if (!(await copies([...copying, from, to]))) return
  const pair = await openPair(from, to)
  await closing(pair, () => copyRest(pair, 1))
}

/** What has too long a path below these directories. */
async function copyRest(pair: Pair, level: number): Promise<void> {
  if (level > levelsAtMost) throw new Error('directories are nested too deeply to be copied')
  const cuts = await cutsIn(pair.from)
  if (cuts.size === 0) throw new Error('cp left out files without a reason')
  for (const cut of cuts) {
    const below = Buffer.from(cut, 'latin1')
    const inside = await openPair(within(pair.from, below), within(pair.to, below))
    await closing(inside, async () => {
      // The directory itself stays, and its parent as it was.
      await run(['chmod', '--recursive', 'u+rwx', '--', target], inside)
      await run(['find', target, '-mindepth', '1', '-delete'], inside)
      if (await copies([...copying, source, target], inside)) await copyRest(inside, level + 1)
    })
  }
}

/** Returns whether paths that were too long were left out. All other failures are thrown. */
async function copies(command: string[], pair?: Pair): Promise<boolean> {
  const [program = '', ...args] = command
  const stdio = ['ignore', 'ignore', 'pipe', ...(pair ? [pair.from.fd, pair.to.fd] : [])] as const
  const child = startProgram('nice', [program, ...args], { env, stdio: [...stdio] })
  const ended = endOf(child)
  let others = 0
  let left = 0
  // Line ends in names are written as `\n`.
  for await (const line of createInterface(child.stderr!)) {
    if (line.endsWith(tooLong)) left++
    else others++
  }
  const code = await ended
  if (code !== 0 && (others > 0 || left === 0)) throw new Error(`${program} ended with code ${code}`)
  return left > 0
}

/** The directories from which the too long paths are in reach. Bytes as latin1. */
async function cutsIn({ fd }: FileHandle): Promise<Set<string>> {
  const isLong = `${'?'.repeat(surelyShort)}*`
  const args = ['find', source, '-path', isLong, '-prune', '-printf', '%P\\0']
  const find = startProgram('nice', args, { env, stdio: ['ignore', 'pipe', 'ignore', fd] })
  const ended = endOf(find)
  const cuts = new Set<string>()
  let rest = ''
  for await (const chunk of find.stdout!) {
    const names = (rest + (chunk as Buffer).toString('latin1')).split('\0')
    rest = names.pop() ?? ''
    for (const name of names) cuts.add(name.slice(0, name.indexOf('/', cutAt)))
  }
  const code = await ended
  if (code !== 0) throw new Error(`find ended with code ${code}`)
  return cuts
}

async function openPair(from: string | Buffer, to: string | Buffer): Promise<Pair> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const opened = await open(from, flags)
  try {
    return { from: opened, to: await open(to, flags) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

const within = ({ fd }: FileHandle, below: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), below])

async function closing({ from, to }: Pair, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } finally {
    await from.close()
    await to.close()
  }
}

async function run([program = '', ...args]: string[], { from, to }: Pair): Promise<void> {
  const stdio = ['ignore', 'ignore', 'ignore', from.fd, to.fd] as const
  const child = startProgram('nice', [program, ...args], { env, stdio: [...stdio] })
  const code = await endOf(child)
  if (code !== 0) throw new Error(`${program} ended with code ${code}`)
}
