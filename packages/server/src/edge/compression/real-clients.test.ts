// Compressed answers of a real app, as clients that others wrote see them: curl, node:http2 and nghttp.
import { execFile } from 'node:child_process'
import { connect } from 'node:http2'
import { promisify } from 'node:util'
import { createGunzip, gunzipSync } from 'node:zlib'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { procfileApp, TestApp } from '../../testing/apps.ts'
import { httpsDomain as domain, withAndWithoutLanes } from '../../testing/https-server.ts'

const text = '<p>Some words of a page, and more words of it.</p>\n'.repeat(4_000)

/** `/page`, `/events` (one for each request to `/next`), and `/broken`, which ends in the middle. */
const app = `
const text = '<p>Some words of a page, and more words of it.</p>\\n'.repeat(4_000)
const streams = new Set()
require('node:http').createServer((req, res) => {
  if (req.url === '/next') { for (const stream of streams) stream.write('data: next\\n\\n'); return res.end() }
  if (req.url === '/events') {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\\n\\n')
    streams.add(res)
    return res.on('close', () => streams.delete(res))
  }
  if (req.url === '/count') return res.end(String(streams.size))
  res.writeHead(200, { 'content-type': 'text/html', etag: '"page"' })
  res.write(text)
  if (req.url === '/broken') setImmediate(() => res.destroy())
  else res.end()
}).listen(process.env.PORT, process.env.HOSTNAME)
`

const run = promisify(execFile)
const atMost = { maxBuffer: 100_000_000, timeout: 60_000 }

withAndWithoutLanes(server => {
  let host: string
  beforeAll(async () => {
    const deployed = await TestApp.create(server())
    await deployed.deploy(procfileApp('app', app))
    host = `${deployed.name}.${domain}`
  })

  const port = () => server().running.tlsPort!
  const curl = (version: string, path: string, ...more: string[]) => {
    const to = ['--resolve', `${host}:${port()}:127.0.0.1`, `https://${host}:${port()}${path}`]
    return run('curl', ['-skS', version, '--compressed', ...more, ...to], atMost)
  }
  const open = () => {
    const client = connect(`https://127.0.0.1:${port()}`, { rejectUnauthorized: false, servername: host })
    onTestFinished(() => client.destroy())
    return client
  }
  const request = (path: string) => ({ ':path': path, ':authority': host, 'accept-encoding': 'gzip' })

  it.each(['--http1.1', '--http2'])('curl %s gets the whole page, several times', async version => {
    for (let i = 0; i < 4; i++) {
      expect((await curl(version, '/page')).stdout).toBe(text)
      const seen = (await curl(version, '/page', '-o', '/dev/null', '-w', '%{size_download} %header{etag}'))
        .stdout
      expect(Number(seen.split(' ')[0])).toBeLessThan(text.length / 10)
      expect(seen).toContain('W/"page"')
    }
  })

  it.each(['--http1.1', '--http2'])('curl %s sees that an answer is broken off', async version => {
    for (let i = 0; i < 3; i++)
      await expect(curl(version, '/broken')).rejects.toMatchObject({ stdout: expect.any(String) })
  })

  it('node:http2 gets pages at the same time on one connection', async () => {
    const client = open()
    const pages = Array.from({ length: 30 }, async (_, i) => {
      const chunks: Buffer[] = []
      const stream = client.request(request(`/page?${i}`))
      for await (const chunk of stream) chunks.push(chunk)
      expect(stream.rstCode).toBe(0)
      return gunzipSync(Buffer.concat(chunks)).toString()
    })
    for (const page of await Promise.all(pages)) expect(page).toBe(text)
  })

  it('node:http2 gets events as they come, and the app sees when the client leaves', async () => {
    const client = open()
    const stream = client.request(request('/events'))
    let received = ''
    const decoder = createGunzip().on('data', chunk => {
      received += chunk
    })
    stream.on('data', chunk => decoder.write(chunk))
    await expect.poll(() => received).toBe('data: first\n\n')
    await curl('--http1.1', '/next')
    await expect.poll(() => received).toBe('data: first\n\ndata: next\n\n')
    expect((await curl('--http1.1', '/count')).stdout).toBe('1')
    stream.destroy()
    await expect.poll(async () => (await curl('--http1.1', '/count')).stdout).toBe('0')
  })

  it('curl gets a 304 if it has the page compressed', async () => {
    const held = ['-H', 'If-None-Match: W/"page"', '-o', '/dev/null', '-w', '%{http_code}']
    expect((await curl('--http2', '/page', ...held)).stdout).toBe('304')
  })

  it('nghttp gets all answers with END_STREAM', async () => {
    const urls = Array.from({ length: 20 }, (_, i) => `https://127.0.0.1:${port()}/page?${i}`)
    const fields = ['-H', `host: ${host}`, '-H', `:authority: ${host}`, '-H', 'accept-encoding: gzip']
    for (const windows of [[], ['-w10', '-W10']]) {
      const args = ['-n', '-v', '--no-verify-peer', ...fields, ...windows, ...urls]
      const { stdout } = await run('nghttp', args, atMost)
      expect(stdout.split('content-encoding: gzip').length - 1).toBe(20)
      expect(stdout).not.toContain('recv RST_STREAM')
    }
  })
})
