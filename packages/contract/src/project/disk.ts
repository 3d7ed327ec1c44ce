// A project on a disk: reads its files, and completes the server that its build made. The files are untrusted, so symbolic
// links are not followed.
import { constants } from 'node:fs'
import { cp, lstat, open, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { below, type ProjectFiles } from './files.ts'
import type { Output } from './output.ts'
import type { BuildPlan } from './plan.ts'
import { serverFrameworks } from './servers.ts'

const readAtMost = 1024 * 1024

export function diskFiles(dir: string): ProjectFiles {
  const kindOf = async (relative: string): Promise<'file' | 'folder' | undefined> => {
    try {
      const stat = await lstat(await inside(dir, relative))
      return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : undefined
    } catch {
      return undefined // It does not exist, or is outside of the directory.
    }
  }
  return {
    hasFile: async relative => (await kindOf(relative)) === 'file',
    hasFolder: async relative => (await kindOf(relative)) === 'folder',
    async folders(relative) {
      if ((await kindOf(relative)) !== 'folder') return []
      const entries = await readdir(await inside(dir, relative), { withFileTypes: true })
      return entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
    },
    async read(relative, atMost = readAtMost) {
      if ((await kindOf(relative)) !== 'file') return undefined
      const handle = await open(await inside(dir, relative), constants.O_RDONLY | constants.O_NOFOLLOW)
      try {
        const { size } = await handle.stat()
        return size > atMost ? undefined : await handle.readFile('utf8')
      } finally {
        await handle.close()
      }
    },
  }
}

/** The path of a file inside the directory. Throws if a symbolic link on the way leads out of it. */
export async function inside(dir: string, relative: string): Promise<string> {
  const file = path.resolve(dir, relative)
  const [root, folder] = await Promise.all([realpath(dir), realpath(path.dirname(file))])
  if (
    file !== path.resolve(dir) &&
    folder !== root &&
    !folder.startsWith(root.endsWith(path.sep) ? root : root + path.sep)
  )
    throw new Error(`${relative} leads out of the repository`)
  return file
}

/**
 * Copies the folders that the build of a framework leaves out to its server. If the server is not at the top of the output, a
 * Procfile says where it is. An app in another language gets a Procfile, unless its author wrote one.
 */
export async function completeServer(dir: string, plan: BuildPlan, output: Output): Promise<void> {
  if (startsLanguage(plan, output)) return await writeStart(dir, output.dir, plan.language.start)
  if (!output.server) return
  const { adds = [], framework } = output.server
  for (const folder of adds) {
    const from = await inside(dir, below(plan.dir, folder))
    const to = path.join(await inside(dir, below(output.dir, output.nested)), folder)
    if (await isFolder(from)) await cp(from, to, { recursive: true, verbatimSymlinks: true, force: false })
  }
  if (output.nested === '') return
  const [program, ...args] = serverFrameworks[framework].command ?? []
  await writeStart(
    dir,
    output.dir,
    [program, ...args.map(arg => quoted(`${output.nested}/${arg}`))].join(' '),
  )
}

const startsLanguage = (
  plan: BuildPlan,
  output: Output,
): plan is BuildPlan & { language: NonNullable<BuildPlan['language']> } =>
  plan.language !== undefined && !plan.hasStart && output.dir === plan.dir

/** Writes the Procfile of a folder. One that the build made is replaced, and not followed if it is a link. */
export async function writeStart(dir: string, folder: string, line: string): Promise<void> {
  const procfile = await inside(dir, below(folder, 'Procfile'))
  await rm(procfile, { force: true })
  await writeFile(procfile, `web: ${line}\n`, { flag: 'wx' })
}

const quoted = (word: string): string =>
  /^[\w./@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** False for a symbolic link. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    return false // It does not exist.
  }
}
