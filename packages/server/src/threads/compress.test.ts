import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { DiskPacks } from '../ports/packs/disk.ts'
import { PackReader } from '../ports/packs/pack-reader.ts'
import { PackWriter } from '../ports/packs/pack-writer.ts'
import { createCompressor } from './compress.ts'

let dir: string
let packs: DiskPacks

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'compress-'))
  packs = new DiskPacks(dir)
  const writer = PackWriter.create(await packs.create('dep_a'))
  await writer.addFile('index.html', Buffer.from('hi'.repeat(500)))
  await writer.finish()
  onTestFinished(() => rm(dir, { recursive: true }))
})

function start() {
  const compressor = createCompressor({ kind: 'disk', dir })
  onTestFinished(() => compressor.close())
  return compressor
}

test('variants are made in a process, and can be aborted', async () => {
  const { makeVariants } = start()
  await makeVariants('dep_a')
  const reader = (await PackReader.open(packs, 'dep_a.z'))!
  expect([...reader.files()].map(file => file.path)).toEqual(['br/index.html', 'gz/index.html'])
  await reader.close()
  await expect(makeVariants('dep_a', { signal: AbortSignal.abort() })).rejects.toThrow('abort')
})

test('what a killed process has left is removed, and what svcd is writing is not', async () => {
  const killed = spawn('sleep', ['60'])
  await once(killed, 'spawn')
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await writeFile(join(dir, `dep_a.z.${killed.pid}-a1.tmp`), 'half')
  await writeFile(join(dir, `dep_b.${process.pid}-b2.tmp`), 'half')
  await start().makeVariants('dep_a')
  expect((await readdir(dir)).sort()).toEqual(
    ['dep_a.pack', 'dep_a.z.pack', `dep_b.${process.pid}-b2.tmp`].sort(),
  )
})
