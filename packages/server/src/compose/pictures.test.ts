// What a browser that misbehaves can do. A script stands in for Chromium; e2e/pictures.test.ts uses the real one.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import { picturesBy } from './platform.ts'

const dirs: string[] = []
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true })
})

/** Makes a picture with a shell script as the browser. */
async function pictureBy(script: string): Promise<unknown> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-browser-'))
  dirs.push(dir)
  const program = path.join(dir, 'browser')
  await writeFile(program, `#!/bin/sh\n${script}\n`)
  // As root, the browser runs as another user.
  for (const file of [dir, program]) await chmod(file, 0o755)
  const settings = readSettings({ SVCD_CHROMIUM: program, SVCD_DATA_DIR: path.join(dir, 'data') })
  const take = picturesBy(settings, () => 'http://shop.localhost:1')
  return await take?.({ projectId: 'prj_x', project: 'shop' }, new AbortController().signal)
}

test('a browser that fills the disk is ended', async () => {
  // It writes to its working directory, as Chromium does with what a page stores.
  const browser = pictureBy('fallocate -l 300M stored || head -c 300M /dev/zero > stored; exec sleep 60')
  await expect(browser).rejects.toThrow('the page stored more than 256 MB')
}, 120_000)
