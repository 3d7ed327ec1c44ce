import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { packFolder } from './pack.ts'

function folder(size: number): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-pack-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(path.join(dir, 'index.html'), Buffer.alloc(size, 'x'))
  return dir
}

const pack = async (dir: string) => (await packFolder(dir, `${dir}.links`, { nodeModules: false })).archive

/** Whether tar packs the folder now. */
const isPacked = (dir: string) =>
  readdirSync('/proc').some(pid => /^\d+$/.test(pid) && commandOf(pid).includes(`\0--directory\0${dir}\0`))

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // The process has ended meanwhile.
  }
}

test('an archive of files that are gone fails, and does not end the process if nobody reads it yet', async () => {
  const dir = folder(10)
  const archive = await pack(dir)
  rmSync(dir, { recursive: true })
  // Not with `once` of node:events, which would listen for errors.
  await new Promise(closed => archive.on('close', closed))
  await expect(archive.toArray()).rejects.toThrow(/^tar ended with code [12]$/)
})

test('an archive that is not read to its end leaves no process behind', async () => {
  const dir = folder(0)
  // Compressed, it does not fit into the buffers on its way, so tar waits.
  for (let i = 0; i < 100; i++) writeFileSync(path.join(dir, `${i}.bin`), randomBytes(256 * 1024))
  const archive = await pack(dir)
  await eventually(() => isPacked(dir))
  archive.destroy()
  await eventually(() => !isPacked(dir))
})
