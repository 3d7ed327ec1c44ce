// A platform with people, projects and deployments, for the tests of the dashboard.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient } from '@svc/contract/client'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { onTestFinished } from 'vitest'
import { type Accounts, openAccounts } from '../accounts.ts'
import { Machine, type Svcd } from '../svcd.ts'

export interface Person {
  login: string
  password: string
  token: string
}

export interface DeployedProject {
  name: string
  url: string
  /** Oldest first; the last one is live. */
  deployments: string[]
}

export class Platform {
  readonly #machine: Machine
  readonly #svcd: Svcd
  readonly #apiUrl: string
  readonly #accounts: Accounts
  #people = 0
  #projects = 0
  #owner: Promise<Person> | undefined

  private constructor(machine: Machine, svcd: Svcd, accounts: Accounts) {
    this.#machine = machine
    this.#svcd = svcd
    this.#accounts = accounts
    // An address that every machine resolves; browsers go by the names.
    this.#apiUrl = `http://127.0.0.1:${svcd.port}`
  }

  /** A platform that lives as long as this process. */
  static async startUntilExit(): Promise<Platform> {
    const machine = await Machine.make()
    const svcd = await machine.startUntilExit()
    return new Platform(machine, svcd, await openAccounts(machine.dataDir))
  }

  static async start(environment: Record<string, string> = {}): Promise<Platform> {
    const machine = await Machine.make(environment)
    const svcd = await machine.start()
    return new Platform(machine, svcd, await openAccounts(machine.dataDir))
  }

  async stop(): Promise<void> {
    await this.#accounts.close()
    await this.#svcd.stop()
    await this.#machine.remove()
  }

  get apiUrl(): string {
    return this.#apiUrl
  }

  get dashboardUrl(): string {
    return `http://app.localhost:${this.#svcd.port}`
  }

  get setupLink(): string {
    return /\S+#token=\S+/.exec(this.#svcd.stdout.join('\n'))?.[0] ?? ''
  }

  client(token?: string): Client {
    return createClient({ baseUrl: this.#apiUrl, token })
  }

  /** Somebody new, without projects. */
  async person(): Promise<Person> {
    this.#people += 1
    const login = `person-${this.#people}`
    const password = `the password of ${login}`
    return { login, password, token: await this.#accounts.create(login, password) }
  }

  /** The one who owns the projects of those tests of a file that do not care who does. */
  owner(): Promise<Person> {
    this.#owner ??= this.person()
    return this.#owner
  }

  /** The tests of the next file know nothing of the owner of the last ones. */
  forgetOwner(): void {
    this.#owner = undefined
  }

  /** The link of an invite to an org, which is made for it. */
  async invite({ token }: Person, name: string, role: 'member' | 'admin'): Promise<string> {
    const call = this.client(token)
    await call('POST /orgs', { body: { name } })
    const body = { email: 'guest@example.org', role }
    return (await call('POST /orgs/:name/invites', { params: { name }, body })).invite_url
  }

  /** A project, deployed once for each front page given. */
  async project({ token }: Person, ...frontPages: string[]): Promise<DeployedProject> {
    this.#projects += 1
    const name = `project-${this.#projects}`
    const { url } = await this.client(token)('POST /projects', { body: { name } })
    const deployments: string[] = []
    for (const content of frontPages)
      deployments.push(await this.deploy(token, name, { 'index.html': content }))
    return { name, url, deployments }
  }

  /** Uploads the files, and returns the id of the deployment. `query` may say of which branch it is a preview. */
  async deploy(token: string, project: string, files: Record<string, string>, query = ''): Promise<string> {
    const response = await fetch(`${this.#apiUrl}/projects/${project}/deployments${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(archiveOf(files)),
    })
    const answer = (await response.json()) as { deployment_id?: string }
    if (!answer.deployment_id) throw new Error(`The upload was refused: ${JSON.stringify(answer)}`)
    return answer.deployment_id
  }
}

/** A folder with these files on disk, until the test ends. */
export async function folderWith(files: Record<string, string | Buffer>): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'svc-site-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(parent, 'my-site', name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  return path.join(parent, 'my-site')
}
