import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { endBlocks, header } from '../lib/make-tar.ts'

const MB = 1024 * 1024

/** A third of it noise, so that 250 MB come as some 80 MB. */
function* site(files: number, fileMegabytes: number): Generator<Buffer> {
  const block = Buffer.concat([randomBytes(MB / 3), Buffer.alloc(MB)]).subarray(0, MB)
  for (let i = 0; i < files; i++) {
    yield header({ path: `f${i}`, size: fileMegabytes * MB })
    for (let left = fileMegabytes; left > 0; left--) yield block
  }
  yield endBlocks
}

test('the largest site takes hardly more memory than a small one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'unpack-memory-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const [small, large] = [join(dir, 'small.tgz'), join(dir, 'large.tgz')]
  await pipeline(Readable.from(site(2, 1)), createGzip({ level: 1 }), createWriteStream(small))
  await pipeline(Readable.from(site(10, 25)), createGzip({ level: 1 }), createWriteStream(large))
  const program = fileURLToPath(new URL('./unpack-memory-fixture.js', import.meta.url))
  const run = await promisify(execFile)(process.execPath, [program, join(dir, 'packs'), small, large])
  const [first, second] = JSON.parse(run.stdout) as [number, number]
  // Buffers that wait for the garbage collector count, too; holding the site would take 250 MB.
  expect(second - first).toBeLessThan(100)
})
