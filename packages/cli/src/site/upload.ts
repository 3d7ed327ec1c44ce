// Sends an archive or another file, and reports progress. Reads the answer even if the server sends it before the end of the upload.
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

interface Upload {
  bytes: number
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>
}

interface Answer {
  status: number
  text: string
  /** The URL that the answer redirects to. */
  location: string | undefined
}

type Done = (error?: Error | null) => void

const PIECE = 64 * 1024
/** How long to wait for the answer. The platform first unpacks the archive and may start an app. */
const SILENCE_MS = 5 * 60_000
const KEEP_ALIVE_MS = 30_000

export async function upload(
  url: URL,
  headers: Record<string, string>,
  archive: Upload,
  onProgress: (bytesSent: number) => void,
  { connectMs = 30_000, silenceMs = SILENCE_MS } = {},
): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(archive.bytes) },
    })
    let answered = false
    sending.on('response', response => {
      answered = true
      readAnswer(response)
        .then(resolve, reject)
        .finally(() => sending.destroy())
    })
    // Once the answer has begun, an error of the request, such as EPIPE, does not matter.
    sending.on('error', error => {
      if (!answered) reject(error)
    })
    sending.on('socket', readBeforeFailing)
    sending.on('socket', socket => limitConnecting(socket, connectMs))
    sending.setTimeout(silenceMs, () => sending.destroy(silence(silenceMs)))
    // Routers forget a silent connection.
    sending.setSocketKeepAlive(true, KEEP_ALIVE_MS)
    send(sending, archive, onProgress, () => answered).catch(reject)
  })
}

const silence = (ms: number) => new DOMException(`no answer in ${ms / 1000} s`, 'TimeoutError')

/** Limits the time to connect, which is shorter than the time for an answer. */
function limitConnecting(socket: Socket, ms: number): void {
  if (!socket.connecting) return
  const timer = setTimeout(() => socket.destroy(silence(ms)), ms)
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
}

/**
 * A server that refuses early may cut the connection. Then a write fails while the answer still waits in the
 * kernel, and a stream that has heard of the failure drops what it reads. So it hears of it one turn later.
 */
function readBeforeFailing(socket: Socket): void {
  const later =
    (done: Done): Done =>
    error =>
      error ? setImmediate(() => setImmediate(done, error)) : done()
  const { _write: write, _writev: writev } = socket
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, later(done))
  socket._writev = (chunks, done) => writev?.call(socket, chunks, later(done))
}

async function send(
  request: ClientRequest,
  archive: Upload,
  onProgress: (bytesSent: number) => void,
  answered: () => boolean,
): Promise<void> {
  let wake: (() => void) | undefined
  for (const event of ['drain', 'response', 'close']) request.on(event, () => wake?.())
  let sent = 0
  for await (const piece of pieces(archive.chunks)) {
    if (answered() || request.destroyed) return
    if (!request.write(piece)) await new Promise<void>(resolve => (wake = resolve))
    sent += piece.length
    onProgress(sent)
  }
  if (!answered()) request.end()
}

async function* pieces(chunks: Upload['chunks']): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    for (let start = 0; start < chunk.length; start += PIECE) yield chunk.subarray(start, start + PIECE)
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const status = response.statusCode ?? 0
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch (error) {
    // An error answer that breaks off still has its status. A success must be complete.
    if (status < 400) throw error
  }
  return { status, text: Buffer.concat(chunks).toString(), location: response.headers.location }
}
