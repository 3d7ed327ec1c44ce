import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { Authority } from '@svc/server/dist/testing/authority.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { protocols, secureSocket } from '@svc/server/dist/testing/https.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

let authority: Authority
let machine: Machine
let svcd: Svcd
let token: string

interface Answer {
  status: number
  text: string
  json: () => Record<string, unknown>
}

interface AskOptions {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  /** Without it, each request has a connection of its own, which any of the workers may take. */
  agent?: Agent
}

function ask(host: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const { method = 'GET', body, agent = false } = options
  const payload = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const headers: Record<string, string> = { host, ...options.headers }
  if (host === 'api.localhost') headers.authorization = `Bearer ${token}`
  if (body !== undefined)
    headers['content-type'] = Buffer.isBuffer(body) ? 'application/gzip' : 'application/json'
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port: svcd.port, agent, method, path, headers }, res => {
      let text = ''
      res.setEncoding('utf8').on('data', part => (text += part))
      res.on('error', reject)
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text, json: () => JSON.parse(text) }))
    })
    req.on('error', reject)
    req.end(payload)
  })
}

const api = (line: string, body?: unknown) => {
  const [method = '', path = ''] = line.split(' ')
  return ask('api.localhost', path, { method, body })
}

async function deploy(project: string, files: Record<string, string>): Promise<string> {
  const answer = await api(`POST /projects/${project}/deployments`, archiveOf(files))
  expect(answer.status).toBe(201)
  return String(answer.json().deployment_id)
}

/** What many who come at the same time get; no two workers may say different things. */
async function seen(host: string): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(host, '/')))
  return [...new Set(answers.map(({ status, text }) => `${status} ${status === 200 ? text : ''}`.trim()))]
}

const isAlive = (pid: number): boolean => {
  try {
    // A process that ended but was not yet waited for is no longer running.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The processes that serve sites. */
const workers = (): number[] =>
  readFileSync(`/proc/${svcd.child.pid}/task/${svcd.child.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter(pid => isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('edge-workers'))

/** As its log says it. */
async function tlsPort(): Promise<number> {
  const find = () => /"tlsPort":(\d+)/.exec([...svcd.stdout, ...svcd.stderr].join('\n'))?.[1]
  await eventually(async () => find() !== undefined)
  return Number(find())
}

describe.each(['sqlite', 'postgres'])('edge workers on %s', engine => {
  let database: Awaited<ReturnType<typeof freshPostgres>> | undefined

  beforeAll(async () => {
    database = engine === 'postgres' ? await freshPostgres() : undefined
    const url = database && { SVCD_DATABASE_URL: database.url }
    authority = await Authority.make()
    const { certFile, keyFile } = await authority.certificate('api.localhost', 'secure.localhost')
    const https = { SVCD_TLS_PORT: '0', SVCD_TLS_CERT: certFile, SVCD_TLS_KEY: keyFile }
    machine = await Machine.make({ SVCD_EDGE_WORKERS: '2', SVCD_LOG_LEVEL: 'info', ...https, ...url })
    svcd = await machine.start()
    token = await machine.token('ada')
  })

  afterAll(async () => {
    await svcd?.stop('SIGKILL')
    await machine?.remove()
    await authority?.remove()
    await database?.drop()
  })

  test('show deployments, rollbacks and domains as soon as the API has answered', async () => {
    expect(workers()).toHaveLength(2)
    await api('POST /projects', { name: 'shop' })
    const first = await deploy('shop', { 'index.html': 'one' })
    expect(await seen('shop.localhost')).toEqual(['200 one'])
    await deploy('shop', { 'index.html': 'two' })
    expect(await seen('shop.localhost')).toEqual(['200 two'])
    expect((await api(`POST /projects/shop/deployments/${first}/activate`)).status).toBe(200)
    expect(await seen('shop.localhost')).toEqual(['200 one'])

    expect(await seen('www.shop.test')).toEqual(['404'])
    expect((await api('POST /projects/shop/domains', { domain: 'www.shop.test' })).status).toBe(201)
    expect(await seen('www.shop.test')).toEqual(['200 one'])
    expect((await api('DELETE /projects/shop/domains/www.shop.test')).status).toBe(200)
    expect(await seen('www.shop.test')).toEqual(['404'])
    await api('PUT /projects/shop/password', { password: 'open sesame' })
    expect(await seen('shop.localhost')).toEqual(['401'])
  })

  test('hand over what is not for a site, and say truly whom it came from', async () => {
    const headers = (await api('GET /projects/shop/audit')).json() as { entries: { ip: string }[] }
    expect(new Set(headers.entries.map(({ ip }) => ip))).toEqual(new Set(['127.0.0.1']))
    expect((await ask('app.localhost', '/')).text).toContain('<!doctype html>')
    expect((await ask('docs.localhost', '/')).status).toBe(200)
    expect((await ask('nobody.example', '/')).status).toBe(404)
  })

  test('count their requests in the metrics of the main process', async () => {
    const counted = async () => {
      const { text } = await api('GET /metrics')
      const found = text.matchAll(
        /^svcd_requests_total\{process="(edge-\d+)",class="[a-z]+",status="\d+"\} (\d+)$/gm,
      )
      return Array.from(found, ([, , count]) => Number(count)).reduce((sum, count) => sum + count, 0)
    }
    const before = await counted()
    await seen('shop.localhost')
    await eventually(async () => (await counted()) >= before + 40)
  })

  test.each(['h2', 'http/1.1'] as const)('speak TLS by %s, for sites and for the API', async protocol => {
    const name = 'secure'
    const port = await tlsPort()
    const askSecurely = (host: string, rest = {}) =>
      protocols[protocol]({ port, ca: authority.ca, host: `${host}.localhost`, ...rest })
    const headers = { authorization: `Bearer ${token}` }
    const json = { ...headers, 'content-type': 'application/json' }
    await askSecurely('api', { method: 'POST', path: '/projects', headers: json, body: `{"name":"${name}"}` })
    const text = `by ${protocol}: ${'x'.repeat(300_000)}`
    const upload = await askSecurely('api', {
      method: 'POST',
      path: `/projects/${name}/deployments`,
      headers: { ...headers, 'content-type': 'application/gzip' },
      body: archiveOf({ 'index.html': text }),
    })
    expect(upload.status).toBe(201)
    const answers = await Promise.all(Array.from({ length: 20 }, () => askSecurely(name)))
    expect(new Set(answers.map(answer => answer.text))).toEqual(new Set([text]))
    const me = await askSecurely('api', { path: '/me', headers })
    expect(JSON.parse(me.text)).toMatchObject({ token_kind: 'cli' })
  })

  test('resume the TLS sessions of each other', async () => {
    const options = { port: await tlsPort(), ca: authority.ca, servername: 'secure.localhost' }
    const first = await secureSocket({ ...options, maxVersion: 'TLSv1.2' })
    const session = first.getSession()
    first.destroy()
    for (let count = 0; count < 20; count++) {
      const socket = await secureSocket({ ...options, maxVersion: 'TLSv1.2', session })
      expect(socket.isSessionReused()).toBe(true)
      socket.destroy()
    }
  })

  test('are all counted', async () => {
    await api('POST /projects', { name: 'counted' })
    await deploy('counted', { 'index.html': 'home' })
    await seen('counted.localhost')
    await eventually(async () => {
      const { totals } = (await api('GET /projects/counted/stats')).json() as { totals: { requests: number } }
      return totals.requests === 40
    })
  })

  test('take forms, and let scheduled jobs pass', async () => {
    await api('POST /projects', { name: 'formal' })
    await deploy('formal', { 'index.html': 'home' })
    await api('PUT /projects/formal/password', { password: 'open sesame' })
    const { id } = (await api('POST /projects/formal/crons', { schedule: '0 0 1 1 *', path: '/' })).json()
    expect((await api(`POST /projects/formal/crons/${id}/run`)).json()).toMatchObject({ status: 200 })
    await api('DELETE /projects/formal/password')
    const sent = { method: 'POST', body: { by: 'a worker' } }
    expect((await ask('formal.localhost', '/_svc/forms/contact', sent)).text).toBe('{"ok":true}\n')
    const { forms } = (await api('GET /projects/formal/forms')).json()
    expect(forms).toMatchObject([{ name: 'contact', submissions: 1 }])
  })

  test('reach server apps, and wake them', async () => {
    const program =
      "require('node:http').createServer((_, res) => res.end('app')).listen(process.env.PORT, process.env.HOSTNAME)"
    await api('POST /projects', { name: 'backend' })
    await deploy('backend', { Procfile: 'web: node app.cjs\n', 'app.cjs': program })
    expect(await seen('backend.localhost')).toEqual(['200 app'])
  })

  test('pass requests to server apps on kept connections, and count each of them', async () => {
    const program = `
      require('node:http').createServer((req, res) => {
        let body = ''
        req.on('data', part => (body += part)).on('end', () => res.end([req.method, req.headers['x-name'], body].join(' ')))
      }).listen(process.env.PORT, process.env.HOSTNAME)`
    await api('POST /projects', { name: 'kept' })
    await deploy('kept', { Procfile: 'web: node app.cjs\n', 'app.cjs': program })
    const [clients, rounds] = [8, 10]
    const asked = Array.from({ length: clients }, async (_, client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const answers: string[] = []
      for (let round = 0; round < rounds; round++) {
        const name = `${client}-${round}`
        const options = { agent, headers: { 'x-name': name } }
        answers.push((await ask('kept.localhost', '/', options)).text === `GET ${name} ` ? 'right' : 'wrong')
        const posted = await ask('kept.localhost', '/', { ...options, method: 'POST', body: { name } })
        answers.push(posted.text === `POST ${name} {"name":"${name}"}` ? 'right' : 'wrong')
      }
      agent.destroy()
      return answers
    })
    expect((await Promise.all(asked)).flat()).toEqual(Array(2 * clients * rounds).fill('right'))
    await eventually(async () => {
      const { totals } = (await api('GET /projects/kept/stats')).json() as { totals: { requests: number } }
      return totals.requests === 2 * clients * rounds
    })
  })

  test('all forget what is revalidated, before the API has answered', async () => {
    const program = `
      let count = 0
      require('node:http').createServer((_, res) => {
        res.writeHead(200, { 'cache-control': 's-maxage=3600' }).end(String(++count))
      }).listen(process.env.PORT, process.env.HOSTNAME)`
    await api('POST /projects', { name: 'cached' })
    await deploy('cached', { Procfile: 'web: node app.cjs\n', 'app.cjs': program })
    // Each worker keeps an answer of its own; the first request to each is the one that counts.
    await eventually(async () => (await seen('cached.localhost')).length === 2)
    const before = await seen('cached.localhost')
    const { evicted } = (await api('POST /projects/cached/revalidate', { paths: ['/'] })).json()
    expect(evicted).toBe(2)
    for (const answer of await seen('cached.localhost')) expect(before).not.toContain(answer)

    // A visitor's change of the page reaches the one worker that takes it; the others hear of it.
    await eventually(async () => (await seen('cached.localhost')).length === 2)
    const kept = await seen('cached.localhost')
    expect((await ask('cached.localhost', '/', { method: 'POST', body: {} })).status).toBe(200)
    await eventually(async () => (await seen('cached.localhost')).every(answer => !kept.includes(answer)))
  })

  test('are replaced when they end', async () => {
    await api('POST /projects', { name: 'lasting' })
    await deploy('lasting', { 'index.html': 'here' })
    const [victim = 0] = workers()
    process.kill(victim, 'SIGKILL')
    await eventually(async () => !isAlive(victim))
    // Whom the dead one had in hand is cut off; whoever comes now is served by the other.
    await eventually(
      async () => (await ask('lasting.localhost', '/').catch(() => undefined))?.text === 'here',
    )
    await eventually(async () => workers().length === 2 && !workers().includes(victim))
    await eventually(async () => (await seen('lasting.localhost').catch(() => [])).join() === '200 here')
  })

  test('end with the main process, even if that is killed', async () => {
    const before = workers()
    await svcd.stop('SIGKILL')
    await eventually(async () => !before.some(isAlive))
    svcd = await machine.start()
    expect(await seen('lasting.localhost')).toEqual(['200 here'])
  })

  test('let requests end and stop in good order', async () => {
    const before = workers()
    expect(before).toHaveLength(2)
    expect(await svcd.stop('SIGTERM')).toBe(0)
    await eventually(async () => !before.some(isAlive))
  })
})
