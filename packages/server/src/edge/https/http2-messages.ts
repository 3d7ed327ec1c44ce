// HTTP/2 requests and responses that look like those of HTTP/1, so that handlers need not know the version.
import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { ReadableOptions } from 'node:stream'
import { foldHeaders, ofConnection } from '../../lib/fold-headers.ts'
import { headersWithout, valueIn } from '../../lib/raw-headers.ts'

/**
 * A request whose `:authority` is in the Host header. If the client sent another Host header, too, `rawHeaders` contains
 * both, and the request is refused later.
 */
export class PlainRequest extends Http2ServerRequest {
  /** The value of `headers`. It is made when `headers` is first read, because most answers need only `rawHeaders`. */
  plainHeaders: IncomingHttpHeaders | undefined

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    options: ReadableOptions,
    rawHeaders: readonly string[],
  ) {
    super(stream, headers, options, plainRawHeaders(rawHeaders))
  }
}

// Node defines `headers` as an accessor, but its types declare a property. TypeScript does not let a class override a
// property with an accessor.
const nodeHeaders = Object.getOwnPropertyDescriptor(Http2ServerRequest.prototype, 'headers')!.get!
Object.defineProperty(PlainRequest.prototype, 'headers', {
  get(this: PlainRequest): IncomingHttpHeaders {
    this.plainHeaders ??= plainHeaders(nodeHeaders.call(this))
    return this.plainHeaders
  },
})

function plainRawHeaders(raw: readonly string[]): string[] {
  const authority = valueIn(raw, ':authority')
  const plain = headersWithout(
    raw,
    (name, value) => name.startsWith(':') || (name === 'host' && value === authority),
  )
  if (authority !== undefined) plain.push('host', authority)
  return plain
}

/**
 * Copies the headers, and sets `host` to `:authority` if there is no Host header. Pseudo headers go on the prototype: they
 * can be read by name, but `Object.keys` does not list them.
 */
function plainHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const pseudo: IncomingHttpHeaders = {}
  const plain: IncomingHttpHeaders = Object.create(pseudo)
  for (const name of Object.keys(headers))
    (name.charCodeAt(0) === 58 /* : */ ? pseudo : plain)[name] = headers[name]
  plain.host ??= headers[':authority']
  return plain
}

export class PlainResponse extends Http2ServerResponse {
  override setHeader(name: string, value: number | string | readonly string[]): void {
    if (!ofConnection.has(name.toLowerCase())) super.setHeader(name, value)
  }

  override writeHead(status: number, headers?: OutgoingHttpHeaders | readonly string[] | string): this
  override writeHead(status: number, message: string, headers?: OutgoingHttpHeaders | readonly string[]): this
  override writeHead(status: number, first?: unknown, second?: unknown): this {
    // A status message is dropped, because HTTP/2 has none.
    return super.writeHead(status, foldHeaders(typeof first === 'string' ? second : first))
  }

  /** Node resets the stream with NO_ERROR, and some clients then take the part of an answer for the whole. */
  override destroy(error?: Error): this {
    const { stream } = this
    const isBroken = this.headersSent && !this.writableEnded && !stream?.closed && !stream?.destroyed
    if (isBroken) stream?.close(constants.NGHTTP2_INTERNAL_ERROR)
    return super.destroy(error)
  }
}
