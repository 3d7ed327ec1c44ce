// Packs what a build made, as an upload: a gzipped tar stream. Links are not followed.
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

const excluded = ['.git', '.svc-cache']

/** The stream breaks off where tar fails, so that half a build is never published. */
export function packFolder(dir: string, { withNodeModules }: { withNodeModules: boolean }): Readable {
  const without = [...excluded, ...(withNodeModules ? [] : ['node_modules'])]
  const args = ['--create', '--format=pax', '--sort=name', ...without.map(name => `--exclude=${name}`)]
  const tar = spawn('tar', [...args, '--directory', dir, '--', '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
  })
  // Quick rather than small: it is unpacked again in this very program.
  const gzip = createGzip({ level: 1 })
  tar.stdout.pipe(gzip, { end: false })
  tar.once('error', error => gzip.destroy(error))
  tar.once('close', code => {
    if (code === 0) gzip.end()
    else gzip.destroy(new Error(`tar ended with code ${code}`))
  })
  gzip.once('close', () => tar.kill('SIGKILL'))
  return gzip
}
