// Deploys small server apps in tests, and sends requests to them directly.
import { request } from 'node:http'
import type { AppAddress } from '../core/base/apps.ts'
import { randomText } from '../lib/ids.ts'
import { archiveOf } from './archives.ts'
import { eventually } from './eventually.ts'
import type { HttpAnswer, TestServer } from './server.ts'

/** An app that answers with its name. `/crash` makes it exit, `/env` shows its environment, `/slow` answers late. */
export const program = `
const http = require('node:http')
console.log('starting', process.env.NAME)
http.createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, 'http://app')
  if (pathname === '/crash') process.exit(Number(searchParams.get('code')))
  if (pathname === '/env') return res.end(JSON.stringify(process.env))
  if (pathname === '/slow') return setTimeout(() => res.end('slow'), Number(searchParams.get('ms')))
  res.end(process.env.NAME || 'app')
}).listen(process.env.PORT, process.env.HOSTNAME)
`

export const procfileApp = (name = 'app', script = program) => ({
  Procfile: `web: NAME=${name} node app.cjs\n`,
  'app.cjs': script,
})

export class TestApp {
  readonly server: TestServer
  readonly token: string
  readonly name: string

  private constructor(server: TestServer, token: string, name: string) {
    this.server = server
    this.token = token
    this.name = name
  }

  static async create(server: TestServer): Promise<TestApp> {
    const { token } = await server.account()
    const name = `app-${randomText(12)}`
    await server.client(token)('POST /projects', { body: { name } })
    return new TestApp(server, token, name)
  }

  async upload(files: Record<string, string>, query = ''): Promise<HttpAnswer> {
    return await this.server.upload(this.token, this.name, archiveOf(files), query)
  }

  /** Deploys an app that must start. Returns the id of its deployment. */
  async deploy(files: Record<string, string>, query = ''): Promise<string> {
    const answer = await this.upload(files, query)
    if (answer.status !== 201) throw new Error(`the upload answered ${answer.status}: ${answer.text}`)
    return answer.json.deployment_id
  }

  detail() {
    return this.server.client(this.token)('GET /projects/:name', { params: { name: this.name } })
  }

  async address(deploymentId: string): Promise<AppAddress> {
    const { id: projectId } = await this.detail()
    return await this.server.running.platform.apps.ensureRunning({ projectId, deploymentId })
  }

  /** Returns the answer of an instance of the deployment. Starts an instance if none runs. */
  async ask(deploymentId: string, path = '/'): Promise<string> {
    const address = await this.address(deploymentId)
    const done = this.server.running.platform.apps.markBusy(deploymentId)
    return await this.get(address, path).finally(done)
  }

  async get(address: AppAddress, path = '/'): Promise<string> {
    const socket = await this.server.running.platform.apps.connect(address)
    return await new Promise((resolve, reject) => {
      const asking = request({ createConnection: () => socket, path }, answer => {
        let text = ''
        answer.setEncoding('utf8').on('data', part => (text += part))
        answer.on('error', reject).on('end', () => resolve(text))
      })
      asking.on('error', reject).end()
    })
  }

  put(key: string, value: string, scope = 'runtime'): Promise<HttpAnswer> {
    const path = `/projects/${this.name}/env/${key}`
    return this.server.request(path, { method: 'PUT', token: this.token, body: { value, scope } })
  }

  instances(deploymentId: string) {
    return this.server.running.platform.store.db
      .selectFrom('app_instances')
      .selectAll()
      .where('deployment_id', '=', deploymentId)
      .orderBy('created_at')
      .execute()
  }

  /**
   * Waits until the app sleeps. Its last use may be recorded a moment late, and then the idle time starts again. The clock
   * moves only while that time is not over: if it ran faster than the runner works, the runner would never be done.
   */
  async sleep(deploymentId: string, idleMs = 300_000): Promise<void> {
    const { clock } = this.server
    await eventually(async () => {
      const rows = await this.instances(deploymentId)
      const isInUse = rows.some(row => row.state === 'ready' && clock.now() - row.used_at <= idleMs)
      if (isInUse) clock.advance(idleMs + 1_000)
      return rows.every(row => row.outcome === 'stopped')
    })
  }

  async states(deploymentId: string): Promise<string[]> {
    return (await this.instances(deploymentId)).map(({ state, outcome }) => outcome ?? state)
  }
}
