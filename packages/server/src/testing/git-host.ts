// A strict stand-in for a host that runs GitLab or Gitea, on the loopback address. It refuses what these would refuse.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomText } from '../lib/ids.ts'
import { StandInRepository } from './github/repositories.ts'
import { LargeFileStore } from './large-file-store.ts'
import type { HttpAnswer, TestServer } from './server.ts'

interface Webhook {
  id: number
  url: string
  secret: string
}

interface Answer {
  status: number
  body?: unknown
}

const kinds = { gitlab: gitlabAnswer, gitea: giteaAnswer }

/** A host with one repository. */
export class StandInHost {
  readonly kind: keyof typeof kinds
  readonly path: string
  readonly repository: StandInRepository
  /** May read the repository, add webhooks and set statuses. */
  readonly token = `token-${randomText(20)}`
  /** May read the repository alone. */
  readonly readToken = `read-${randomText(20)}`
  readonly webhooks: Webhook[] = []
  readonly statuses: Record<string, unknown>[] = []
  /** Tokens that are not valid any more. */
  readonly revoked = new Set<string>()
  isAway = false
  readonly largeFiles = new LargeFileStore()
  /** Repositories that anybody may read, by their paths. */
  readonly open = new Map<string, StandInRepository>()
  readonly #server: Server
  #lastId = 0

  private constructor(kind: keyof typeof kinds, path: string, repository: StandInRepository, server: Server) {
    this.kind = kind
    this.path = path
    this.repository = repository
    this.#server = server
  }

  static async start(kind: keyof typeof kinds, path: string): Promise<StandInHost> {
    const repository = await StandInRepository.make(1, path)
    const server = createServer((req, res) => void host.#handle(req, res))
    const host: StandInHost = new StandInHost(kind, path, repository, server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return host
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get repositoryUrl(): string {
    return `${this.url}/${this.path}`
  }

  nextId = (): number => ++this.#lastId

  /** Sends the event of a push to every webhook, as the host does. */
  async announce(server: TestServer, branch: string, after: string, secret?: string): Promise<HttpAnswer[]> {
    const body = { ref: `refs/heads/${branch}`, after, project: { id: 1 }, repository: { id: 1 } }
    return await this.#deliver(server, 'push', body, secret)
  }

  /** Gitea has an event of its own for this. GitLab sends a push to the commit of zeros. */
  async announceDeletion(server: TestServer, branch: string): Promise<HttpAnswer[]> {
    if (this.kind === 'gitlab') return await this.announce(server, branch, '0'.repeat(40))
    return await this.#deliver(server, 'delete', { ref: branch, ref_type: 'branch' })
  }

  async #deliver(server: TestServer, event: string, content: object, wrongSecret?: string) {
    const body = JSON.stringify(content)
    return await Promise.all(
      this.webhooks.map(({ url, secret }) => {
        const signed = this.#headersOf(event, body, wrongSecret ?? secret)
        const headers = { 'content-type': 'application/json', ...signed }
        return server.request(new URL(url).pathname, { method: 'POST', headers, body })
      }),
    )
  }

  #headersOf(event: string, body: string, secret: string): Record<string, string> {
    if (this.kind === 'gitlab') return { 'x-gitlab-event': `${event} Hook`, 'x-gitlab-token': secret }
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    return { 'x-gitea-event': event, 'x-gitea-signature': signature }
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (this.isAway) return void res.destroy()
    const url = new URL(req.url ?? '', this.url)
    if (url.pathname.startsWith(`/${this.path}.git/`)) return this.#serveGit(req, res)
    if (url.pathname.startsWith('/lfs/')) return this.largeFiles.give(req, res)
    for (const [path, repository] of this.open) {
      if (url.pathname.startsWith(`/${path}.git/`)) return serveOpen(repository, req, res)
      // As GitLab does.
      if (url.pathname.startsWith(`/${path}/info/refs`))
        return void res
          .writeHead(301, { location: url.pathname.replace(path, `${path}.git`) + url.search })
          .end()
    }
    let text = ''
    for await (const chunk of req) text += chunk
    const body = text === '' ? {} : JSON.parse(text)
    const { status, body: json } = await kinds[this.kind](this, { req, path: url.pathname, body })
    res.writeHead(status, { 'content-type': 'application/json' }).end(json ? JSON.stringify(json) : '')
  }

  async #serveGit(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, credentials = ''] = (req.headers.authorization ?? '').split('Basic ')
    const [, token = ''] = Buffer.from(credentials, 'base64').toString().split(':')
    if (!this.mayRead(token))
      return void res.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    if (req.url?.endsWith('/info/lfs/objects/batch')) await this.largeFiles.tell(req, res, this.url)
    else this.repository.serve(req, res)
  }

  mayRead = (token: string): boolean =>
    [this.token, this.readToken].includes(token) && !this.revoked.has(token)

  mayWrite = (token: string): boolean => token === this.token && !this.revoked.has(token)

  async remove(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
    await this.repository.remove()
    for (const repository of this.open.values()) await repository.remove()
  }
}

/** A token that comes with a request for a public repository was sent to the wrong place. */
function serveOpen(repository: StandInRepository, req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.authorization !== undefined) res.writeHead(400).end('no token is wanted here')
  else repository.serve(req, res)
}

interface Asked {
  req: IncomingMessage
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: as svcd sends it
  body: any
}

const missing: Answer = { status: 404, body: { message: '404 Not found' } }

async function gitlabAnswer(host: StandInHost, { req, path, body }: Asked): Promise<Answer> {
  const token = String(req.headers['private-token'] ?? '')
  if (!host.mayRead(token)) return { status: 401, body: { message: '401 Unauthorized' } }
  if (path === '/api/v4/version') return { status: 200, body: { version: '18.4.0', revision: 'abc' } }
  const base = `/api/v4/projects/${encodeURIComponent(host.path)}`
  if (!path.startsWith(base)) return missing
  const rest = path.slice(base.length)
  if (rest === '' && req.method === 'GET') return { status: 200, body: { id: 1, default_branch: 'main' } }
  if (rest.startsWith('/repository/branches/')) {
    const found = await commitAt(host, decodeURIComponent(rest.slice('/repository/branches/'.length)))
    if (!found) return missing
    const { sha: id, message, author: author_name } = found
    return { status: 200, body: { name: 'x', commit: { id, message, author_name } } }
  }
  if (!host.mayWrite(token)) return { status: 403, body: { message: '403 Forbidden' } }
  const [, what, last] = rest.split('/')
  if (what === 'hooks' && req.method === 'POST') {
    if (body.push_events !== true || !body.token || !URL.canParse(body.url)) return { status: 422 }
    return added(host, { url: body.url, secret: body.token })
  }
  if (what === 'hooks' && req.method === 'DELETE') return removed(host, Number(last))
  if (what === 'statuses' && req.method === 'POST') {
    const { state, name, description, target_url } = body
    if (!['pending', 'running', 'success', 'failed', 'canceled'].includes(state)) return { status: 400 }
    host.statuses.push({ sha: last, state, name, description, target_url })
    return { status: 201, body: {} }
  }
  return missing
}

async function giteaAnswer(host: StandInHost, { req, path, body }: Asked): Promise<Answer> {
  if (path === '/api/v1/version') return { status: 200, body: { version: '1.25.2' } }
  const [, token = ''] = (req.headers.authorization ?? '').split('token ')
  if (!host.mayRead(token)) return { status: 401, body: { message: 'invalid username, password or token' } }
  const base = `/api/v1/repos/${host.path}`
  if (!path.startsWith(base)) return missing
  const rest = path.slice(base.length)
  if (rest === '' && req.method === 'GET') return { status: 200, body: { id: 1, default_branch: 'main' } }
  if (rest.startsWith('/branches/')) {
    const found = await commitAt(host, decodeURIComponent(rest.slice('/branches/'.length)))
    if (!found) return missing
    const { sha: id, message, author: name } = found
    return { status: 200, body: { name: 'x', commit: { id, message, author: { name } } } }
  }
  if (!host.mayWrite(token)) return { status: 403, body: { message: 'user should have write permission' } }
  const [, what, last] = rest.split('/')
  if (what === 'hooks' && req.method === 'POST') {
    const { type, active, events, config } = body
    const isRight = type === 'gitea' && active === true && events.includes('push')
    if (!isRight || config.content_type !== 'json' || !config.secret) return { status: 422 }
    return added(host, { url: config.url, secret: config.secret })
  }
  if (what === 'hooks' && req.method === 'DELETE') return removed(host, Number(last))
  if (what === 'statuses' && req.method === 'POST') {
    const { state, context: name, description, target_url } = body
    if (!['pending', 'success', 'error', 'failure', 'warning'].includes(state)) return { status: 422 }
    host.statuses.push({ sha: last, state, name, description, target_url })
    return { status: 201, body: {} }
  }
  return missing
}

async function commitAt({ repository }: StandInHost, branch: string) {
  const found = await repository.commitAt(`heads/${branch}`)
  const commit = found?.commit as { message: string; author: { name: string } } | undefined
  return found && commit && { sha: found.sha, message: commit.message, author: commit.author.name }
}

function added(host: StandInHost, hook: Omit<Webhook, 'id'>): Answer {
  const id = host.nextId()
  host.webhooks.push({ id, ...hook })
  return { status: 201, body: { id } }
}

function removed(host: StandInHost, id: number): Answer {
  const at = host.webhooks.findIndex(hook => hook.id === id)
  if (at < 0) return missing
  host.webhooks.splice(at, 1)
  return { status: 204 }
}
