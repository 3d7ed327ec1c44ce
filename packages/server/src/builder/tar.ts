// Archives of the files of a build, made by tar as they are read.
import { spawn } from 'node:child_process'
import { Readable, type Transform } from 'node:stream'

/**
 * Writes an archive of these files to `archive`. `args` name their folder. The stream fails if tar fails, so that nobody takes a
 * part of the files for all of them, and tar ends with the stream.
 */
export function writeTar<Archive extends Transform>(
  args: readonly string[],
  files: readonly string[],
  archive: Archive,
): Archive {
  const common = ['--create', '--format=pax', '--no-recursion']
  const names = ['--null', '--verbatim-files-from', '--files-from=-']
  const tar = spawn('nice', ['-n', '10', 'tar', ...common, ...args, ...names], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
  })
  tar.stdin.on('error', () => undefined) // tar has ended early, and its code says so.
  Readable.from(files.map(file => `${file}\0`)).pipe(tar.stdin)
  tar.stdout.pipe(archive, { end: false })
  tar.once('error', error => archive.destroy(error))
  tar.once('close', code => {
    if (code === 0) archive.end()
    else archive.destroy(new Error(`tar ended with code ${code}`))
  })
  archive.once('close', () => tar.kill('SIGKILL'))
  // tar may fail before the archive has a reader. A later reader finds the error in `errored`. Without a listener, the error
  // would end the process.
  archive.on('error', () => undefined)
  return archive
}
