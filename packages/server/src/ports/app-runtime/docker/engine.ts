// Speaks to a Docker-compatible engine over its socket. A dozen calls of plain HTTP need no package: the usual one
// brings along gRPC and ten megabytes.
import { type IncomingMessage, type RequestOptions, request } from 'node:http'

/** The engine answered, and refused. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Understood by every Docker since 19.03 and by Podman. */
const version = 'v1.40'
const answerWithinMs = 30_000
const pingWithinMs = 2_000

type Method = 'GET' | 'POST' | 'DELETE'

export class Engine {
  readonly #address: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>

  /** `unix:///var/run/docker.sock` or `tcp://127.0.0.1:2375`. */
  constructor(url: string) {
    const { protocol, pathname, hostname, port } = new URL(url)
    this.#address =
      protocol === 'unix:' ? { socketPath: decodeURIComponent(pathname) } : { host: hostname, port }
  }

  /** Whether there is one at all; whoever is asked for its life must not take long. */
  async answers(): Promise<boolean> {
    try {
      await textOf(await this.#send('GET', '/_ping', undefined, pingWithinMs))
      return true
    } catch {
      return false // Nobody there, or not for us.
    }
  }

  /** The answer's JSON. `undefined` if it has no body. */
  async call<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const response = await this.#send(method, path, body, answerWithinMs)
    const text = await textOf(response)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** An answer that may come in the end, or go on for as long as it likes. */
  stream(method: Method, path: string, signal?: AbortSignal): Promise<IncomingMessage> {
    return this.#send(method, path, undefined, undefined, signal)
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
      const options = { ...this.#address, method, path: `/${version}${path}`, headers, agent: false, signal }
      const sending = request({ ...options, timeout }, resolve)
      sending.on('timeout', () => sending.destroy(new Error('the engine does not answer')))
      sending.on('error', reject).end(payload)
    })
    const { statusCode: status = 0 } = response
    if (status < 400) return response
    throw new EngineError(status, messageOf(await textOf(response)))
  }
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
    return text // Whatever stands between us and the engine has words of its own.
  }
}

export const isMissing = (error: unknown): boolean => error instanceof EngineError && error.status === 404

/** Already so, or on its way: what was asked for need not be done. */
export const isConflict = (error: unknown): boolean =>
  error instanceof EngineError && (error.status === 409 || error.status === 304)
