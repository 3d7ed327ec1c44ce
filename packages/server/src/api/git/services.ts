// The three requests of git's smart HTTP protocol: the list of refs, a fetch, and a push.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { formatBytes } from '@svc/contract/bytes'
import type { Logger } from 'pino'
import type { BuildParts, Platform, Rows } from '../../core/base/platform.ts'
import { whyPushIsRefused } from '../../core/builds/push-rules.ts'
import { catchUp, type Pushed } from '../../core/builds/pushes.ts'
import { settleRepository } from '../../core/builds/stored-repositories.ts'
import { Fault } from '../../lib/fault.ts'
import { Pace } from '../../lib/pace.ts'
import type { GitRequest, GitService, IncomingPush, KeptBody } from '../../ports/git-repos/port.ts'
import { markBehind } from '../../store/builds/repositories.ts'
import type { RepositoryRow } from '../../store/tables.ts'
import { flush, packet } from './pkt-lines.ts'
import { sendHoldingEnd, tellProgress } from './push-answer.ts'
import type { RequestBodies } from './request-bodies.ts'

interface GitClient {
  account: string
  req: IncomingMessage
  res: ServerResponse
  /** Rejects if the client may no longer use the repository. */
  confirmRights(): Promise<void>
}

export type PushParts = BuildParts & Pick<Platform, 'repositoryBytes'>

interface PushSettings {
  platform: PushParts
  log: Logger
  bodies: RequestBodies
  /** Git refuses a larger push. */
  pushBytes: number
}

/** The limit on a fetch request after decompression. */
const fetchRequestBytes = 16 * 1024 * 1024
/** The limit on a list of refs. */
const refListBytes = 16 * 1024 * 1024
const paceWindowMs = 10_000
const lingerMs = 10_000

/** The list goes into memory first, so that a slow client keeps no git program waiting. */
export async function advertise(
  platform: Pick<Platform, 'repos'>,
  { id }: RepositoryRow,
  service: GitService,
  client: GitClient,
): Promise<void> {
  const chunks: Buffer[] = []
  const request = { ...requestOf(client), body: undefined }
  const succeeded = await platform.repos.serve(id, service, request, async output => {
    let bytes = 0
    for await (const chunk of output as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > refListBytes) throw new Fault('unavailable', 'The repository has too many refs to list.')
      chunks.push(chunk)
    }
  })
  if (!succeeded) throw new Error(`git ${service} could not list the refs of ${id}`)
  // Version 2 of the protocol has no such line.
  if (service === 'receive-pack' || !/(^|:)version=2(:|$)/.test(request.protocol ?? ''))
    chunks.unshift(packet(`# service=git-${service}\n`), flush)
  client.res.writeHead(200, typed(`application/x-git-${service}-advertisement`)).end(Buffer.concat(chunks))
}

export async function upload(
  { platform, bodies }: Pick<PushSettings, 'platform' | 'bodies'>,
  { id }: RepositoryRow,
  client: GitClient,
): Promise<void> {
  const { res } = client
  const body = await bodies.read(client, parts => platform.repos.keep(parts, fetchRequestBytes))
  const pace = new Pace(paceWindowMs)
  try {
    if (body.bytes > fetchRequestBytes) throw new Fault('invalid_request', 'The request is too large.')
    await client.confirmRights()
    const waitsForClient = () => (res.writableNeedDrain ? pace.rate : undefined)
    const request = { ...requestOf(client), body, pace: waitsForClient }
    await platform.repos.serve(id, 'upload-pack', request, async output => {
      res.writeHead(200, typed('application/x-git-upload-pack-result'))
      output.on('data', (chunk: Buffer) => pace.moved(chunk.length))
      // A client that disconnects is not an error.
      await pipeline(output, res).catch(() => undefined)
    })
  } finally {
    await body.remove()
  }
}

/** The client watches the builds after git has ended, so that other clients need not wait. */
export async function receive(
  settings: PushSettings,
  repository: RepositoryRow,
  client: GitClient,
): Promise<void> {
  const { platform, bodies, pushBytes } = settings
  const { req, res } = client
  const body = await bodies.read(client, parts => platform.repos.keep(parts, pushBytes))
  let pushed: Pushed | undefined
  try {
    await client.confirmRights()
    pushed = await takePush(settings, repository, client, body)
  } finally {
    await body.remove()
  }
  if (pushed && body.bytes > pushBytes) pushed.notes.unshift(tooLargeNote(pushBytes))
  if (!req.complete) readOn(req, res)
  if (pushed) await finishPush(platform, pushed, res)
  else res.end()
}

/**
 * Returns `undefined` if git's output has ended, so that no messages can be added. Compares the branches even if the client
 * has disconnected, because git may have moved them before.
 */
async function takePush(
  settings: PushSettings,
  { id }: RepositoryRow,
  client: GitClient,
  body: KeptBody,
): Promise<Pushed | undefined> {
  const { platform, log } = settings
  const { res, account } = client
  let canTellMore = false
  let isAccepted = false
  const judge = async (push: IncomingPush) => {
    const why = await whyPushIsRefused(platform, id, push).catch(err => {
      log.error({ err, repository: id }, 'a push could not be checked')
      throw err
    })
    if (why !== undefined) return why
    await markBehind(platform.store.db, id, account)
    isAccepted = true
  }
  const deliver = async (output: Readable) => {
    res.writeHead(200, typed('application/x-git-receive-pack-result'))
    canTellMore = await sendHoldingEnd(output, res)
  }
  await platform.repos.serve(id, 'receive-pack', { ...requestOf(client), body, judge }, deliver)
  if (!isAccepted) return canTellMore ? { builds: [], notes: [] } : undefined
  const pushed = await catchUp(platform, id).catch((err: unknown): Pushed => {
    log.error({ err, repository: id }, 'the builds of a push could not be queued')
    const note = 'The push is stored, but its builds could not be queued. Run: svc git build'
    return { builds: [], notes: [note] }
  })
  settleRepository(platform, id).catch(err =>
    log.warn({ err, repository: id }, 'a repository could not be tidied'),
  )
  return canTellMore ? pushed : undefined
}

const tooLargeNote = (bytes: number): string =>
  `This push is larger than ${formatBytes(bytes)}, so it was refused. Push fewer commits at once (git push <remote> <commit>:<branch>), or remove large files from them.`

/**
 * Git stopped reading before the client had sent everything. Clients send on to the end, so the rest is read and dropped for
 * a while, and then the connection is closed.
 */
export function readOn(req: IncomingMessage, res: ServerResponse): void {
  req.unpipe()
  req.resume()
  res.once('finish', () => {
    const late = setTimeout(() => req.destroy(), lingerMs)
    req.once('close', () => clearTimeout(late))
  })
}

async function finishPush(platform: Rows, pushed: Pushed, res: ServerResponse): Promise<void> {
  await tellProgress(platform, pushed, res)
  res.end(flush)
}

/** Git ends when the client leaves. */
function requestOf({ account, req, res }: GitClient): Pick<GitRequest, 'account' | 'protocol' | 'signal'> {
  const left = new AbortController()
  const leave = () => left.abort(new Error('the client has disconnected'))
  if (res.destroyed) leave()
  else res.once('close', leave)
  return { account, protocol: protocolOf(req), signal: left.signal }
}

function protocolOf(req: IncomingMessage): string | undefined {
  const value = req.headers['git-protocol']
  return typeof value === 'string' && /^[a-z0-9=.:-]{1,100}$/.test(value) ? value : undefined
}

const typed = (type: string) => ({ 'content-type': type, 'cache-control': 'no-cache' })
