// The S3 client: signed requests over keep-alive connections, with timeouts and retries.
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { StorageFailure } from '../port.ts'
import { type Credentials, canonicalQuery, emptyHash, sha256, signed } from './signature.ts'

export interface S3Settings extends Credentials {
  /** The URL of the store, without the bucket. `undefined` for Amazon. */
  endpoint: string | undefined
  region: string
  bucket: string
  /** The prefix of every key. Empty, or ends with a slash. */
  prefix: string
  /** The idle timeout of reads. Writes may take longer. */
  timeoutMs: number
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without the prefix. Empty for the bucket itself. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Buffer
  signal?: AbortSignal | undefined
}

interface S3Answer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** An error answer of the store, or no answer at all. */
export class S3Failure extends StorageFailure {
  /** 0 if there was no answer. */
  readonly status: number
  readonly code: string

  constructor(message: string, status: number, code: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'S3Failure'
    this.status = status
    this.code = code
  }

  /** Whether a retry may succeed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || (this.status >= 500 && this.status !== 501)
  }
}

const attempts = 3
/** The timeout of writes is so many times longer, since a store may take a while to assemble the parts of an object. */
const writesLonger = 6
const firstPauseMs = 100

export class S3Client {
  readonly settings: S3Settings
  readonly #base: URL
  readonly #agent: Agent
  readonly #send: typeof requestHttp

  constructor(settings: S3Settings) {
    this.settings = settings
    this.#base = bucketUrl(settings)
    const isSecure = this.#base.protocol === 'https:'
    this.#agent = new (isSecure ? SecureAgent : Agent)({
      keepAlive: true,
      maxSockets: 64,
      scheduling: 'lifo',
    })
    this.#send = isSecure ? requestHttps : requestHttp
  }

  /** The whole answer. Rejects with S3Failure on an error, after retries if those may help. */
  send(request: S3Request): Promise<S3Answer> {
    return persist(request.signal, async () => {
      const response = await this.open(request)
      const { statusCode = 0, headers } = response
      try {
        return { status: statusCode, headers, text: await text(response) }
      } catch (cause) {
        throw this.#broken(cause)
      }
    })
  }

  /** Makes one attempt. The caller must read or destroy the body. */
  async open(request: S3Request): Promise<IncomingMessage> {
    const response = await this.#attempt(request)
    const { statusCode = 0 } = response
    if (statusCode >= 200 && statusCode < 300) return response
    throw await this.#refusal(response, statusCode)
  }

  /** Closes idle connections. Requests in progress still finish. */
  close() {
    this.#agent.destroy()
  }

  #attempt({
    method,
    key = '',
    query = {},
    headers = {},
    body,
    signal,
  }: S3Request): Promise<IncomingMessage> {
    const url = new URL(this.#base)
    url.pathname += key === '' ? '' : this.settings.prefix + key
    url.search = canonicalQuery(new URLSearchParams(query))
    const bodyHash = body === undefined ? emptyHash : sha256(body)
    const signable = { method, url, headers, bodyHash }
    const sent = signed(signable, this.settings, this.settings.region, new Date())
    const isWrite = method === 'PUT' || method === 'POST'
    if (isWrite) sent['content-length'] = String(body?.length ?? 0)
    const timeout = this.settings.timeoutMs * (isWrite ? writesLonger : 1)
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown) => reject(this.#broken(cause))
      const options = { method, headers: sent, agent: this.#agent, signal, timeout }
      const request = this.#send(url, options, resolve)
      request.on('error', fail)
      request.on('timeout', () => request.destroy(new Error('it took too long to answer')))
      request.end(body)
    })
  }

  #broken(cause: unknown): S3Failure {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return new S3Failure(`The S3 store at ${this.#base.host} failed: ${reason}`, 0, '', cause)
  }

  async #refusal(response: IncomingMessage, status: number): Promise<S3Failure> {
    const words = await text(response).catch(() => '')
    const code = xmlValue(words, 'Code') ?? ''
    const message = xmlValue(words, 'Message') ?? ''
    const what = [`status ${status}`, code, message].filter(part => part !== '').join(', ')
    return new S3Failure(`The S3 store at ${this.#base.host} refused: ${what}`, status, code)
  }
}

/** Retries with growing pauses while the error is temporary. */
async function persist<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isPassing(error) || signal?.aborted) throw error
    }
    await pause(attempt, signal)
  }
}

export function isPassing(error: unknown): error is S3Failure {
  return error instanceof S3Failure && error.isPassing
}

/** The pauses are randomized, so that requests that failed together do not retry together. */
export function pause(attempt: number, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  return wait(firstPauseMs * 2 ** attempt * (0.5 + Math.random() / 2), undefined, options)
}

/** The text of the first element of that name. The wanted values contain no entities except quotes. */
export function xmlValue(xml: string, name: string): string | undefined {
  return xmlValues(xml, name)[0]
}

export function xmlValues(xml: string, name: string): string[] {
  // Linear: the name is one of our own words, and the text in between has no `<`.
  const found = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))
  return Array.from(found, ([, value = '']) =>
    value.replace(/&(quot|apos|lt|gt|amp|#34|#39);/g, (_, entity: string) => entities[entity]!),
  )
}

const entities: Record<string, string> = {
  quot: '"',
  '#34': '"',
  apos: "'",
  '#39': "'",
  lt: '<',
  gt: '>',
  amp: '&',
}

/** With a custom endpoint the bucket is in the path, which works everywhere. At Amazon it is in the host name. */
function bucketUrl({ endpoint, region, bucket }: S3Settings): URL {
  if (endpoint === undefined) return new URL(`https://${bucket}.s3.${region}.amazonaws.com/`)
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}/`
  return url
}
