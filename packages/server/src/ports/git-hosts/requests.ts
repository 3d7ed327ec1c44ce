// Requests to a git host that a user named. They go to the address that was checked, follow no redirect, and are bounded in
// time and size. Their errors never contain a token.
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import { isPrivate } from '../../lib/private-addresses.ts'
import type { AddressLookup } from '../dns/port.ts'
import type { Call } from './dialects.ts'
import { GitHostError, type GitHostErrorKind, type GitHostKind, gitHostNames } from './port.ts'

const timeLimitMs = 15_000
const answerBytes = 4 * 1024 * 1024
/** The longest part of the host's own message in an error. */
const wordsAtMost = 200

export interface HostNetwork {
  /** Whether users may name hosts in a private network. */
  allowPrivate: boolean
  addresses: AddressLookup
}

/** Finds the address that a request to the host connects to. */
export async function addressOf({ allowPrivate, addresses }: HostNetwork, url: URL): Promise<string> {
  const name = nameOf(url)
  const found = isIP(name) ? [name] : await addresses(name).catch(() => [])
  const address = found.find(candidate => allowPrivate || !isPrivate(candidate))
  // The message is the same for a private address, so that nobody can find out the names of a private network.
  if (address === undefined) throw new GitHostError('refused', `${name} has no public address in the DNS.`)
  return address
}

const nameOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export interface Answer {
  status: number
  json: unknown
}

/** Resolves with the answer whatever its status is. */
export async function ask(
  network: HostNetwork,
  { baseUrl, headers, signal }: { baseUrl: string; headers: Record<string, string>; signal: AbortSignal },
  call: Call,
): Promise<Answer> {
  const url = new URL(baseUrl + call.path)
  const address = await addressOf(network, url)
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)])
  try {
    return await exchange(url, address, headers, call, limited)
  } catch {
    throw new GitHostError('unreachable', `${url.host} does not answer.`)
  }
}

function exchange(
  url: URL,
  address: string,
  headers: Record<string, string>,
  { method, body }: Call,
  signal: AbortSignal,
): Promise<Answer> {
  const isHttps = url.protocol === 'https:'
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const request = (isHttps ? https : http).request({
      host: address,
      port: url.port || (isHttps ? 443 : 80),
      method,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        accept: 'application/json',
        'user-agent': 'svc',
        ...headers,
        ...(content && { 'content-type': 'application/json', 'content-length': content.length }),
      },
      ...(isHttps && !isIP(nameOf(url)) && { servername: url.hostname }),
      agent: false,
      signal,
    })
    request.on('error', reject)
    request.on('response', response => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > answerBytes) response.destroy(new Error('the answer is too large'))
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, json: parsed(Buffer.concat(chunks).toString()) }),
      )
    })
    request.end(content)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An answer without JSON says nothing that is needed. Its status does.
    return undefined
  }
}

const kinds: Record<number, GitHostErrorKind> = {
  401: 'unauthorized',
  404: 'missing',
  410: 'missing',
  429: 'limited',
}

/** Throws unless the answer is a success. */
export function requireSuccess(kind: GitHostKind, { method, path }: Call, { status, json }: Answer): void {
  if (status >= 200 && status < 300) return
  const name = gitHostNames[kind]
  if (status >= 500) throw new GitHostError('unreachable', `${name} answered ${status}.`)
  throw new GitHostError(
    kinds[status] ?? 'refused',
    `${name} answered ${status} to ${method} ${path}: ${wordsOf(json)}`,
  )
}

function wordsOf(json: unknown): string {
  const { message, error } = (json ?? {}) as { message?: unknown; error?: unknown }
  const said = message ?? error ?? ''
  return (typeof said === 'string' ? said : JSON.stringify(said)).slice(0, wordsAtMost)
}
