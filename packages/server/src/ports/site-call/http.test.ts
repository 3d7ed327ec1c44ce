import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { httpSiteCaller } from './http.ts'

async function callTo(handle: RequestListener, signal = new AbortController().signal) {
  const server = createServer(handle)
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-call-'))
  const edge = { socketPath: path.join(dir, 's') }
  await new Promise<void>(resolve => server.listen(edge.socketPath, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(dir, { recursive: true })
  })
  const call = httpSiteCaller(project => `https://${project}.example.test:8443`, edge)
  return await call({ project: 'shop', method: 'POST', path: '/a?b', headers: { 'x-y': 'z' } }, signal)
}

it("the call sends a request with the site's public host to the edge of this process", async () => {
  let seen: unknown
  const status = await callTo((req, res) => {
    seen = [req.method, req.url, req.headers.host, req.headers['x-y']]
    res.writeHead(302, { location: 'http://elsewhere.test/' }).end()
  })
  expect(status).toBe(302)
  expect(seen).toEqual(['POST', '/a?b', 'shop.example.test:8443', 'z'])
})

it('the call stops reading an endless answer at a limit', async () => {
  const status = await callTo((_, res) => {
    const more = () => {
      while (res.write(Buffer.alloc(64 * 1024)));
    }
    res.writeHead(200)
    res.on('drain', more)
    more()
  })
  expect(status).toBe(200)
})

it('the call returns at once if the site switches to another protocol', async () => {
  const status = await callTo((req, res) => {
    res.detachSocket(req.socket)
    req.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
  })
  expect(status).toBe(101)
})

it('the call rejects when the signal aborts, before an answer and in the middle of one', async () => {
  const early = new AbortController()
  await expect(callTo(() => early.abort(), early.signal)).rejects.toThrow()
  const late = new AbortController()
  const begun = callTo((_, res) => {
    res.writeHead(200)
    res.write('x', () => setImmediate(() => late.abort(new Error('too late'))))
  }, late.signal)
  await expect(begun).rejects.toThrow()
})
