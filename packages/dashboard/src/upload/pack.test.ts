import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@svc/contract/limits'
import { describe, expect, it } from 'vitest'
import { pack } from './pack.ts'
import { type SiteFile, siteFile } from './selection.ts'

const site = (contents: Record<string, string | Uint8Array>): SiteFile[] =>
  Object.entries(contents).map(([path, content]) => siteFile(path, new File([content as BlobPart], path)))

const never = () => new AbortController().signal
const quietly = { onProgress: () => undefined }

/** What the system's own tar makes of an archive. */
function extract(archive: Uint8Array): Record<string, Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-pack-'))
  try {
    writeFileSync(join(dir, 'site.tar.gz'), archive)
    execFileSync('tar', ['-xzf', 'site.tar.gz'], { cwd: dir })
    const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(
      name => name !== 'site.tar.gz' && statSync(join(dir, name)).isFile(),
    )
    return Object.fromEntries(names.map(name => [name, readFileSync(join(dir, name))]))
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const packed = async (files: SiteFile[]) =>
  new Uint8Array(await (await pack(files, { signal: never(), ...quietly })).arrayBuffer())

describe('packing in the browser', () => {
  it('makes an archive that tar reads, with contents of every alignment', async () => {
    const contents: Record<string, Uint8Array> = {}
    for (const size of [0, 1, 511, 512, 513, 70_000])
      contents[`files/${size}.bin`] = new Uint8Array(size).map((_, i) => i * 7)
    const found = extract(await packed(site(contents)))
    expect(Object.keys(found).sort()).toEqual(Object.keys(contents).sort())
    for (const [name, bytes] of Object.entries(contents)) expect(found[name]).toEqual(Buffer.from(bytes))
  })

  it.each([
    ['of 100 characters', `${'a'.repeat(95)}.html`],
    ['of 101 characters', `${'a'.repeat(96)}.html`],
    ['split over both fields', `${'d'.repeat(120)}/${'f'.repeat(90)}.css`],
    ['too long for both fields', `${'d'.repeat(170)}/${'f'.repeat(120)}.css`],
    ['with letters beyond ASCII', 'über/日本語 – façade.html'],
    ['with a record length that grows by its own digits', `${'é'.repeat(44)}.txt`],
  ])('keeps a name %s', async (_, path) => {
    expect(extract(await packed(site({ [path]: 'x' })))).toEqual({ [path]: Buffer.from('x') })
  })

  it('tells how far it has come, up to the end', async () => {
    const steps: [number, number][] = []
    const files = site({ 'a.txt': 'a'.repeat(300_000), 'b.txt': 'b' })
    await pack(files, { signal: never(), onProgress: (done, total) => steps.push([done, total]) })
    expect(steps.at(-1)).toEqual([steps[0]?.[1], steps[0]?.[1]])
    expect(steps.every(([done], i) => done > (steps[i - 1]?.[0] ?? 0))).toBe(true)
  })

  it('names a file that changed since it was chosen', async () => {
    const file = Object.assign(new File(['x'], 'a.txt'), {
      arrayBuffer: () => Promise.reject(new Error('gone')),
    })
    const files = [...site({ 'a.txt': 'a' }), siteFile('sub/b.txt', file)]
    await expect(pack(files, { signal: never(), ...quietly })).rejects.toThrow(/^sub\/b\.txt cannot be read/)
  })

  it('refuses an archive over its limit', async () => {
    const noise = randomBytes(limits.fileBytes)
    const files = Array.from({ length: 5 }, (_, i) => siteFile(`${i}`, new File([noise], `${i}`)))
    await expect(pack(files, { signal: never(), ...quietly })).rejects.toThrow(
      'Archive exceeds the 100 MB limit.',
    )
  })

  it('stops when it is cancelled', async () => {
    const controller = new AbortController()
    const packing = pack(site({ 'a.txt': 'a', 'b.txt': 'b' }), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    await expect(packing).rejects.toThrow(/abort/i)
  })
})
