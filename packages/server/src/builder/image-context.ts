// The files that a Dockerfile may copy: the commit's own, without those that .dockerignore leaves out.
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { below, dockerIgnores } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { BuildFailed } from './job.ts'

const entriesAtMost = 50_000
const rulesBytes = 256 * 1024
/** Rules that take longer were made to. */
const ignoringMs = 10_000
const ignoreFile = '.dockerignore'

/** A tar stream. It fails if tar fails, so that no image is built of a part of the files. */
export async function packContext(root: string, dockerfile: string): Promise<Readable> {
  const entries = await contextFiles(root, dockerfile)
  const tar = spawn(
    'nice',
    [
      ...['-n', '10', 'tar', '--create', '--format=pax', '--no-recursion', '--directory', root],
      // The app runs as another user, who must be able to read the files.
      ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go=rX'],
      ...['--null', '--verbatim-files-from', '--files-from=-'],
    ],
    { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' } },
  )
  tar.stdin.on('error', () => undefined) // tar has ended early, and its code says so.
  Readable.from(entries.map(entry => `${entry}\0`)).pipe(tar.stdin)
  const archive = new PassThrough()
  tar.stdout.pipe(archive, { end: false })
  tar.once('error', error => archive.destroy(error))
  tar.once('close', code => {
    if (code === 0) archive.end()
    else archive.destroy(new Error(`tar ended with code ${code}`))
  })
  archive.once('close', () => tar.kill('SIGKILL'))
  // The stream may fail before it has a reader.
  archive.on('error', () => undefined)
  return archive
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
