// Reads what a client received on one connection: the answers, without what differs from one run to the next.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/**
 * Returns the complete answers, each as text. Interim answers (1xx) are left out: it is a matter of time whether a client that
 * pipelines receives them. `methods` are those of the requests, in order.
 */
export function readAnswers(text: string, methods: readonly string[]): string[] {
  const answers: string[] = []
  for (let at = 0; at < text.length; ) {
    const headEnd = text.indexOf('\r\n\r\n', at)
    if (headEnd < 0) return answers
    const head = text.slice(at, headEnd)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
    const body = readBody(text, headEnd + 4, head, status, methods[answers.length] ?? 'GET')
    if (body === undefined) return answers
    if (status >= 200)
      answers.push([...meaningOf(head), decoded(head, body.content), ...body.trailers].join('\n'))
    at = body.end
  }
  return answers
}

interface Body {
  content: string
  trailers: string[]
  end: number
}

function readBody(text: string, at: number, head: string, status: number, method: string): Body | undefined {
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD')
    return { content: '', trailers: [], end: at }
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return readChunks(text, at)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN)
  // node:http refuses a request with an answer that ends with the connection.
  if (Number.isNaN(length)) return { content: text.slice(at), trailers: [], end: text.length }
  const end = at + length
  return end > text.length ? undefined : { content: text.slice(at, end), trailers: [], end }
}

function readChunks(text: string, start: number): Body | undefined {
  let content = ''
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const line = text.slice(at, lineEnd)
    if (!/^[\da-f]+$/i.test(line)) throw new Error(`Not the size of a chunk: ${JSON.stringify(line)}`)
    const size = Number.parseInt(line, 16)
    if (size === 0) {
      const end = text.indexOf('\r\n\r\n', lineEnd)
      if (end < 0) return undefined
      const trailers = text.slice(lineEnd, end).split('\r\n').slice(1)
      return { content, trailers, end: end + 4 }
    }
    at = lineEnd + 2 + size + 2
    if (at > text.length) return undefined
    content += text.slice(lineEnd + 2, lineEnd + 2 + size)
  }
}

/** The lines of a head in a fixed order, with single spaces, without the date, the request id and the deployment. */
function meaningOf(head: string): string[] {
  const [line, ...fields] = head.split('\r\n')
  const known = fields
    .map(field =>
      field.replace(/^([^:]+):[ \t]*(.*?)[ \t]*$/, (_, name, value) => `${name.toLowerCase()}: ${value}`),
    )
    .filter(field => !/^(?:date|x-svc-request-id|x-svc-deployment):/.test(field))
  return [line!, ...known.sort()]
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

/** The content without the coding of the edge. It is a matter of time where its chunks begin. */
function decoded(head: string, content: string): string {
  return decodedBy(/\r\ncontent-encoding: (gzip|br)\r\n/i.exec(`${head}\r\n`)?.[1], content)
}

export function decodedBy(coding: string | undefined, content: string): string {
  const decode = decoders[coding as keyof typeof decoders]
  if (decode === undefined || content === '') return shortened(content)
  return shortened(decode(Buffer.from(content, 'latin1')).toString('latin1'))
}

const shortened = (text: string): string =>
  text.replace(/(.)\1{99,}/g, run => `${run[0]} × ${run.length}`).replace(/Request req_\w+/g, 'Request')
