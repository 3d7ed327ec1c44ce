import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestbed, type Testbed } from './testbed.ts'

let bed: Testbed
const page = `<!doctype html><title>Shop</title>${'<p>Hello</p>'.repeat(50)}`

beforeAll(async () => {
  bed = await startTestbed()
})
afterAll(() => bed.stop())

describe('compressed variants', () => {
  test('are served as soon as they are found, each with its own tag', async () => {
    const { id } = await bed.deploy('press', { 'index.html': page, 'logo.png': 'png' })
    const headers = { 'accept-encoding': 'gzip, br' }
    const before = await bed.ask('press', '/', { headers })
    expect(before.headers).not.toHaveProperty('content-encoding')

    await bed.addVariants(id, { 'index.html': { br: 'as brotli', gzip: 'as gzip' } })
    expect((await bed.ask('press', '/', { headers })).text).toBe(page)
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

  test('that are there already are served from the first request on', async () => {
    const { id } = await bed.deploy('pressed', { 'index.html': page })
    await bed.addVariants(id, { 'index.html': { gzip: 'as gzip' } })
    const { text } = await bed.ask('pressed', '/', { headers: { 'accept-encoding': 'br, gzip' } })
    expect(text).toBe('as gzip')
  })
})
