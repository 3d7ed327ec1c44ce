// Tells the access log of answers: those that node:http sends, when they are over, and those of the fast lane.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access, AccessLog } from '../core/stats/access.ts'
import type { Clock } from '../lib/clock.ts'
import { requestedHost } from './hosts.ts'
import type { HotFile } from './hot-files.ts'
import type { PlainGet } from './plain-get.ts'

/** A connection of the fast lane. */
export interface Peer {
  readonly address: string
  readonly secure: boolean
  /** What it asked for last. */
  last: Access | undefined
}

export interface Watcher {
  log: AccessLog
  clock: Clock
}

/** Whoever asks for the same over and over is counted in place. */
export function tellHot(
  { log, clock }: Watcher,
  projectId: string,
  request: PlainGet,
  hot: HotFile,
  peer: Peer,
): void {
  const { last } = peer
  const bytes = hot.body.length
  const { html } = hot.representation
  const isSame =
    last !== undefined &&
    !last.taken &&
    last.bytes === bytes &&
    last.html === html &&
    last.projectId === projectId &&
    last.target === request.target &&
    last.fields === request.fields
  if (isSame) {
    last.times++
    return
  }
  const access: Access = {
    at: clock.now(),
    projectId,
    host: request.host,
    method: 'GET',
    target: request.target,
    status: 200,
    bytes,
    cache: 'HIT',
    html,
    peer: peer.address,
    fields: request.fields,
    times: 1,
    taken: false,
  }
  peer.last = access
  log.add(access)
}

/** Whether what the client has already is a page: a 304 does not say. */
const unchangedPages = new WeakMap<ServerResponse, boolean>()

export function noteUnchanged(res: ServerResponse, isPage: boolean): void {
  unchangedPages.set(res, isPage)
}

/** Of a client that went away before it had an answer. */
const unanswered = 0

/** Of requests for another protocol. */
const tellers = new WeakMap<ServerResponse, (status: number) => void>()

/** What follows is another protocol, of which HTTP sees neither the length nor the end. */
export function tellUpgraded(res: ServerResponse): void {
  tellers.get(res)?.(101)
}

/** `watch` for a request for another protocol. */
export function watchUpgrade(
  watcher: Watcher,
  projectId: string,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  tellers.set(res, watch(watcher, projectId, req, res))
}

/** Must come before anything is written. Answers how to tell of a status that HTTP does not see. */
export function watch(
  { log, clock }: Watcher,
  projectId: string,
  req: IncomingMessage,
  res: ServerResponse,
): (status: number) => void {
  const { method = 'GET', url = '/', socket } = req
  const peer = socket.remoteAddress ?? ''
  // A connection of HTTP/2 is shared, and gone when its session is.
  const isShared = req.httpVersionMajor > 1
  const before = isShared ? 0 : socket.bytesWritten
  const head: Head = { cache: undefined, type: undefined, length: undefined }
  let counted = 0
  let told = false

  const writeHead = res.writeHead
  res.writeHead = ((...args: Parameters<typeof writeHead>) => {
    readHead(head, args.at(-1), res)
    if (isShared || head.length === undefined) countBody(res, bytes => (counted += bytes))
    return writeHead.apply(res, args)
  }) as typeof writeHead

  const sent = () => (isShared ? counted : socket.bytesWritten - before)
  const tell = (isWhole: boolean, status = res.headersSent ? res.statusCode : unanswered) => {
    if (told) return
    told = true
    const declared = method === 'HEAD' || status === 304 || status === 204 ? 0 : (head.length ?? counted)
    log.add({
      at: clock.now(),
      projectId,
      host: requestedHost(req) ?? '',
      method,
      target: url,
      status,
      bytes: isWhole ? declared : Math.min(declared, sent()),
      cache: head.cache,
      html: head.type?.startsWith('text/html') ?? (status === 304 && isPage(req, res)),
      peer,
      fields: fieldsOf(req.rawHeaders),
      times: 1,
      taken: false,
    })
  }
  // HTTP/2 calls everything finished that is over.
  res.on('finish', () => tell(!isShared))
  // Without an end before it: the client has gone, or the answer broke off.
  res.on('close', () => tell(false))
  return status => tell(true, status)
}

/** An app's 304 says nothing either: then the client's own wish does. */
const isPage = ({ headers }: IncomingMessage, res: ServerResponse): boolean =>
  unchangedPages.get(res) ?? /text\/html/i.test(headers.accept ?? '')

interface Head {
  cache: string | undefined
  type: string | undefined
  length: number | undefined
}

/** Headers come as one list of names and values, or by name, or were set one by one before. */
function readHead(head: Head, given: unknown, res: ServerResponse): void {
  const note = (name: string, value: unknown) => {
    const lower = name.toLowerCase()
    if (lower === 'x-svc-cache') head.cache = String(value)
    else if (lower === 'content-type') head.type = String(value).toLowerCase()
    else if (lower === 'content-length') head.length = Number(value)
  }
  for (const name of ['x-svc-cache', 'content-type', 'content-length']) {
    const value = res.getHeader(name)
    if (value !== undefined) note(name, value)
  }
  if (Array.isArray(given)) for (let i = 0; i < given.length; i += 2) note(String(given[i]), given[i + 1])
  else if (typeof given === 'object' && given !== null)
    for (const [name, value] of Object.entries(given)) note(name, value)
}

/** Of answers that do not say how long they are. */
function countBody(res: ServerResponse, add: (bytes: number) => void): void {
  const { write, end } = res
  const counting = (chunk: unknown) => {
    if (typeof chunk === 'string') add(Buffer.byteLength(chunk))
    else if (chunk instanceof Uint8Array) add(chunk.byteLength)
  }
  // `end` writes its chunk by itself, without `write`.
  res.write = ((...args: Parameters<typeof write>) => {
    counting(args[0])
    return write.apply(res, args)
  }) as typeof write
  res.end = ((...args: Parameters<typeof end>) => {
    counting(args[0])
    return end.apply(res, args)
  }) as typeof end
}

/** As they stand in the request. */
function fieldsOf(rawHeaders: readonly string[]): string {
  let text = ''
  for (let i = 0; i < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
  return text
}
