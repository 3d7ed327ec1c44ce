// The files that a Dockerfile may copy: the commit's own, without those that .dockerignore leaves out.
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { below, dockerIgnores } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { BuildFailed } from './job.ts'
import { writeTar } from './tar.ts'

const entriesAtMost = 50_000
const rulesBytes = 256 * 1024
/** Rules that take longer were made to. */
const ignoringMs = 10_000
const ignoreFile = '.dockerignore'

/** A tar stream. */
export async function packContext(root: string, dockerfile: string): Promise<Readable> {
  const args = [
    ...['--directory', root],
    // The app runs as another user, who must be able to read the files.
    ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go=rX'],
  ]
  return writeTar(args, await contextFiles(root, dockerfile), new PassThrough())
}

async function contextFiles(root: string, dockerfile: string): Promise<string[]> {
  const files = diskFiles(root)
  // As Docker does, a file of its own for one Dockerfile counts more.
  const own = `${dockerfile}${ignoreFile}`
  const place = (await files.hasFile(own)) ? own : ignoreFile
  const text = (await files.hasFile(place)) ? await files.read(place, rulesBytes) : ''
  if (text === undefined)
    throw new BuildFailed(`${place} is larger than 256 KB. Use fewer rules, then push again.`)
  const ignores = dockerIgnores(text)
  const until = performance.now() + ignoringMs
  const found: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const at = below(folder, entry.name)
      if (performance.now() > until)
        throw new BuildFailed(`The rules of ${place} take too long. Use simpler rules, then push again.`)
      // The engine needs the Dockerfile in any case.
      const isIgnored = at !== dockerfile && ignores(at)
      if (entry.isDirectory()) {
        const holdsDockerfile = dockerfile.startsWith(`${at}/`)
        if (!isIgnored) found.push(at)
        if (!isIgnored || ignores.keepsSome || holdsDockerfile) await walk(at)
      } else if (!isIgnored && (entry.isFile() || entry.isSymbolicLink())) found.push(at)
      if (found.length > entriesAtMost)
        throw new BuildFailed(
          `The repository has more than ${entriesAtMost} files for its Dockerfile. Leave files out with ${ignoreFile}, then push again.`,
        )
    }
  }
  await walk('')
  return found.sort()
}
