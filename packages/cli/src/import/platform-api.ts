// Reads the settings of a project from the API of the other platform. It sends only GET requests.
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { networkAdvice, networkReason } from '../network.ts'
import { clean } from '../output.ts'
import { userAgent } from '../session.ts'
import { fieldsOf, textOf } from './untrusted.ts'

/** The largest answer that is read. A list of variables or domains has some kilobytes. */
const mostBytes = 8 * 1024 * 1024

interface ApiSettings {
  /** The platform's name in messages. */
  platform: string
  baseUrl: string
  token: string
  /** What a 404 means, and what to do about it. */
  missing: string
}

export class PlatformApi {
  readonly #settings: ApiSettings

  constructor(settings: ApiSettings) {
    this.#settings = { ...settings, baseUrl: checkedApiUrl(settings.baseUrl) }
  }

  async get(path: string, query: Record<string, string | undefined> = {}): Promise<unknown> {
    const { baseUrl, token, platform } = this.#settings
    const url = new URL(baseUrl + path)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value)
    let response: Response
    let text: string
    try {
      response = await fetch(url, {
        headers: { authorization: `Bearer ${token}`, accept: 'application/json', ...userAgent() },
        // A redirect could send the token to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(environment.silenceMs()),
      })
      text = await boundedText(response, platform)
    } catch (error) {
      if (error instanceof Failure) throw error
      const why = isTimeout(error)
        ? 'it did not answer in time'
        : (networkReason(error) ?? 'the request failed')
      throw new Failure(`Could not reach ${platform} at ${url.origin}: ${why}. Nothing was created.`, {
        cause: error,
        hint:
          networkAdvice(error) ??
          "Try again, or leave the token out: then 'svc import' reads local files only.",
      })
    }
    if (!response.ok) throw this.#refused(response, text)
    return parsed(text, platform)
  }

  #refused({ status, headers }: Response, text: string): Failure {
    const { platform, missing } = this.#settings
    const said =
      textOf(fieldsOf(fieldsOf(safelyParsed(text)).error).message) ??
      textOf(fieldsOf(safelyParsed(text)).message)
    const words = said === undefined ? '' : ` ${clean(said).slice(0, 300)}`
    const wait = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0]
    return new Failure(`${platform} answered ${status}.${words} Nothing was created.`, {
      hint: adviceOn(status, platform, missing, wait),
    })
  }
}

function adviceOn(status: number, platform: string, missing: string, wait: string | undefined): string {
  if (status === 401)
    return `The token is not valid or has expired. Create another one at ${platform} and pass it with --token.`
  if (status === 403)
    return `The token may not read this project. Use one with access to the team or account that owns it.`
  if (status === 404) return missing
  if (status === 429)
    return `${platform} limits how often it is asked. Run 'svc import' again in ${wait ? `${wait} seconds` : 'some minutes'}.`
  if (status >= 500)
    return `${platform} has a problem at the moment. Try again later, or leave the token out: then only local files are read.`
  return "Leave the token out to read local files only, or check the URL of the platform's API."
}

/** Requires https, because others could read a token that is sent over http. On this machine itself http is fine. */
function checkedApiUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isLocal = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal))
    throw new Failure(`The URL of the platform's API must begin with https://, not '${clean(address)}'.`)
  return address.endsWith('/') ? address.slice(0, -1) : address
}

async function boundedText(response: Response, platform: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > mostBytes)
      throw new Failure(`The answer of ${platform} is larger than 8 MB. Nothing was created.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function parsed(text: string, platform: string): unknown {
  const value = safelyParsed(text)
  if (value === undefined) throw new Failure(`The answer of ${platform} is not JSON. Nothing was created.`)
  return value
}

function safelyParsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // An error page of a proxy, for example.
  }
}
