// Archives of the files of a build, made by tar as they are read.
import { Readable, type Transform } from 'node:stream'
import { passOutput, startProgram } from '../lib/start-program.ts'

/** Writes an archive of these files to `archive`. `args` name their folder. */
export function writeTar<Archive extends Transform>(
  args: readonly string[],
  files: readonly string[],
  archive: Archive,
): Archive {
  const common = ['--create', '--format=pax', '--no-recursion']
  const names = ['--null', '--verbatim-files-from', '--files-from=-']
  const tar = startProgram('nice', ['-n', '10', 'tar', ...common, ...args, ...names], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
  })
  Readable.from(files.map(file => `${file}\0`)).pipe(tar.stdin)
  return passOutput({ name: 'tar', child: tar }, archive)
}
