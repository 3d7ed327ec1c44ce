import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { refusal, send, standIn } from '../testing/api.ts'
import { upload } from './upload.ts'

const archive = (bytes: number) => ({
  chunks: [randomBytes(bytes >> 1), randomBytes(bytes - (bytes >> 1))],
  bytes,
})
const big = archive(20 * 1024 * 1024)
const ignoreProgress = () => undefined
const target = 'POST /here'
const url = (api: { url: string }) => new URL('/here', api.url)

const tooLarge = refusal('payload_too_large', 'Too large.', 413)

describe('uploading', () => {
  it('sends all bytes with their length, and reports progress to the end', async () => {
    const api = await standIn({ [target]: { status: 201, body: { ok: true } } })
    const seen: number[] = []
    const small = archive(300_000)
    const answer = await upload(url(api), { 'x-a': 'b' }, small, bytes => seen.push(bytes))
    expect(answer).toEqual({ status: 201, text: '{"ok":true}' })
    expect(api.calls[0]!.headers).toMatchObject({ 'content-length': '300000', 'x-a': 'b' })
    expect(api.calls[0]!.body.equals(Buffer.concat(small.chunks))).toBe(true)
    expect(seen.at(-1)).toBe(300_000)
  })

  it.each<[string, (socket: Socket) => void]>([
    ['stops reading', () => undefined],
    ['hangs up', socket => socket.end()],
    ['cuts the connection', socket => socket.destroy()],
  ])('hears an answer that comes early from a server that then %s', async (_, goOn) => {
    const api = await standIn({
      [target]: ({ socket }, response) => {
        response.on('finish', () => goOn(socket))
        send(response, tooLarge)
      },
    })
    // A race would lose the answer only sometimes, so the test repeats the upload.
    for (let i = 0; i < 25; i++) {
      const { status, text } = await upload(url(api), {}, big, ignoreProgress)
      expect({ status, text }).toEqual({ status: 413, text: JSON.stringify(tooLarge.body) })
    }
  })

  it('fails when the connection ends without an answer', async () => {
    const api = await standIn({ [target]: request => request.socket.destroy() })
    await expect(upload(url(api), {}, big, ignoreProgress)).rejects.toThrow()
  })

  it('takes a refusal that breaks off by its status, and does not trust half a success', async () => {
    const half = (status: number) => (_: unknown, response: ServerResponse) => {
      response.writeHead(status, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    }
    const refused = await standIn({ [target]: half(503) })
    expect(await upload(url(refused), {}, archive(10), ignoreProgress)).toMatchObject({ status: 503 })
    const accepted = await standIn({ [target]: half(201) })
    await expect(upload(url(accepted), {}, archive(10), ignoreProgress)).rejects.toThrow()
  })
})
