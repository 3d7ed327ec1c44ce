// A strict stand-in for GitHub on the loopback address. It refuses what GitHub would refuse, and the test fails.
import { createHmac, createVerify, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LargeFileStore } from '../large-file-store.ts'
import type { TestServer } from '../server.ts'
import { type ApiAnswer, type Installation, type InstallationToken, routes } from './api.ts'
import { Logins } from './logins.ts'
import { StandInRepository } from './repositories.ts'

const suspended: ApiAnswer = { status: 403, body: { message: 'This installation has been suspended' } }

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

export class StandIn {
  readonly appId = '4711'
  readonly webhookSecret = randomBytes(16).toString('hex')
  readonly users = new Map<number, string>()
  readonly installations = new Map<number, Installation>()
  /** The settings of the GitHub App. */
  appSettings = {
    permissions: {
      ...{ contents: 'read', statuses: 'write', deployments: 'write' },
      ...{ pull_requests: 'write', metadata: 'read' },
    } as Record<string, string>,
    events: ['push', 'pull_request', 'repository'],
  }
  /** Requests that GitHub would have refused. */
  readonly complaints: string[] = []
  readonly largeFiles = new LargeFileStore()
  /** `METHOD /path` of every request. */
  readonly requests: string[] = []
  /** All tokens that the stand-in issued. Tests check that no log contains them. */
  readonly secrets: string[] = []
  readonly #repositories: StandInRepository[] = []
  readonly #deleted: StandInRepository[] = []
  readonly #members = new Map<string, Set<number>>()
  readonly #tokens = new Map<string, InstallationToken>()
  readonly #server: Server
  #lastId = 1000
  /** Codes of Apps that somebody has just made. */
  readonly manifestCodes = new Set<string>()
  /** If set, every request gets this answer. */
  outage: { status: number; headers?: Record<string, string>; message?: string } | 'silence' | undefined
  /** Runs before the stand-in answers a request such as `GET /api/v3/user`. */
  beforeAnswer: ((request: string) => Promise<unknown>) | undefined
  readonly logins = new Logins({
    url: () => this.url,
    secret: prefix => this.#secret(prefix),
    complain: (words, status) => this.#complain(words, status),
  })

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<StandIn> {
    const server = createServer((req, res) => {
      github.#handle(req, res).catch(error => {
        github.complaints.push(String(error))
        res.writeHead(500).end()
      })
    })
    const github: StandIn = new StandIn(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return github
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The settings of a platform that uses this stand-in. */
  get settings(): Record<string, string> {
    return {
      SVCD_FORGE: 'github',
      SVCD_GITHUB_URL: this.url,
      SVCD_GITHUB_APP_ID: this.appId,
      SVCD_GITHUB_APP_SLUG: 'svc-test',
      SVCD_GITHUB_CLIENT_ID: 'Iv1.test',
      SVCD_GITHUB_PRIVATE_KEY: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      SVCD_GITHUB_WEBHOOK_SECRET: this.webhookSecret,
    }
  }

  nextId = (): number => ++this.#lastId

  addUser(login: string): number {
    const id = this.nextId()
    this.users.set(id, login)
    return id
  }

  async addRepository(fullName: string, pushers: number[] = []): Promise<StandInRepository> {
    const repository = await StandInRepository.make(this.nextId(), fullName)
    this.#repositories.push(repository)
    this.#members.set(fullName, new Set(pushers))
    return repository
  }

  /** From now on the user may neither push to the repository nor see it. */
  removeMember(fullName: string, userId: number): void {
    this.#members.get(fullName)?.delete(userId)
  }

  install(account: string, repositories: string[]): number {
    const id = this.nextId()
    this.installations.set(id, { account, isSuspended: false, repositories })
    return id
  }

  /** Deletes the repository, as its owner does. */
  delete(repository: StandInRepository): void {
    this.#repositories.splice(this.#repositories.indexOf(repository), 1)
    this.#deleted.push(repository)
  }

  rename(repository: StandInRepository, fullName: string): void {
    for (const installation of this.installations.values())
      installation.repositories = installation.repositories.map(name =>
        name === repository.fullName ? fullName : name,
      )
    this.#members.set(fullName, this.#members.get(repository.fullName) ?? new Set())
    repository.fullName = fullName
  }

  repository = (fullName: string): StandInRepository | undefined =>
    this.#repositories.find(row => row.fullName.toLowerCase() === fullName.toLowerCase())

  canPush = (userId: number | undefined, fullName: string): boolean =>
    this.#members.get(this.repository(fullName)?.fullName ?? '')?.has(userId ?? 0) ?? false
  canRead = this.canPush
  canSee = (userId: number, installationId: number): boolean => {
    const { account, repositories } = this.installations.get(installationId) ?? { repositories: [] }
    return this.users.get(userId) === account || repositories.some(name => this.canRead(userId, name))
  }
  installationOf = (fullName: string): number | undefined =>
    [...this.installations].find(([, row]) =>
      row.repositories.some(name => name.toLowerCase() === fullName.toLowerCase()),
    )?.[0]

  makeToken(installationId: number, asked: Record<string, unknown>): ApiAnswer {
    const installation = this.installations.get(installationId)
    if (!installation) return { status: 404, body: { message: 'Not Found' } }
    if (installation.isSuspended) return suspended
    const repositoryIds = asked.repository_ids as number[]
    const own = installation.repositories.map(name => this.repository(name)?.id)
    if (!repositoryIds.every(id => own.includes(id)))
      return {
        status: 422,
        body: { message: 'There is at least one repository that does not exist or is not accessible' },
      }
    const token = this.#secret('ghs_')
    this.#tokens.set(token, {
      installationId,
      repositoryIds,
      permissions: asked.permissions as Record<string, string>,
    })
    return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() } }
  }

  /** Sends a signed event to the platform's webhook. */
  async deliver(
    server: TestServer,
    event: string,
    payload: unknown,
    { id = randomUUID() as string, secret = this.webhookSecret, headers = {} as Record<string, string> } = {},
  ) {
    const body = JSON.stringify(payload)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    return await server.request('/hooks/github', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': id,
        'x-hub-signature-256': `sha256=${signature}`,
        ...headers,
      },
    })
  }

  /** The keys that GitHub hands out for `code`, once. */
  takeManifest(code: string): ApiAnswer {
    if (!this.manifestCodes.delete(code)) return { status: 404, body: { message: 'Not Found' } }
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    const body = {
      ...{
        id: Number(this.appId),
        slug: 'svc-test',
        client_id: 'Iv1.test',
        webhook_secret: this.webhookSecret,
      },
      ...{ client_secret: this.#secret('client-'), pem, owner: { login: 'acme', type: 'Organization' } },
    }
    return { status: 201, body }
  }

  /** The fields of every event about a repository. No two events are equal, as at GitHub. */
  about = (repository: StandInRepository) => ({
    repository: { id: repository.id, full_name: repository.fullName, pushed_at: this.nextId() },
    installation: { id: this.installationOf(repository.fullName) ?? 0 },
  })

  async remove(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
    for (const repository of [...this.#repositories, ...this.#deleted]) await repository.remove()
  }

  #secret(prefix: string): string {
    const secret = `${prefix}${randomBytes(18).toString('hex')}`
    this.secrets.push(secret)
    return secret
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', this.url)
    const request = `${req.method} ${url.pathname}`
    this.requests.push(request)
    await this.beforeAnswer?.(request)
    if (this.outage === 'silence') return
    if (this.outage) {
      const { status, headers = {}, message = 'outage' } = this.outage
      res
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ message }))
      return
    }
    if (url.pathname.startsWith('/lfs/')) return this.largeFiles.give(req, res)
    const git = /^\/([^/]+\/[^/]+)\.git\/(info\/refs|git-upload-pack|info\/lfs\/objects\/batch)$/.exec(
      url.pathname,
    )
    if (git) return this.#serveGit(git[1] ?? '', req, res)
    const body = await readBody(req)
    const answer = url.pathname.startsWith('/api/v3/')
      ? await this.#api(req, url, body)
      : this.logins.answer(req, url.pathname, body)
    const link = answer.next ? { link: `<${this.url}>; rel="next"` } : {}
    res
      .writeHead(answer.status ?? 200, { 'content-type': 'application/json; charset=utf-8', ...link })
      .end(JSON.stringify(answer.body))
  }

  #serveGit(fullName: string, req: IncomingMessage, res: ServerResponse): void {
    const pair = Buffer.from((req.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString()
    const token = this.#tokens.get(pair.replace(/^x-access-token:/, ''))
    const repository = this.repository(fullName)
    const may =
      repository && token?.permissions.contents === 'read' && token.repositoryIds.includes(repository.id)
    if (may && req.url?.endsWith('/batch')) void this.largeFiles.tell(req, res, this.url)
    else if (may) repository.serve(req, res)
    else res.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end()
  }

  #complain(words: string, status = 400): ApiAnswer {
    this.complaints.push(words)
    return { status, body: { message: words } }
  }

  async #api(req: IncomingMessage, url: URL, text: string): Promise<ApiAnswer> {
    const line = `${req.method} ${url.pathname.slice('/api/v3'.length)}`
    const found = routes.find(({ pattern }) => pattern.test(line))
    if (!found) return this.#complain(`no such route: ${line}`, 404)
    const { accept, authorization = '' } = req.headers
    if (accept !== 'application/vnd.github+json') return this.#complain(`accept: ${accept}`)
    if (req.headers['x-github-api-version'] !== '2022-11-28') return this.#complain('no API version')
    if (!/^svc\/\d/.test(req.headers['user-agent'] ?? '')) return this.#complain('no user agent')
    const secret = authorization.replace(/^Bearer /, '')
    const token = this.#tokens.get(secret)
    const userId = this.logins.userOf(secret)
    const params = found.pattern.exec(line)?.slice(1) ?? []
    if (found.auth === 'app' && !this.#isApp(secret)) return this.#complain(`${line}: not the App`, 401)
    if (found.auth === 'user' && userId === undefined)
      return { status: 401, body: { message: 'Bad credentials' } }
    if (found.auth === 'installation' || typeof found.auth === 'object') {
      if (!token) return this.#complain(`${line}: no installation token`, 401)
      if (!this.installations.has(token.installationId))
        return { status: 401, body: { message: 'Bad credentials' } }
      if (this.installations.get(token.installationId)?.isSuspended) return suspended
    }
    if (typeof found.auth === 'object') {
      const repository = this.repository(params[0] ?? '')
      const level = token?.permissions[found.auth.permission]
      if (!token || !repository || !token.repositoryIds.includes(repository.id))
        return { status: 404, body: { message: 'Not Found' } }
      if (level !== 'write' && level !== found.auth.level)
        return this.#complain(`${line}: no permission`, 403)
    }
    const body = found.body?.safeParse(text === '' ? undefined : JSON.parse(text))
    if (body && !body.success) return this.#complain(`${line}: ${body.error.message}`, 422)
    if (!body && text !== '') return this.#complain(`${line}: takes no body`, 422)
    return await found.answer(this, { params, query: url.searchParams, body: body?.data, userId, token })
  }

  #isApp(jwt: string): boolean {
    const [header = '', payload = '', signature = ''] = jwt.split('.')
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(publicKey, signature, 'base64url')
    if (!isSigned) return false
    const { iss, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const now = Math.floor(Date.now() / 1000)
    return String(iss) === this.appId && iat <= now && exp > now && exp - iat <= 660 && exp - now <= 600
  }
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
