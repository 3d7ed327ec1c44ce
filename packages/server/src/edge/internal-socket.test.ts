import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { httpSiteCaller } from '../ports/site-call/http.ts'
import type { Edge } from './edge.ts'
import { createHosts } from './hosts.ts'
import { openInternalSocket } from './internal-socket.ts'

function dataDir(...parts: string[]): string {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-internal-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const dir = path.join(root, ...parts)
  mkdirSync(dir, { recursive: true })
  return dir
}

async function openedIn(dir: string) {
  const internal = await openInternalSocket(dir)
  onTestFinished(() => internal.close())
  const handle = vi.fn<Edge['handle']>(({ res }) => void res.end())
  internal.dispatchTo({ handle }, createHosts('example.test'))
  return { internal, handle }
}

test('the platform reaches its sites through a socket that no other user can open', async () => {
  const { internal, handle } = await openedIn(dataDir())
  expect(statSync(path.dirname(internal.socketPath)).mode & 0o777).toBe(0o700)
  const call = httpSiteCaller(project => `https://${project}.example.test`, internal)
  const signal = new AbortController().signal
  expect(await call({ project: 'shop', method: 'GET', path: '/', headers: {} }, signal)).toBe(200)
  const [exchange] = handle.mock.calls[0]!
  expect(exchange.destination).toMatchObject({ to: 'site' })
  expect(exchange.peer).toEqual({ address: '127.0.0.1', secure: false })
})

test('the internal socket listens on no port', async () => {
  const listen = vi.spyOn(createServer().constructor.prototype as Server, 'listen')
  onTestFinished(() => listen.mockRestore())
  const { internal } = await openedIn(dataDir())
  expect(listen.mock.calls.map(([where]) => where)).toEqual([internal.socketPath])
})

test('a data directory whose path is too long for a socket works, too', async () => {
  const { internal } = await openedIn(dataDir('a'.repeat(80), 'b'.repeat(80)))
  const call = httpSiteCaller(() => 'https://shop.example.test', internal)
  const signal = new AbortController().signal
  expect(await call({ project: 'shop', method: 'GET', path: '/', headers: {} }, signal)).toBe(200)
  expect(statSync(path.dirname(internal.socketPath)).mode & 0o777).toBe(0o700)
})
