// Packs the output of a build like an upload: a gzipped tar stream with a list of its symbolic links.
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { BuildFailed } from './job.ts'
import { listLinks } from './links.ts'

/** Messages for errors that the permissions and names of a build's own files cause. */
const unreadable: Record<string, string> = {
  ENAMETOOLONG: 'its folders are nested too deeply',
  EACCES: 'it has a folder that nobody may read',
  ELOOP: 'it has links that lead in a circle',
}

interface Packed {
  archive: Readable
  warnings: string[]
}

/** Packs the folder. The stream fails if tar fails, so that an incomplete build is never published. */
export async function packFolder(
  dir: string,
  staging: string,
  { withNodeModules }: { withNodeModules: boolean },
): Promise<Packed> {
  // Only the platform writes below `_svc`.
  const excluded = new Set(['.git', '_svc', ...(withNodeModules ? [] : ['node_modules'])])
  const links = await listLinks(dir, excluded, staging).catch((cause: NodeJS.ErrnoException) => {
    const problem = unreadable[cause.code ?? '']
    throw problem ? new BuildFailed(`The output cannot be published: ${problem}.`, { cause }) : cause
  })
  const args = [
    ...['--create', '--format=pax', '--sort=name', '--hard-dereference'],
    ...(links.dir === undefined ? [] : ['--directory', links.dir, '_svc']),
    ...[...excluded].map(name => `--exclude=${name}`),
    ...['--directory', dir, '--', '.'],
  ]
  const tar = spawn('nice', ['-n', '10', 'tar', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
  })
  // Fast rather than small, because the same process unpacks it again.
  const gzip = createGzip({ level: 1 })
  tar.stdout.pipe(gzip, { end: false })
  tar.once('error', error => gzip.destroy(error))
  tar.once('close', code => {
    if (code === 0) gzip.end()
    else gzip.destroy(new Error(`tar ended with code ${code}`))
  })
  gzip.once('close', () => tar.kill('SIGKILL'))
  return { archive: gzip, warnings: links.warnings }
}
