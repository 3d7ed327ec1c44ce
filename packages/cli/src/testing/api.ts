// A strict stand-in for the API: it answers exactly what a test scripts, and remembers what it was asked.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Call {
  /** `METHOD /path?query` */
  key: string
  headers: IncomingHttpHeaders
  body: Buffer
}

type Json = { status?: number; body: unknown }
/** One answer for every call, or a list with one per call; a function answers by itself. */
type Script = Json | Json[] | ((request: IncomingMessage, response: ServerResponse) => void)

export interface StandIn {
  url: string
  calls: Call[]
  keys: () => string[]
}

export async function standIn(scripts: Record<string, Script>): Promise<StandIn> {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const key = `${request.method} ${request.url}`
    const script = scripts[key]
    if (typeof script === 'function') {
      calls.push({ key, headers: request.headers, body: Buffer.alloc(0) })
      return script(request, response)
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    calls.push({ key, headers: request.headers, body: Buffer.concat(chunks) })
    const answer = Array.isArray(script) ? script.shift() : script
    send(response, answer ?? { status: 599, body: refusal('unscripted', `Nobody expected ${key}`).body })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, calls, keys: () => calls.map(call => call.key) }
}

export function send(response: ServerResponse, { status = 200, body }: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

export const refusal = (code: string, message: string, status = 400): Json => ({
  status,
  body: { error: { code, message } },
})

/** The answer to a started device login. */
export const device = {
  device_code: 'd'.repeat(43),
  user_code: 'ABCD-EFGH',
  verification_uri: 'http://app.localhost:8080/device',
  expires_in: 900,
  interval: 0,
}

export const account = {
  id: 'acc_0123456789abcdef',
  gitforge_id: 1,
  gitforge_login: 'ada',
  email: 'ada@example.com',
  token_kind: 'cli',
  org: null,
  created_at: '2026-01-02T03:04:05.678Z',
}

export const project = (name: string, changes: object = {}) => ({
  id: 'prj_0123456789abcdef',
  name,
  org: null,
  url: `http://${name}.localhost:8080`,
  active_deployment_id: null,
  expires_at: null,
  created_at: '2026-01-02T03:04:05.678Z',
  ...changes,
})
