// Reads the checked-out files of a build. They are untrusted, so symbolic links are not followed.
import { constants } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { SourceFiles } from '../core/builds/source-files.ts'

const readAtMost = 1024 * 1024

export function sourceFiles(dir: string): SourceFiles {
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
  if (file !== path.resolve(dir) && folder !== root && !folder.startsWith(`${root}${path.sep}`))
    throw new Error(`${relative} leads out of the repository`)
  return file
}
