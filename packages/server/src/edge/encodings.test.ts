import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestbed, type Testbed } from './testbed.ts'

let bed: Testbed
const page = `<!doctype html><title>Shop</title>${'<p>Hello</p>'.repeat(50)}`

const decode: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: body => body,
}

beforeAll(async () => {
  bed = await startTestbed()
})
afterAll(() => bed.stop())

describe('compressed variants', () => {
  test('are served as soon as they are found, each with its own tag', async () => {
    const { id } = await bed.deploy('press', { 'index.html': page, 'logo.png': 'png' })
    const headers = { 'accept-encoding': 'gzip, br' }
    expect((await bed.ask('press', '/')).text).toBe(page)

    await bed.addVariants(id, { 'index.html': { br: 'as brotli', gzip: 'as gzip' } })
    expect((await bed.ask('press', '/')).text).toBe(page)
    bed.time.now += 200
    // The next request starts a check for variants and is answered from memory. Requests after the check get a variant.
    await expect.poll(async () => (await bed.ask('press', '/', { headers })).text).toBe('as brotli')

    const brotli = await bed.ask('press', '/', { headers })
    const gzip = await bed.ask('press', '/', { headers: { 'accept-encoding': 'gzip' } })
    const plain = await bed.ask('press', '/')
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotli.headers['content-length']).toBe('9')
    expect(brotli.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(gzip).toMatchObject({ text: 'as gzip', headers: { 'content-encoding': 'gzip' } })
    expect(plain.text).toBe(page)
    expect(new Set([brotli, gzip, plain].map(answer => answer.headers.etag)).size).toBe(3)
    for (const answer of [brotli, gzip, plain]) expect(answer.headers.vary).toBe('Accept-Encoding')
    const again = await bed.ask('press', '/', {
      headers: { ...headers, 'if-none-match': brotli.headers.etag! },
    })
    expect(again.status).toBe(304)
    expect((await bed.ask('press', '/logo.png', { headers })).text).toBe('png')
  })

  test('of files up to 1 MB are made for the request if they do not exist yet', async () => {
    const large = 'x'.repeat(1024 * 1024)
    const files = { 'index.html': page, 'tiny.txt': 'hi', 'fits.txt': large, 'large.txt': `${large}x` }
    await bed.deploy('early', { ...files, 'noise.txt': randomBytes(2000), 'logo.png': page })
    const ask = (path: string, encoding: string, more = {}) =>
      bed.ask('early', path, { headers: { 'accept-encoding': encoding, ...more } })
    const brotli = await ask('/', 'gzip, br')
    const gzip = await ask('/', 'gzip')
    const plain = await ask('/', 'br;q=0')
    expect([brotli, gzip, plain].map(answer => answer.headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ])
    expect(brotliDecompressSync(brotli.body).toString()).toBe(page)
    expect(gunzipSync(gzip.body).toString()).toBe(page)
    expect(plain.text).toBe(page)
    expect(new Set([brotli, gzip, plain].map(answer => answer.headers.etag)).size).toBe(3)
    for (const answer of [brotli, gzip, plain]) {
      expect(answer.headers.vary).toBe('Accept-Encoding')
      expect(answer.headers['content-length']).toBe(String(answer.body.length))
    }
    const again = await ask('/', 'gzip, br')
    expect([again.headers['x-svc-cache'], again.body]).toEqual(['HIT', brotli.body])
    expect((await ask('/', 'gzip, br', { 'if-none-match': brotli.headers.etag })).status).toBe(304)
    expect((await ask('/fits.txt', 'gzip')).headers['content-encoding']).toBe('gzip')
    for (const path of ['/tiny.txt', '/large.txt', '/noise.txt', '/logo.png'])
      expect((await ask(path, 'gzip, br')).headers, path).not.toHaveProperty('content-encoding')
  })

  test('that are made for requests at the same time hold the right bytes for each', async () => {
    const paths = Array.from({ length: 8 }, (_, i) => `page-${i}.html`)
    await bed.deploy('burst', Object.fromEntries(paths.map(path => [path, `${path} ${page}`])))
    const asked = paths.flatMap(path => ['br', 'gzip', 'identity', 'br'].map(coding => ({ path, coding })))
    await Promise.all(
      asked.map(async ({ path, coding }) => {
        const { headers, body } = await bed.ask('burst', `/${path}`, {
          headers: { 'accept-encoding': coding },
        })
        expect(decode[headers['content-encoding'] ?? 'identity']!(body).toString()).toBe(`${path} ${page}`)
      }),
    )
  })

  test('take the place of uncompressed files in memory when a change tells of them', async () => {
    const text = page.repeat(Math.ceil(1_500_000 / page.length))
    const { id } = await bed.deploy('late', { 'large.txt': text })
    const headers = { 'accept-encoding': 'br' }
    // Too large to be compressed for a request. The second answer is kept in memory.
    for (let at = 0; at < 3; at++)
      expect((await bed.ask('late', '/large.txt', { headers })).headers['content-encoding']).toBeUndefined()
    await bed.addVariants(id, { 'large.txt': { br: 'as brotli' } })
    bed.changes.tell({ topic: 'project', key: 'late' })
    // The next request starts a check for variants and may be answered from memory.
    const encoding = async () =>
      (await bed.ask('late', '/large.txt', { headers })).headers['content-encoding']
    await expect.poll(encoding).toBe('br')
  })

  test('are made at once for clients that refuse the uncompressed file', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `${at}.txt`)
    const large = page.repeat(Math.ceil(2_500_000 / page.length))
    await bed.deploy('strict', {
      ...Object.fromEntries(names.map(name => [name, `${name} ${large}`])),
      'photo.jpg': page,
    })
    const headers = { 'accept-encoding': 'identity;q=0, gzip' }
    const answers = await Promise.all(names.map(name => bed.ask('strict', `/${name}`, { headers })))
    for (const [at, { status, headers, body }] of answers.entries()) {
      expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
      expect(gunzipSync(body).toString().startsWith(`${at}.txt `)).toBe(true)
    }
    expect((await bed.ask('strict', '/photo.jpg', { headers })).status).toBe(406)
    const zstdOnly = { 'accept-encoding': 'identity;q=0, zstd' }
    expect((await bed.ask('strict', '/0.txt', { headers: zstdOnly })).status).toBe(406)
  })

  test('that are there already are served from the first request on', async () => {
    const { id } = await bed.deploy('pressed', { 'index.html': page })
    await bed.addVariants(id, { 'index.html': { gzip: 'as gzip' } })
    const { text } = await bed.ask('pressed', '/', { headers: { 'accept-encoding': 'br, gzip' } })
    expect(text).toBe('as gzip')
  })
})
