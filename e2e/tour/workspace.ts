// A platform with made-up but realistic data for every page of the dashboard.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@svc/contract/client'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { findBrowser } from '../browser.ts'
import { Machine, type Svcd } from '../svcd.ts'
import { addLongest, longestName } from './longest.ts'
import { pushTo } from './push.ts'
import { sampleSite, serverApp } from './sites.ts'
import { sendTo, visitors } from './visitors.ts'

/** The values that stand for the parameters of a route, such as `:name`. */
export type Samples = Record<string, string>

export class Workspace {
  readonly #machine: Machine
  readonly #svcd: Svcd
  readonly #aiProvider: Server
  /** The token of Ada, who owns everything, and of Grace, who has just signed up. */
  ada = ''
  grace = ''
  samples: Samples = {}

  private constructor(machine: Machine, svcd: Svcd, aiProvider: Server) {
    this.#machine = machine
    this.#svcd = svcd
    this.#aiProvider = aiProvider
  }

  /** For pictures in the docs, nothing has the longest texts, and the sites have pictures of their own. */
  static async open({ isForDocs = false } = {}): Promise<Workspace> {
    const aiProvider = await startAiProvider()
    const machine = await Machine.make({
      SVCD_AI_UPSTREAM: `http://127.0.0.1:${(aiProvider.address() as AddressInfo).port}/v1`,
      ...(isForDocs && { SVCD_CHROMIUM: findBrowser() }),
    })
    const workspace = new Workspace(machine, await machine.start(), aiProvider)
    await workspace.#fill()
    await (isForDocs ? workspace.#picturesOfSites() : workspace.#addLongest())
    return workspace
  }

  async close(): Promise<void> {
    await this.#svcd.stop()
    await this.#machine.remove()
    this.#aiProvider.close()
  }

  get dashboardUrl(): string {
    return `http://app.localhost:${this.#svcd.port}`
  }

  get #port(): number {
    return this.#svcd.port
  }

  async #fill(): Promise<void> {
    this.ada = await this.#person('ada')
    this.grace = await this.#person('grace')
    const call = this.#client(this.ada)
    for (const name of ['landing', 'shop', 'handbook', 'status-page', 'newsletter-archive-2019'])
      await call('POST /projects', { body: { name } })
    const deployments = await this.#deployLanding()
    await call('PUT /projects/:name/disk', { params: { name: 'shop' }, body: {} })
    await this.#upload('shop', serverApp)
    for (const headline of ['All systems normal', 'One system is slow'])
      await this.#upload('status-page', sampleSite(headline, '#0f766e'))
    await this.#nameThings(call)
    const build = await this.#buildHandbook(call)
    const invite = await this.#foundOrg(call)
    const joining = await call('POST /admin/invites', { body: { email: 'margaret@example.org' } })
    await visitors(this.#port)
    await this.#spendOnAi(call)
    await this.#buyPlan(call)
    this.samples = {
      name: 'landing',
      deployment: deployments.at(-2) ?? '',
      build,
      org: 'northwind',
      token: invite,
      join: joining.invite_url.split('/').at(-1) ?? '',
    }
  }

  async #addLongest(): Promise<void> {
    const longest = await addLongest(
      {
        call: this.#client(this.ada),
        upload: (project, files, branch) => this.#upload(project, files, branch),
        push: (cloneUrl, message, files) => pushTo(cloneUrl, this.ada, [{ message, files }]),
        send: message => sendTo(this.#port, { host: `${longestName}.localhost:${this.#port}`, ...message }),
      },
      'northwind',
    )
    this.samples.longestdeployment = longest.deployment
    this.samples.longestbuild = longest.build
  }

  /** The browser of the platform makes them some seconds after a deployment. */
  async #picturesOfSites(): Promise<void> {
    const call = this.#client(this.ada)
    for (;;) {
      const { projects } = await call('GET /projects', {})
      if (projects.every(({ live }) => live === null || live.picture !== null)) return
      await sleep(500)
    }
  }

  async #person(login: string): Promise<string> {
    return this.#machine.run('users', 'create', login, '--password', `the password of ${login}`, '--token')
  }

  #client(token?: string): Client {
    return createClient({ baseUrl: `http://127.0.0.1:${this.#port}`, token })
  }

  /** Uploads files, and returns the id of the deployment. */
  async #upload(project: string, files: Record<string, string>, branch?: string): Promise<string> {
    const query = branch === undefined ? '' : `?branch=${branch}`
    return this.#post(`/projects/${project}/deployments${query}`, files)
  }

  async #post(path: string, files: Record<string, string>): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.ada}`,
        'content-type': 'application/gzip',
        'x-svc-git-sha': '4f9a1c27d0b85e3361a2c94e7f50d8b6e1c3a920',
      },
      body: new Uint8Array(archiveOf(files)),
    })
    const answer = (await response.json()) as { deployment_id?: string }
    if (!response.ok) throw new Error(`The upload to ${path} was refused: ${JSON.stringify(answer)}`)
    return answer.deployment_id ?? ''
  }

  async #deployLanding(): Promise<string[]> {
    const ids: string[] = []
    for (const headline of ['Hello', 'Coffee, roasted slowly', 'Coffee, roasted slowly since 1998'])
      ids.push(await this.#upload('landing', sampleSite(headline, '#9a3412')))
    ids.push(await this.#upload('landing', sampleSite('Summer menu', '#15803d'), 'feature/summer-menu'))
    return ids
  }

  /** Domains, variables, jobs, a notification, tokens and a share. */
  async #nameThings(call: Client): Promise<void> {
    const landing = { name: 'landing' }
    for (const domain of ['www.roastery.example', 'roastery.example'])
      await call('POST /projects/:name/domains', { params: landing, body: { domain } })
    for (const [key, value] of Object.entries({
      API_URL: 'https://api.roastery.example',
      FEATURE_MENU: 'on',
    }))
      await call('PUT /projects/:name/env/:key', { params: { ...landing, key }, body: { value } })
    const jobs = { '*/5 9-17 * * 1-5': '/', '0 3 * * *': '/missing/nightly-report' }
    for (const [schedule, path] of Object.entries(jobs)) {
      const { id } = await call('POST /projects/:name/crons', { params: landing, body: { schedule, path } })
      await call('POST /projects/:name/crons/:id/run', { params: { ...landing, id } })
    }
    await call('POST /projects/:name/notifications', {
      params: landing,
      body: { kind: 'webhook', address: 'https://hooks.roastery.example/deploys' },
    })
    await call('PUT /projects/:name/star', { params: landing })
    await call('POST /tokens', { body: { kind: 'cli', label: 'Laptop' } })
    await call('POST /tokens', { body: { kind: 'ai', label: 'Support bot' } })
    await this.#post('/shares?ttl=7', sampleSite('A draft for Friday', '#6d28d9'))
  }

  /** A project with a repository, one build that succeeded and one that failed. Returns the first. */
  async #buildHandbook(call: Client): Promise<string> {
    const params = { name: 'handbook' }
    const body = { repo: 'ada/handbook' }
    const { clone_url = '' } = await call('POST /projects/:name/repo', { params, body })
    await pushTo(clone_url, this.ada, [
      { message: 'Write the first chapter', files: sampleSite('Handbook', '#1d4ed8') },
      { message: 'Configure redirects', files: { 'svc.json': '{ "redirects": [' } },
    ])
    await call('POST /projects/:name/hooks', { params, body: { name: 'CMS' } })
    const { builds } = await call('GET /projects/:name/builds', { params })
    return builds.at(-1)?.id ?? ''
  }

  async #foundOrg(call: Client): Promise<string> {
    const params = { name: 'northwind' }
    await call('POST /orgs', { body: params })
    const invite = async (email: string, role: 'member' | 'admin') =>
      (await call('POST /orgs/:name/invites', { params, body: { email, role } })).invite_url
        .split('/')
        .at(-1)!
    const linus = this.#client(await this.#person('linus'))
    await linus('POST /invites/:token/accept', {
      params: { token: await invite('linus@example.org', 'admin') },
    })
    await call('POST /projects', { body: { name: 'intranet', org: 'northwind' } })
    await this.#upload('intranet', sampleSite('Northwind intranet', '#334155'))
    await call('POST /orgs/:name/tokens', { params, body: { kind: 'deploy', label: 'CI' } })
    return invite('margaret@example.org', 'member')
  }

  async #spendOnAi(call: Client): Promise<void> {
    const { token } = await call('POST /tokens', { body: { kind: 'ai', label: 'Search' } })
    for (const model of ['gpt-4o', 'gpt-4o', 'house-blend'])
      await sendTo(this.#port, {
        host: `ai.localhost:${this.#port}`,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [] }),
      })
  }

  async #buyPlan(call: Client): Promise<void> {
    const { checkout_url } = await call('POST /billing/checkout', { body: { plan: 'pro' } })
    const { host, pathname } = new URL(checkout_url)
    await sendTo(this.#port, {
      host,
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'choice=pay',
    })
  }
}

/** A stand-in of an AI provider: every request costs the same number of tokens. */
async function startAiProvider(): Promise<Server> {
  const provider = createServer((req, res) => {
    const usage = { prompt_tokens: 120_000, completion_tokens: 8_000 }
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ usage }))
    })
  })
  await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
  return provider
}
