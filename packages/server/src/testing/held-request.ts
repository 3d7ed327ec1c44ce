// A request whose body waits until the test lets it come. The server has checked the caller's rights by then.
import { once } from 'node:events'
import { request } from 'node:http'
import type { TestServer } from './server.ts'

interface HeldRequest {
  method: string
  path: string
  host?: string
  headers: Record<string, string>
  body: Buffer
}

/** Resolves when the server asks for the body. The returned function sends it, and resolves with the answer. */
export async function holdRequest(
  server: TestServer,
  { method, path, host = '127.0.0.1', headers, body }: HeldRequest,
): Promise<() => Promise<{ status: number; text: string }>> {
  const req = request({
    host: '127.0.0.1',
    port: server.running.port,
    method,
    path,
    headers: { host, ...headers, 'content-length': body.length, expect: '100-continue' },
    agent: false,
  })
  const answered = once(req, 'response')
  answered.catch(() => undefined)
  req.flushHeaders()
  await once(req, 'continue')
  return async () => {
    req.end(body)
    const [res] = await answered
    const chunks: Buffer[] = []
    for await (const chunk of res) chunks.push(chunk)
    return { status: res.statusCode, text: Buffer.concat(chunks).toString() }
  }
}
