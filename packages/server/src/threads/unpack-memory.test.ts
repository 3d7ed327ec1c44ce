import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { endBlocks, header } from '../testing/make-tar.ts'

const KB = 1024
const MB = 1024 * KB
let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'unpack-memory-'))
  onTestFinished(() => rm(dir, { recursive: true }))
})

/** A third of the content is noise, so that 250 MB compress to about 80 MB. */
async function archive(files: number, fileBytes: number): Promise<string> {
  function* site(): Generator<Buffer> {
    const content = Buffer.concat([randomBytes(fileBytes / 3), Buffer.alloc(fileBytes)]).subarray(
      0,
      fileBytes,
    )
    for (let i = 0; i < files; i++) yield Buffer.concat([header({ path: `f${i}`, size: fileBytes }), content])
    yield endBlocks
  }
  const path = join(dir, `${files}.tgz`)
  await pipeline(Readable.from(site()), createGzip({ level: 1 }), createWriteStream(path))
  return path
}

/** Starts a process that unpacks uploads. Returns a function that uploads, and resolves to the peak memory in megabytes. */
async function startUnpacking(): Promise<(archive: string) => Promise<number>> {
  const program = fileURLToPath(new URL('./unpack-memory-fixture.js', import.meta.url))
  const child = spawn(process.execPath, [program, join(dir, 'packs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'exit')
  })
  const [port] = await once(child.stdout, 'data')
  return async archive => {
    const upload = request({ host: '127.0.0.1', port: Number(port), method: 'POST' })
    const answered = once(upload, 'response')
    await pipeline(createReadStream(archive), upload)
    const [response] = await answered
    return ((await json(response)) as { peakMegabytes: number }).peakMegabytes
  }
}

test('the largest upload takes less than 32 MB of memory', async () => {
  const [small, large] = [await archive(2, MB), await archive(10, 25 * MB)]
  const upload = await startUnpacking()
  // The first uploads start the thread and compile its code.
  let warm = 0
  for (let i = 0; i < 3; i++) warm = await upload(small)
  expect((await upload(large)) - warm).toBeLessThan(32)
})

test('eight uploads of ten thousand files at once take less than 150 MB in all', async () => {
  const [small, many] = [await archive(2, MB), await archive(10_000, KB)]
  const upload = await startUnpacking()
  const warm = await upload(small)
  const peaks = await Promise.all(Array.from({ length: 8 }, () => upload(many)))
  expect(Math.max(...peaks) - warm).toBeLessThan(150)
})
