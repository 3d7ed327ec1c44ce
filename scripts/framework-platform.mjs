// A fresh platform for trying out frameworks, the real svc to talk to it, and a visitor of what it serves.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const run = promisify(execFile)
export const root = fileURLToPath(new URL('..', import.meta.url))
const svcd = join(root, 'packages/server/bin/svcd.js')
const svc = join(root, 'packages/cli/bin/svc.js')

/** Its data and the client's home directory lie in `work`. */
export async function startPlatform(work, settings = {}) {
  const env = {
    PATH: process.env.PATH,
    SVCD_DATA_DIR: join(work, 'data'),
    SVCD_PORT: '0',
    SVCD_LOG_LEVEL: 'error',
    SVCD_RUNNER: 'process',
    ...settings,
  }
  const child = spawn(process.execPath, [svcd, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { stdout } = await run(process.execPath, [svcd, 'users', 'create', 'ada', '--token'], { env })
  const [url, token] = [/http:\/\/\S+/.exec(line)[0], stdout.trim()]
  const client = { PATH: process.env.PATH, HOME: work, SVC_API_URL: url, SVC_TOKEN: token }
  return {
    ...{ url, token },
    svc: (cwd, ...args) => run(process.execPath, [svc, ...args], { cwd, env: client, maxBuffer }),
    svcWith: (more, cwd, ...args) =>
      run(process.execPath, [svc, ...args], { cwd, env: { ...client, ...registry(), ...more }, maxBuffer }),
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** What npm needs to know to reach a registry of one's own. */
const registry = () =>
  Object.fromEntries(
    ['npm_config_registry', 'NODE_EXTRA_CA_CERTS'].flatMap(name =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  )

export const maxBuffer = 64 * 1024 * 1024

/** `form` is what the page says after a form with `word=hi` was sent from the origin that it is given. */
export async function visitAll(url, { pages, redirects = {}, form, hidden = [] }) {
  const check = (is, path, { status, body, location }) => {
    if (!is) throw new Error(`${path} answered ${status} ${location ?? ''}: ${body.slice(0, 500)}`)
  }
  for (const [path, expected] of Object.entries(pages)) {
    const answer = await visit(url, path)
    check(answer.status === 200 && answer.body.includes(expected), path, answer)
  }
  for (const [path, target] of Object.entries(redirects)) {
    const answer = await visit(url, path)
    check(new URL(answer.location ?? '', url).href === new URL(target, url).href, path, answer)
  }
  for (const path of hidden) {
    const answer = await visit(url, path)
    check(answer.status === 404, path, answer)
  }
  if (form === undefined) return
  // What a visitor says of its own address and of the site's must make no difference.
  const forged = {
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
  }
  const asBrowser = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const send = origin => visit(url, '/', { headers: { ...forged, ...asBrowser, origin } }, 'word=hi')
  const { origin } = new URL(url)
  const sent = await send(origin)
  check(sent.status === 200 && sent.body.includes(form(origin)), 'a form', sent)
  const foreign = await send('http://evil.test')
  check(foreign.status === 403, 'a form of another site', foreign)
}

const loadedBy = /\bsrc="([^"#?]+)|\bhref="([^"#?]+\.(?:css|js|mjs))\b/g

/** Visits the first page, what it loads from the same site, and a page that is not there. Says how that was answered. */
export async function visitFirstPage(url) {
  const page = await visit(url, '/')
  const at = new URL(page.location ?? '/', url)
  const { status, body } = page.location ? await visit(url, at.pathname) : page
  if (status !== 200) throw new Error(`${at.pathname} answered ${status}: ${body.slice(0, 500)}`)
  const targets = [...body.matchAll(loadedBy)].map(([, src, href]) => new URL(src ?? href, at))
  const paths = new Set(targets.filter(({ host }) => host === at.host).map(({ pathname }) => pathname))
  for (const path of paths) {
    const answer = await visit(url, path)
    if (answer.status >= 400) throw new Error(`${path} of the first page answered ${answer.status}`)
  }
  const missing = await visit(url, '/no-such-page')
  if (missing.status >= 500) throw new Error(`a page that is not there answered ${missing.status}`)
  return `first page and ${paths.size} files, ${missing.status} for another page`
}

/** By POST where there is something to send. */
function visit(url, path, { headers = {} } = {}, sent = undefined) {
  const { host, port } = new URL(url)
  const method = sent === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { ...headers, host } }
    const asking = request(options, answer => {
      let body = ''
      answer.setEncoding('utf8').on('data', part => (body += part))
      const { location } = answer.headers
      answer.on('end', () => resolve({ status: answer.statusCode, location, body }))
    })
    asking.on('error', reject).end(sent)
  })
}

export function write(dir, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
}
