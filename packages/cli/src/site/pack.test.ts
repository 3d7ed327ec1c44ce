import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@svc/contract/limits'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory, writeFiles } from '../testing/svc.ts'
import { listSite } from './list.ts'
import { pack } from './pack.ts'

const ignoreProgress = () => undefined
const packed = async (dir: string) =>
  Buffer.concat((await pack(dir, listSite(dir).files, ignoreProgress)).chunks)

/** What the tar of this machine makes of an archive. */
function extract(archive: Buffer): string {
  const dir = temporaryDirectory()
  execFileSync('tar', ['-xzf', '-', '-C', dir], { input: archive })
  return dir
}

const segment = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }) },
    {
      weight: 2,
      arbitrary: fc.string({ minLength: 60, maxLength: 120, unit: fc.constantFrom('a', 'b', ' ', '.') }),
    },
  )
  .filter(
    name =>
      !/[/\0\\]|^\.{1,2}$|^\.git$|^node_modules$|^svc\.json$/.test(name) && Buffer.from(name).length < 250,
  )
  // Names that a file system may take for one another are no matter of packing.
  .map(name => name.normalize('NFC'))
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map(parts => parts.join('/'))
const site = fc
  .uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 1500 })), {
    minLength: 1,
    maxLength: 8,
    selector: ([p]) => p,
  })
  .filter(files => files.every(([a]) => files.every(([b]) => !b.startsWith(`${a}/`))))

describe('packing', () => {
  it('gives archives that tar reads back as they were, whatever the names', async () => {
    await fc.assert(
      fc.asyncProperty(site, async entries => {
        const files = Object.fromEntries(entries.map(([path, bytes]) => [path, Buffer.from(bytes)]))
        const dir = extract(await packed(temporaryDirectory(files)))
        expect(listSite(dir).files.map(file => file.path)).toEqual(Object.keys(files).sort())
        for (const [path, bytes] of Object.entries(files))
          expect(readFileSync(join(dir, path))).toEqual(bytes)
      }),
      { numRuns: 40 },
    )
  })

  it('fits names of every length, with and without a slash to cut at', async () => {
    const names = [99, 100, 101, 155, 156, 200, 250].flatMap(length => [
      'n'.repeat(length),
      `${'d'.repeat(length)}/file`,
      `dir/${'n'.repeat(length)}`,
      `${'d/'.repeat(length)}end`,
      `${'é'.repeat(length / 2)}.html`,
    ])
    const dir = temporaryDirectory(Object.fromEntries(names.map(name => [name, name])))
    const copy = extract(await packed(dir))
    for (const name of names) expect(readFileSync(join(copy, name), 'utf8')).toBe(name)
  })

  it('packs what is compressed already beside what is not', async () => {
    const files = Object.fromEntries(
      ['a.png', 'b.html', 'c/d.MP4', 'c/e.js', 'f.woff2'].map((name, n) => [name, randomBytes(40_000 + n)]),
    )
    const copy = extract(await packed(temporaryDirectory(files)))
    for (const [name, bytes] of Object.entries(files)) expect(readFileSync(join(copy, name))).toEqual(bytes)
  })

  it('gives the same bytes for the same site, whenever it was written', async () => {
    const files = { 'index.html': 'hello', 'a/b.js': 'x'.repeat(700_000) }
    const [one, two] = [temporaryDirectory(files), temporaryDirectory(files)]
    utimesSync(join(two, 'index.html'), 1, 1)
    expect((await packed(one)).equals(await packed(two))).toBe(true)
  })

  it('keeps what is executable', async () => {
    const dir = temporaryDirectory({ 'run.sh': '', 'read.txt': '' })
    chmodSync(join(dir, 'run.sh'), 0o700)
    const listing = execFileSync('tar', ['-tvzf', '-'], { input: await packed(dir), encoding: 'utf8' })
    expect(listing).toMatch(/^-rw-r--r-- .* read\.txt\n-rwxr-xr-x .* run\.sh\n$/)
  })

  it('tells how far it is', async () => {
    const dir = temporaryDirectory({ a: 'x'.repeat(600_000), b: 'y' })
    const seen: number[] = []
    await pack(dir, listSite(dir).files, bytes => seen.push(bytes))
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.at(-1)).toBe(600_001)
  })

  it.each<[string, (path: string) => void]>([
    ['has vanished', () => undefined],
    ['has another size', path => writeFileSync(path, 'longer than before')],
    ['became a link', path => symlinkSync('/etc/hostname', path)],
    ['became a directory', path => mkdirSync(path)],
  ])('fails when a file %s', async (_, replace) => {
    const dir = temporaryDirectory({ 'a.txt': 'a', 'b.txt': 'b' })
    const { files } = listSite(dir)
    rmSync(join(dir, 'b.txt'))
    replace(join(dir, 'b.txt'))
    await expect(pack(dir, files, ignoreProgress)).rejects.toThrow(
      'File changed while it was being packed: b.txt.',
    )
  })

  it('refuses an archive of more than 100 MB', async () => {
    const dir = temporaryDirectory()
    const noise = randomBytes(limits.fileBytes)
    writeFiles(dir, Object.fromEntries([1, 2, 3, 4].map(n => [`${n}.mp4`, noise])))
    await expect(pack(dir, listSite(dir).files, ignoreProgress)).rejects.toThrow(
      'Archive exceeds the 100 MB limit.',
    )
  })
})
