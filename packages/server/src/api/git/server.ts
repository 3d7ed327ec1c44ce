// The built-in forge over git's smart HTTP protocol: `/git/<owner>/<repo>.git/…`.
// https://git-scm.com/docs/http-protocol
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Caller } from '../../core/base/caller.ts'
import type { TokenParts } from '../../core/base/platform.ts'
import { isRepositoryName, openRepository } from '../../core/builds/repositories.ts'
import { callerBehind } from '../../core/identity/callers.ts'
import type { ForwardedRequest } from '../../lib/client-address.ts'
import { Fault } from '../../lib/fault.ts'
import type { GitService } from '../../ports/git-repos/port.ts'
import { faultOf, headOf } from '../answer.ts'
import type { HttpHandler } from '../server.ts'
import { RequestBodies } from './request-bodies.ts'
import { advertise, type PushParts, readOn, receive, upload } from './services.ts'

interface GitServerSettings {
  platform: PushParts & TokenParts
  log: Logger
  clientAddress(request: ForwardedRequest): string
  /** Git refuses a larger push. */
  pushBytes: number
}

interface GitCall {
  owner: string
  name: string
  /** The part of the path after `.git/`, without the query. */
  action: string
  service: string | null
}

/** Returns a handler for the paths of git. It returns `undefined` for every other path. */
export function createGitServer(
  settings: GitServerSettings,
): (req: IncomingMessage) => HttpHandler | undefined {
  const bodies = new RequestBodies()
  return req => {
    const call = readCall(req.url ?? '')
    if (!call) return undefined
    return (_req, res, { peer }) => {
      handleGitRequest(
        settings,
        bodies,
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
  bodies: RequestBodies,
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
  // The client may send slowly, so the rights are checked again when the body is there.
  const confirmRights = async () => {
    const now = await authenticate(platform, req, call.ip)
    const used = now && (await openRepository(platform, now, call, { create: false }))
    if (used?.id !== repository.id) throw new Fault('not_found', 'You can no longer use this repository.')
  }
  const client = { account: caller.account.id, req, res, confirmRights }
  if (call.action === 'info/refs') await advertise(platform, repository, service, client)
  else if (isPush) await receive({ ...settings, bodies }, repository, client)
  else await upload({ ...settings, bodies }, repository, client)
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
  // The client has left, so git was ended.
  if (res.destroyed) return
  const fault = faultOf(log, { endpoint: `git ${req.method}` }, error)
  if (res.headersSent) {
    res.destroy()
    return
  }
  if (!req.complete) readOn(req, res)
  const { status, headers } = headOf(fault, challenge)
  res.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(`${fault.message}\n`)
}
