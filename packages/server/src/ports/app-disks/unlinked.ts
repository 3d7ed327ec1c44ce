// Files without a name, which processes in a sandbox or a container still have open or mapped. They take space of a disk, and `du`
// does not see them. Nothing is found on systems without /proc, and in processes that svcd may not look at.
import { readdir, readFile, readlink, stat } from 'node:fs/promises'

const ending = ' (deleted)'

/** What such files take of a disk, whose directory has a path that ends like this. */
export async function unlinkedBytes(end: string): Promise<number> {
  const own = await readlink('/proc/self/ns/mnt').catch(() => undefined)
  const pids = own === undefined ? [] : (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const points = new Map<string, string | undefined>()
  const blocks = new Map<number, number>()
  for (const pid of pids) {
    const view = await readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined)
    if (view === undefined || view === own) continue
    if (!points.has(view)) points.set(view, await mountPointOf(pid, end))
    const point = points.get(view)
    if (point === undefined) continue
    for (const file of [...(await openFiles(pid, point)), ...(await mappedFiles(pid, point))]) {
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile() && found.nlink === 0) blocks.set(found.ino, found.blocks)
    }
  }
  return [...blocks.values()].reduce((sum, each) => sum + each * 512, 0)
}

/** Where the process sees the disk. */
async function mountPointOf(pid: string, end: string): Promise<string | undefined> {
  for (const line of await linesOf(`/proc/${pid}/mountinfo`)) {
    const [, , , root, point] = line.split(' ')
    if (root?.endsWith(end)) return point
  }
  return undefined
}

async function openFiles(pid: string, point: string): Promise<string[]> {
  const dir = `/proc/${pid}/fd`
  const found: string[] = []
  for (const fd of await readdir(dir).catch(() => [])) {
    const target = await readlink(`${dir}/${fd}`).catch(() => '')
    if (isUnlinked(target, point)) found.push(`${dir}/${fd}`)
  }
  return found
}

async function mappedFiles(pid: string, point: string): Promise<string[]> {
  const lines = await linesOf(`/proc/${pid}/maps`)
  // `7f00-7f01 rw-s 00000000 fe:00 123    /data/file (deleted)`
  const mapped = lines.filter(line => isUnlinked(line.slice(line.indexOf('/')), point))
  // There the numbers have no leading zeros.
  const rangeOf = (line: string) => (line.split(' ')[0] ?? '').replace(/(^|-)0+/g, '$1')
  return mapped.map(line => `/proc/${pid}/map_files/${rangeOf(line)}`)
}

const isUnlinked = (file: string, point: string): boolean =>
  file.startsWith(`${point}/`) && file.endsWith(ending)

const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n')
