// A client for the HTTP API of a Docker-compatible engine. svcd makes about ten different calls, so it needs no package: the
// usual one comes with gRPC and ten megabytes.
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { Readable } from 'node:stream'

/** The engine answered with an error. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * svcd speaks the newest minor version of the API 1 that it and the engine know. Docker 29 refuses versions before 1.44. An
 * engine that does not tell its version gets the oldest one, which Docker since 19.03 and Podman support.
 */
const newestMinor = 44
const oldestMinor = 40
const answerWithinMs = 30_000
const pingWithinMs = 2_000

type Method = 'GET' | 'POST' | 'DELETE'

export class Engine {
  readonly #address: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>
  /** Known from the first answer on. */
  #minor: number | undefined

  /** `url` is `unix:///var/run/docker.sock` or `tcp://127.0.0.1:2375`. */
  constructor(url: string) {
    const { protocol, pathname, hostname, port } = new URL(url)
    this.#address =
      protocol === 'unix:' ? { socketPath: decodeURIComponent(pathname) } : { host: hostname, port }
  }

  /** Whether an engine answers at this URL, with a short timeout. */
  async answers(): Promise<boolean> {
    try {
      await this.#ping()
      return true
    } catch {
      return false // No engine listens there, or it does not let svcd in.
    }
  }

  /** The minor version of the API that svcd speaks with this engine: 41 is version 1.41. */
  async minorVersion(): Promise<number> {
    return this.#minor ?? (await this.#ping())
  }

  /** Returns the JSON of the answer. `undefined` if the answer has no body. */
  async call<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const response = await this.#send(method, await this.#versioned(path), body, answerWithinMs)
    const text = await textOf(response)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Returns the answer as a stream, without a timeout: the engine may answer late, and send for as long as it likes. */
  async stream(method: Method, path: string, signal?: AbortSignal): Promise<IncomingMessage> {
    return await this.#send(method, await this.#versioned(path), undefined, undefined, signal)
  }

  /** Sends a stream. The answer has no timeout, as that of `stream`. */
  async upload(
    method: Method,
    path: string,
    body: Readable,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const target = await this.#versioned(path)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { ...this.#address, method, path: target, headers, agent: false, signal }
      const sending = request(options, resolve)
      sending.on('error', reject)
      body.on('error', error => sending.destroy(error))
      body.pipe(sending)
    })
    return await unlessRefused(response)
  }

  async #versioned(path: string): Promise<string> {
    return `/v1.${await this.minorVersion()}${path}`
  }

  async #ping(): Promise<number> {
    const response = await this.#send('GET', '/_ping', undefined, pingWithinMs)
    await textOf(response)
    this.#minor = minorOf(response.headers['api-version'])
    return this.#minor
  }

  async #send(
    method: Method,
    path: string,
    body: unknown,
    timeout: number | undefined,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = payload
      ? { 'content-type': 'application/json', 'content-length': payload.length }
      : { 'content-length': 0 }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { ...this.#address, method, path, headers, agent: false, signal }
      const sending = request({ ...options, timeout }, resolve)
      sending.on('timeout', () => sending.destroy(new Error('the engine does not answer')))
      sending.on('error', reject).end(payload)
    })
    return await unlessRefused(response)
  }
}

async function unlessRefused(response: IncomingMessage): Promise<IncomingMessage> {
  const { statusCode: status = 0 } = response
  if (status < 400) return response
  throw new EngineError(status, messageOf(await textOf(response)))
}

function minorOf(version: string | string[] | undefined): number {
  const minor = Number(/^1\.(\d{1,4})$/.exec(String(version))?.[1] ?? oldestMinor)
  return Math.min(minor, newestMinor)
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return text
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text
  } catch {
    return text // A proxy before the engine may answer with text that is not JSON.
  }
}

export const isMissing = (error: unknown): boolean => error instanceof EngineError && error.status === 404

/** The container or network is in the requested state already, or will be soon. */
export const isConflict = (error: unknown): boolean =>
  error instanceof EngineError && (error.status === 409 || error.status === 304)

/**
 * Whether the engine used a layer before it had mounted it, as Docker 20.10 does on a busy machine. Only such a message names the
 * folder of a layer: a file that is missing in an image or in a repository has its path there.
 */
export const isLayerMissing = (message: string): boolean =>
  /[0-9a-f]{12}(-init)?\/merged\//.test(message) && message.includes('no such file')
