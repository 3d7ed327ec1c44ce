// Makes archives for tests with the real tar program.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

/** A gzipped tarball of the given files. */
export async function archiveOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-archive-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(dir, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, content)
    }
    const options = { encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 } as const
    const { stdout } = await promisify(execFile)('tar', ['-czf', '-', '-C', dir, '.'], options)
    return stdout
  } finally {
    await rm(dir, { recursive: true })
  }
}
