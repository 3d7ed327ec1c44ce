// Builds one small app with each framework that the platform knows, from npm, deploys all of them to a fresh platform with
// the real svc, and visits them. It takes minutes and the network, so it is not part of `npm test`:
//   node scripts/frameworks.mjs [--record] [name ...]
// With --record it writes down which files each build consists of, for the tests that are part of `npm test`.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { frameworks } from './framework-apps.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const svcd = join(root, 'packages/server/bin/svcd.js')
const svc = join(root, 'packages/cli/bin/svc.js')

/** Builds that ask nobody and report to nobody. */
const quiet = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' }

const installers = {
  npm: (save, packages) => ['npm', ['install', '--no-audit', '--no-fund', save, ...packages]],
  // Whose packages are links into a store, so that an app runs only if its links came along.
  pnpm: (save, packages) => ['npx', ['--yes', 'pnpm@10', 'add', save, ...packages]],
}

const names = process.argv.slice(2).filter(argument => argument !== '--record')
const isRecording = process.argv.includes('--record')
const chosen = names.length > 0 ? names : Object.keys(frameworks)
const work = mkdtempSync(join(tmpdir(), 'svc-frameworks-'))
const server = await startServer()
let failed = 0
try {
  for (const name of chosen)
    try {
      console.log(`${name}: ${await tryOut(name, frameworks[name])}`)
    } catch (error) {
      failed++
      console.log(`${name}: FAILED\n${error.stderr || error.stdout || error.stack}`)
    }
} finally {
  server.child.kill()
  await once(server.child, 'exit')
  rmSync(work, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)

async function tryOut(name, framework) {
  const { is, manager = 'npm', packages = [], save = '--save', files, build = [], output } = framework
  const dir = join(work, name)
  const manifest = {
    name,
    private: true,
    type: 'module',
    ...(framework.scripts && { scripts: framework.scripts }),
  }
  write(dir, { 'package.json': `${JSON.stringify(manifest)}\n`, ...files })
  const options = { cwd: dir, env: { ...process.env, ...quiet }, maxBuffer: 64 * 1024 * 1024 }
  if (packages.length > 0) await run(...installers[manager](save, packages), options)
  for (const [program, ...args] of build) await run(program, args, options)
  if (isRecording) record(name, join(dir, output))
  const project = `try-${name}`
  await run(process.execPath, [svc, 'init', project], { ...options, env: server.env })
  const deployed = await run(process.execPath, [svc, 'deploy', output, '--node-modules'], {
    ...options,
    env: server.env,
  })
  const taken = /^server: (.*)$/m.exec(deployed.stdout)?.[1] ?? 'static'
  if (taken !== is) throw new Error(`taken for ${taken}:\n${deployed.stdout}`)
  if (deployed.stderr !== '') throw new Error(`warned:\n${deployed.stderr}`)
  const url = /http:\/\/\S+/.exec(deployed.stdout)[0]
  await visitAll(url, framework)
  return `ok, ${deployed.stdout.split('\n')[0]}`
}

/** `form` is what the page says after a form with `word=hi` was sent from the origin that it is given. */
async function visitAll(url, { pages, redirects = {}, form, hidden = [] }) {
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

/** Of the packages inside a build their names are enough. */
function record(name, dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(dir, join(entry.parentPath, entry.name)))
    .filter(
      file => !file.includes('node_modules/') || /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    )
  write(join(root, 'packages/server/fixtures/builds'), { [`${name}.txt`]: `${files.sort().join('\n')}\n` })
}

async function startServer() {
  const data = join(work, 'data')
  const settings = {
    PATH: process.env.PATH,
    SVCD_DATA_DIR: data,
    SVCD_PORT: '0',
    SVCD_LOG_LEVEL: 'error',
    SVCD_RUNNER: 'process',
    SVCD_UNSANDBOXED_APPS: '1',
  }
  const child = spawn(process.execPath, [svcd, 'start'], {
    env: settings,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { stdout } = await run(process.execPath, [svcd, 'users', 'create', 'ada', '--token'], {
    env: settings,
  })
  const env = {
    PATH: process.env.PATH,
    HOME: work,
    SVC_API_URL: /http:\/\/\S+/.exec(line)[0],
    SVC_TOKEN: stdout.trim(),
  }
  return { child, env }
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

function write(dir, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
}
