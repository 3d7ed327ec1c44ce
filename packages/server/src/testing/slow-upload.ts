// An upload that stops halfway until the test lets it go on.
import { request } from 'node:http'
import type { TestServer } from './server.ts'

interface SlowUpload {
  /** Sends the rest and returns the server's answer. */
  finish(): Promise<{ status: number; json: { error?: { code: string; message: string } } }>
  /** Closes the connection. */
  cut(): void
}

/** Sends the first half of an archive. */
export function beginUpload(server: TestServer, token: string, path: string, archive: Buffer): SlowUpload {
  const half = archive.length >> 1
  const req = request({
    host: '127.0.0.1',
    port: server.running.port,
    path,
    method: 'POST',
    headers: { host: '127.0.0.1', authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
    agent: false,
  })
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    req.on('error', reject)
    req.on('response', res => {
      let text = ''
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }))
    })
  })
  // An upload that the test cuts off has no answer.
  answer.catch(() => undefined)
  req.write(archive.subarray(0, half))
  return {
    async finish() {
      req.end(archive.subarray(half))
      const { status, text } = await answer
      return { status, json: JSON.parse(text) }
    },
    cut: () => req.destroy(),
  }
}
