// Downloads files in Git LFS: asks the host where they are, and compares what comes with their checksums. Every request goes to an
// address that was checked, also after a redirect.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { GitHostError, type LargeFile, type LargeFileSource } from './port.ts'
import { addressOf, type HostNetwork } from './requests.ts'

/** Files of one request. The hosts take at least as many. */
const atOnce = 100
const downloadsAtOnce = 4
const redirectsAtMost = 3
const silenceMs = 60_000
const answerBytes = 4 * 1024 * 1024

const mediaType = 'application/vnd.git-lfs+json'

const answerShape = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      actions: z
        .object({
          download: z.object({ href: z.string(), header: z.record(z.string(), z.string()).optional() }),
        })
        .optional(),
      error: z.object({ message: z.string() }).optional(),
    }),
  ),
})

type Place = { href: string; header?: Record<string, string> | undefined } | { problem: string }

/** Writes each file below `folder`, named by its checksum. Resolves with the reason for each one that is missing. */
export async function downloadLargeFiles(
  network: HostNetwork,
  source: LargeFileSource,
  files: readonly LargeFile[],
  folder: string,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const problems = new Map<string, string>()
  for (let at = 0; at < files.length; at += atOnce) {
    const some = files.slice(at, at + atOnce)
    const places = await placesOf(network, source, some, signal)
    const left = some.values()
    const work = async () => {
      for (const file of left) {
        const place = places.get(file.oid) ?? { problem: 'the host does not know it' }
        const problem = 'problem' in place ? place.problem : await save(network, place, file, folder, signal)
        if (problem !== undefined) problems.set(file.oid, problem)
      }
    }
    await Promise.all(Array.from({ length: downloadsAtOnce }, work))
  }
  return problems
}

async function placesOf(
  network: HostNetwork,
  { url, credentials }: LargeFileSource,
  files: readonly LargeFile[],
  signal: AbortSignal,
): Promise<Map<string, Place>> {
  const asked = new URL(`${url}/info/lfs/objects/batch`)
  const response = await send(network, asked, signal, {
    method: 'POST',
    headers: {
      accept: mediaType,
      'content-type': mediaType,
      ...(credentials && { authorization: basic(credentials) }),
    },
    body: JSON.stringify({
      ...{ operation: 'download', transfers: ['basic'], hash_algo: 'sha256' },
      objects: files.map(({ oid, size }) => ({ oid, size })),
    }),
  })
  if (response.statusCode !== 200) {
    response.destroy()
    throw new GitHostError('refused', `${asked.host} answered ${response.statusCode} to the request for them`)
  }
  const { objects } = answerShape.parse(JSON.parse(await textOf(response)))
  return new Map(
    objects.map(({ oid, actions, error }): [string, Place] => [
      oid,
      actions?.download ?? { problem: error?.message.slice(0, 200) ?? 'the host does not have it' },
    ]),
  )
}

const basic = ({ user, token }: NonNullable<LargeFileSource['credentials']>): string =>
  `Basic ${Buffer.from(`${user}:${token.reveal()}`).toString('base64')}`

/** Returns the reason if it could not be saved. */
async function save(
  network: HostNetwork,
  { href, header = {} }: Extract<Place, { href: string }>,
  { oid, size }: LargeFile,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const file = path.join(folder, oid)
  try {
    const response = await follow(network, new URL(href), header, signal)
    const hash = createHash('sha256')
    let bytes = 0
    const checked = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > size) throw new GitHostError('refused', 'it is larger than it should be')
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(response, checked, createWriteStream(file, { flags: 'wx', mode: 0o644 }), { signal })
    if (bytes !== size || hash.digest('hex') !== oid)
      throw new GitHostError('refused', 'what came does not match its checksum')
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    await rm(file, { force: true })
    return error instanceof GitHostError ? error.message.replace(/\.$/, '') : 'the download broke off'
  }
}

/** Another origin gets none of the header fields, which may have a secret. */
async function follow(
  network: HostNetwork,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
  left = redirectsAtMost,
): Promise<http.IncomingMessage> {
  const response = await send(network, url, signal, { method: 'GET', headers: endToEnd(headers) })
  const { statusCode = 0 } = response
  if (statusCode === 200) return response
  response.destroy()
  const { location } = response.headers
  if (statusCode < 300 || statusCode > 399 || location === undefined || left === 0)
    throw new GitHostError('refused', `${url.host} answered ${statusCode}`)
  const next = new URL(location, url)
  return await follow(network, next, next.origin === url.origin ? headers : {}, signal, left - 1)
}

/** Those of the connection are our own. */
const ofConnection = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade'])

const endToEnd = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name.toLowerCase())))

interface Request {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

async function send(
  network: HostNetwork,
  url: URL,
  signal: AbortSignal,
  { method, headers, body }: Request,
): Promise<http.IncomingMessage> {
  const isHttps = url.protocol === 'https:'
  if (!isHttps && !(network.allowPrivate && url.protocol === 'http:'))
    throw new GitHostError('refused', `${url.host} is not reached by https`)
  const host = await addressOf(network, url)
  return await new Promise((resolve, reject) => {
    const request = (isHttps ? https : http).request({
      ...{ host, port: url.port || (isHttps ? 443 : 80), method, path: url.pathname + url.search },
      headers: { 'user-agent': 'svc', ...headers, host: url.host },
      ...(isHttps && isIP(url.hostname) === 0 && { servername: url.hostname }),
      ...{ agent: false, signal, timeout: silenceMs },
    })
    request.on('timeout', () => request.destroy(new Error('silent')))
    request.on('error', () => reject(new GitHostError('unreachable', `${url.host} does not answer`)))
    request.on('response', resolve)
    request.end(body)
  })
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > answerBytes) throw new GitHostError('refused', 'the answer of the host is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
