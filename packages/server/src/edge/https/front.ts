// What comes before every site and every part of the platform: answers to challenges of the certificate authority, the
// way from HTTP to HTTPS, and the promise to stay there.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { hostname, requestedName } from '../hosts.ts'
import type { PlainGet } from '../plain-get.ts'

export interface FrontParts {
  /** What a token is to be answered with, while a challenge for the host is pending. */
  challenge(host: string, token: string): Promise<string | undefined>
  /** Undefined where there is no HTTPS listener: nobody is sent there. */
  https: Https | undefined
  /** Whether a proxy that we trust took the request over HTTPS. */
  cameSecurely(req: IncomingMessage): boolean
  onError(error: unknown): void
}

export interface Https {
  certificates: {
    has(name: string): boolean | undefined
    find(name: string): Promise<unknown>
  }
  /** Of the addresses that visitors use. */
  port: number
}

export interface Front {
  /** Answers the request itself, or lets `goOn` do so. */
  take(req: IncomingMessage, res: ServerResponse, goOn: () => void): void
  /** Whether a plain GET may be answered without any of this. */
  isOpen(request: PlainGet, secure: boolean): boolean
}

export const challengePath = '/.well-known/acme-challenge/'

/** A year, for this host alone: what lies below a customer's domain may be anywhere. */
export const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const

export function createFront({ challenge, https, cameSecurely, onError }: FrontParts): Front {
  async function answerChallenge(req: IncomingMessage, res: ServerResponse, goOn: () => void): Promise<void> {
    const answer = await challenge(requestedName(req), req.url!.slice(challengePath.length))
    if (answer === undefined) return goOn()
    res.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': Buffer.byteLength(answer),
      'cache-control': 'no-store',
    })
    res.end(answer)
  }

  function keepSecure(req: IncomingMessage, res: ServerResponse, goOn: () => void): void {
    const name = https === undefined ? '' : requestedName(req)
    const secure = !isLocal(name) && (isEncrypted(req) || cameSecurely(req))
    const known = isLocal(name) || secure ? false : https?.certificates.has(name)
    if (secure) promise(res)
    if (known === false || https === undefined) goOn()
    else if (known) sendToHttps(req, res, name, https.port)
    else sendWhereItCan(https, name, req, res, goOn)
  }

  async function sendWhereItCan(
    { certificates, port }: Https,
    name: string,
    req: IncomingMessage,
    res: ServerResponse,
    goOn: () => void,
  ): Promise<void> {
    try {
      if ((await certificates.find(name)) !== undefined) return sendToHttps(req, res, name, port)
    } catch (error) {
      onError(error)
    }
    goOn()
  }

  return {
    take(req, res, goOn) {
      if (!req.url!.startsWith(challengePath)) return keepSecure(req, res, goOn)
      const further = () => keepSecure(req, res, goOn)
      answerChallenge(req, res, further).catch(error => {
        onError(error)
        further()
      })
    },
    isOpen({ target, host }, secure) {
      if (target.startsWith(challengePath)) return false
      if (https === undefined) return true
      const name = hostname(host) ?? ''
      // The fast lane makes the promise to everyone who comes by TLS; to a local name it must not be made.
      return isLocal(name) ? !secure : secure || https.certificates.has(name) === false
    },
  }
}

/**
 * Joins whatever head is written later, unless that says so itself. Set beforehand it would make node:http merge the
 * two, and drop all but the last of headers that come more than once.
 */
function promise(res: ServerResponse): void {
  const [name, value] = strictTransport
  const writeHead = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse
  res.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.at(-1)
    if (Array.isArray(headers)) {
      const isSaid = headers.some((entry, index) => index % 2 === 0 && isName(entry, name))
      rest[rest.length - 1] = isSaid ? headers : [...headers, name, value]
    } else if (typeof headers === 'object' && headers !== null) {
      const isSaid = Object.keys(headers).some(entry => isName(entry, name))
      rest[rest.length - 1] = isSaid ? headers : { ...headers, [name]: value }
    } else if (!res.hasHeader(name)) res.setHeader(name, value)
    return writeHead(status, ...rest)
  }
}

const isName = (entry: unknown, name: string): boolean =>
  typeof entry === 'string' && entry.length === name.length && entry.toLowerCase() === name.toLowerCase()

/** 308 keeps the method and the body, as it must for those who post. */
function sendToHttps(req: IncomingMessage, res: ServerResponse, name: string, port: number): void {
  const target = req.url!.replace(/^https?:\/\/[^/?#]*/i, '')
  const path = target.startsWith('/') ? target : `/${target}`
  const location = `https://${name}${port === 443 ? '' : `:${port}`}${encodeBytes(path)}`
  res.writeHead(308, {
    location,
    'content-length': '0',
    'cache-control': 'public, max-age=0, must-revalidate',
  })
  res.end()
}

/** Bytes above 0x7f come as Latin-1 characters; in a header they are written as escapes. */
const encodeBytes = (path: string): string =>
  path.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`)

const isEncrypted = ({ socket }: IncomingMessage): boolean => (socket as TLSSocket).encrypted === true

const isLocal = (name: string): boolean =>
  name === '' || name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0
