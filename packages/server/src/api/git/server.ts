// The built-in forge over git's smart HTTP protocol: `/git/<owner>/<repo>.git/…`.
// https://git-scm.com/docs/http-protocol
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { formatBytes } from '@svc/contract/bytes'
import type { Logger } from 'pino'
import type { Caller } from '../../core/base/caller.ts'
import type { BuildParts, Platform, Rows, TokenParts } from '../../core/base/platform.ts'
import { catchUp, type Pushed } from '../../core/builds/pushes.ts'
import { isRepositoryName, openRepository } from '../../core/builds/repositories.ts'
import { callerBehind } from '../../core/identity/callers.ts'
import type { ForwardedRequest } from '../../lib/client-address.ts'
import { QueueFull } from '../../lib/fair-queue.ts'
import { Fault } from '../../lib/fault.ts'
import { goAhead } from '../../lib/small-body.ts'
import type { GitService } from '../../ports/git-repos/port.ts'
import { markBehind } from '../../store/builds/repositories.ts'
import type { RepositoryRow } from '../../store/tables.ts'
import { faultOf, headOf } from '../answer.ts'
import type { HttpHandler } from '../server.ts'
import { flush, packet } from './pkt-lines.ts'
import { sendHoldingEnd, tellProgress } from './push-answer.ts'
import { GitTurns } from './turns.ts'

interface GitServerSettings {
  platform: BuildParts & TokenParts
  log: Logger
  clientAddress(request: ForwardedRequest): string
  /** Git refuses a larger push. */
  pushBytes: number
  /** A repository that is larger than this takes no more pushes. */
  repositoryBytes: number
}

interface GitCall {
  owner: string
  name: string
  /** The part of the path after `.git/`, without the query. */
  action: string
  service: string | null
}

/** The limit on a fetch request after decompression. Git itself limits pushes. */
const fetchRequestBytes = 16 * 1024 * 1024

const lingerMs = 10_000

/** Returns a handler for the paths of git. It returns `undefined` for every other path. */
export function createGitServer(
  settings: GitServerSettings,
): (req: IncomingMessage) => HttpHandler | undefined {
  const turns = new GitTurns()
  return req => {
    const call = readCall(req.url ?? '')
    if (!call) return undefined
    return (_req, res, { peer }) => {
      handleGitRequest(
        settings,
        turns,
        { ...call, ip: settings.clientAddress({ req, peer }) },
        req,
        res,
      ).catch(error => refuse(settings.log, req, res, error))
    }
  }
}

/** `undefined` for paths outside /git/. */
function readCall(target: string): GitCall | undefined {
  if (!target.startsWith('/git/')) return undefined
  const [path = '', query = ''] = target.slice('/git/'.length).split('?', 2)
  const [owner = '', repo = '', ...action] = path.split('/')
  const name = repo.endsWith('.git') ? repo.slice(0, -'.git'.length) : repo
  return { owner, name, action: action.join('/'), service: new URLSearchParams(query).get('service') }
}

async function handleGitRequest(
  settings: GitServerSettings,
  turns: GitTurns,
  call: GitCall & { ip: string },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { platform } = settings
  const caller = await authenticate(platform, req, call.ip)
  if (!caller) return askForToken(res)
  if (call.action.startsWith('info/lfs')) return refuseLfs(res)
  const service = serviceOf(call, req.method)
  if (!service || !isRepositoryName(call.name))
    throw new Fault(
      'not_found',
      'This is not a path of a repository. Its URL is <this server>/git/<owner>/<repository>.git',
    )
  const isPush = service === 'receive-pack'
  const repository = await openRepository(platform, caller, call, { create: isPush })
  if (!repository)
    throw new Fault('not_found', `There is no repository '${call.owner}/${call.name}' that you can use.`)
  // The client may send slowly, so the rights are checked again for each part of the body.
  const confirmRights = async () => {
    const now = await authenticate(platform, req, call.ip)
    const used = now && (await openRepository(platform, now, call, { create: false }))
    if (used?.id !== repository.id) throw new Fault('not_found', 'You can no longer use this repository.')
  }
  try {
    const pushed = await turns.run(caller.account.id, async () => {
      if (call.action === 'info/refs') await advertise(platform, repository, service, req, res)
      else if (isPush) return await receive(settings, repository, caller, req, res, confirmRights)
      else await upload(platform, repository, req, res, confirmRights)
    })
    // The client watches the build after its turn has ended, so other clients need not wait.
    if (pushed) await finishPush(platform, pushed, res)
  } catch (error) {
    if (error instanceof QueueFull)
      throw new Fault('unavailable', 'Too many git clients at once. Try again in a minute.', {
        retryAfter: 30,
      })
    throw error
  }
}

const services: Record<string, GitService> = {
  'git-upload-pack': 'upload-pack',
  'git-receive-pack': 'receive-pack',
}

function serviceOf({ action, service }: GitCall, method: string | undefined): GitService | undefined {
  const name = action === 'info/refs' && method === 'GET' ? service : method === 'POST' ? action : null
  return name !== null && Object.hasOwn(services, name) ? services[name] : undefined
}

/** The password is a `cli` token. The user name is ignored. */
async function authenticate(
  platform: TokenParts,
  req: IncomingMessage,
  ip: string,
): Promise<Caller | undefined> {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,1000})$/i.exec(req.headers.authorization ?? '') ?? []
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const secret = pair.slice(pair.indexOf(':') + 1)
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(secret)) return undefined
  const caller = await callerBehind(platform, secret, ip)
  // A repository may hold the source of other projects, so a token for one project is refused.
  return caller?.kind === 'cli' && !caller.project ? caller : undefined
}

async function advertise(
  platform: Pick<Platform, 'repos'>,
  { id }: RepositoryRow,
  service: GitService,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const protocol = protocolOf(req)
  res.writeHead(200, typed(`application/x-git-${service}-advertisement`))
  // Version 2 of the protocol has no such line.
  if (service === 'receive-pack' || !/(^|:)version=2(:|$)/.test(protocol ?? ''))
    res.write(Buffer.concat([packet(`# service=git-${service}\n`), flush]))
  const git = platform.repos.serve(id, service, { protocol, input: undefined })
  await deliver(git, res)
}

async function upload(
  platform: Pick<Platform, 'repos'>,
  { id }: RepositoryRow,
  req: IncomingMessage,
  res: ServerResponse,
  confirmRights: () => Promise<void>,
): Promise<void> {
  const input = bodyOf(req, res, fetchRequestBytes, confirmRights)
  const git = platform.repos.serve(id, 'upload-pack', { protocol: protocolOf(req), input })
  res.writeHead(200, typed('application/x-git-upload-pack-result'))
  await deliver(git, res)
}

/** `undefined` if git's output has ended, so that no messages can be added. */
type Receipt = Pushed | undefined

/** Compares the branches even if the client has disconnected, because git may have moved them before. */
async function receive(
  settings: GitServerSettings,
  repository: RepositoryRow,
  caller: Caller,
  req: IncomingMessage,
  res: ServerResponse,
  confirmRights: () => Promise<void>,
): Promise<Receipt> {
  const { platform, log } = settings
  const { id } = repository
  if ((await platform.repos.size(id)) > settings.repositoryBytes)
    throw new Fault('quota_exceeded', 'The repository is full. Remove large files from its history first.')
  await markBehind(platform.store.db, id, caller.account.id)
  const input = bodyOf(req, res, Number.POSITIVE_INFINITY, confirmRights)
  let bytes = 0
  input.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const git = platform.repos.serve(id, 'receive-pack', { protocol: protocolOf(req), input })
  res.writeHead(200, typed('application/x-git-receive-pack-result'))
  const canTellMore = await sendHoldingEnd(git.output, res)
  await git.done
  const pushed = await catchUp(platform, id).catch((err: unknown): Pushed => {
    log.error({ err, repository: id }, 'the builds of a push could not be queued')
    const note = 'The push is stored, but its builds could not be queued. Run: svc git build'
    return { builds: [], notes: [note] }
  })
  platform.repos.tidy(id).catch(err => log.warn({ err, repository: id }, 'a repository could not be tidied'))
  if (bytes > settings.pushBytes) pushed.notes.unshift(tooLargeNote(settings.pushBytes))
  if (!req.complete) readOn(req, res)
  if (canTellMore) return pushed
  res.end()
  return undefined
}

const tooLargeNote = (bytes: number): string =>
  `This push is larger than ${formatBytes(bytes)}, so it was refused. Push fewer commits at once (git push <remote> <commit>:<branch>), or remove large files from them.`

/**
 * Git stopped reading before the client had sent everything. Clients send on to the end, so the rest is read and dropped for
 * a while, and then the connection is closed.
 */
function readOn(req: IncomingMessage, res: ServerResponse): void {
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

async function deliver(
  git: { output: Readable; done: Promise<boolean>; abort(): void },
  res: ServerResponse,
): Promise<void> {
  res.once('close', git.abort)
  // A client that disconnects is not an error. The abort above ends git.
  await pipeline(git.output, res).catch(() => git.abort())
  await git.done
}

/** The body, decompressed: git compresses large requests. Each part is passed on after `confirmRights` has resolved. */
function bodyOf(
  req: IncomingMessage,
  res: ServerResponse,
  bytesAtMost: number,
  confirmRights: () => Promise<void>,
): Readable {
  goAhead(req, res)
  const isPacked = /^(x-)?gzip$/i.test(req.headers['content-encoding'] ?? '')
  let bytes = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bytesAtMost) done(new Error('the request is too large'))
      else confirmRights().then(() => done(null, chunk), done)
    },
  })
  // Not `pipeline`: it would destroy the request when git stops reading, and the client would then wait for its answer.
  const unpacked = isPacked ? req.pipe(createGunzip()) : req
  unpacked.pipe(bounded)
  // If this fails, git sees the end of its input and reports it.
  const stop = () => bounded.destroy()
  for (const stream of new Set([req, unpacked])) stream.once('error', stop)
  req.once('close', () => {
    if (!req.complete) stop()
  })
  return bounded
}

function protocolOf(req: IncomingMessage): string | undefined {
  const value = req.headers['git-protocol']
  return typeof value === 'string' && /^[a-z0-9=.:-]{1,100}$/.test(value) ? value : undefined
}

const typed = (type: string) => ({ 'content-type': type, 'cache-control': 'no-cache' })

/** git asks its user for a password only if an answer has this header. */
const challenge = 'Basic realm="svc"'

function askForToken(res: ServerResponse): void {
  res
    .writeHead(401, { 'www-authenticate': challenge, 'content-type': 'text/plain; charset=utf-8' })
    .end(
      'The password is a token of yours. Make one with: svc token cli git\nA token of an org, or one that is limited to one project, does not work here.\n',
    )
}

/** Answers in the format whose message git-lfs shows to its user. */
function refuseLfs(res: ServerResponse): void {
  const message =
    'This forge does not store Git LFS files. Commit the files themselves, or use another git host.'
  res.writeHead(501, { 'content-type': 'application/vnd.git-lfs+json' }).end(JSON.stringify({ message }))
}

function refuse(log: Logger, req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const fault = faultOf(log, { endpoint: `git ${req.method}` }, error)
  if (res.headersSent) {
    res.destroy()
    return
  }
  const { status, headers } = headOf(fault, challenge)
  res.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(`${fault.message}\n`)
}
