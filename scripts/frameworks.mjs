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

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const svcd = join(root, 'packages/server/bin/svcd.js')
const svc = join(root, 'packages/cli/bin/svc.js')

/** Builds that ask nobody and report to nobody. */
const quiet = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' }

const frameworks = {
  procfile: {
    is: 'Procfile',
    files: {
      Procfile: 'web: node app.mjs\n',
      'app.mjs': `import { createServer } from 'node:http'
createServer((req, res) => res.end('hello from a Procfile')).listen(process.env.PORT, process.env.HOSTNAME)
`,
    },
    output: '.',
    pages: { '/': 'hello from a Procfile' },
  },
  next: {
    is: 'Next.js standalone',
    packages: ['next@16', 'react@19', 'react-dom@19'],
    files: {
      'next.config.mjs': `export default { output: 'standalone', outputFileTracingRoot: import.meta.dirname }\n`,
      'app/layout.jsx': `export default ({ children }) => <html><body>{children}</body></html>\n`,
      'app/page.jsx': `export const dynamic = 'force-dynamic'
export default () => <p>hello from {process.env.SVC_PROJECT}</p>\n`,
      'app/go/route.js': `import { NextResponse } from 'next/server'
export const GET = req => NextResponse.redirect(new URL('/login', req.url))\n`,
      'proxy.js': `import { NextResponse } from 'next/server'
export const proxy = req => NextResponse.redirect(new URL('/login', req.url))
export const config = { matcher: '/private' }\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [
      ['npx', 'next', 'build'],
      ['cp', '-r', '.next/static', '.next/standalone/.next/static'],
      ['cp', '-r', 'public', '.next/standalone/public'],
    ],
    output: '.next/standalone',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    redirects: { '/go': '/login', '/private': '/login' },
  },
  nitro3: {
    is: 'Nitro',
    packages: ['nitro@3', 'rolldown@1'],
    files: {
      'routes/index.ts': `export default () => 'hello from ' + process.env.SVC_PROJECT\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [['npx', 'nitro', 'build', '--preset', 'node_server']],
    output: '.output',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
  },
  nitro: {
    is: 'Nitro',
    packages: ['nitropack@2'],
    files: {
      'nitro.config.ts': `export default { srcDir: 'server', publicAssets: [{ dir: '../public' }], compatibilityDate: '2025-01-01' }\n`,
      'server/routes/index.ts': `export default defineEventHandler(() => 'hello from ' + process.env.SVC_PROJECT)\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [['npx', 'nitro', 'build']],
    output: '.output',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
  },
  sveltekit: {
    is: 'SvelteKit',
    // What is a dependency for running is not made part of the build.
    save: '--save-dev',
    packages: [
      '@sveltejs/kit@2',
      '@sveltejs/adapter-node@5',
      '@sveltejs/vite-plugin-svelte@5',
      'svelte@5',
      'vite@6',
    ],
    files: {
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'\nexport default { kit: { adapter: adapter() } }\n`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n`,
      'src/app.html': `<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n`,
      'src/routes/+page.server.js': `export const load = ({ url, getClientAddress }) =>
  ({ project: process.env.SVC_PROJECT, at: url.origin, visitor: getClientAddress() })
export const actions = { default: async ({ request }) => ({ word: (await request.formData()).get('word') }) }\n`,
      'src/routes/+page.svelte': `<script>let { data, form } = $props()</script>
<p>hello from {data.project} at {data.at} to {data.visitor}: {form?.word}</p>\n`,
      'static/note.txt': 'a file of its own',
    },
    build: [['npx', 'vite', 'build']],
    output: 'build',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    form: origin => `at ${origin} to 127.0.0.1: hi`,
  },
  astro: {
    is: 'Astro',
    packages: ['astro@5', '@astrojs/node@9'],
    files: {
      'astro.config.mjs': `import node from '@astrojs/node'\nexport default { output: 'server', adapter: node({ mode: 'standalone' }), vite: { ssr: { noExternal: true } }, security: { allowedDomains: [{}] } }\n`,
      'src/pages/index.astro': `---
const word = Astro.request.method === 'POST' ? (await Astro.request.formData()).get('word') : ''
---
<html><body><p>hello from {process.env.SVC_PROJECT} at {Astro.url.origin} to {Astro.clientAddress}: {word}</p></body></html>\n`,
      'src/pages/go.astro': `---\nreturn Astro.redirect(new URL('/login', Astro.url).href)\n---\n`,
      'public/note.txt': 'a file of its own',
    },
    build: [['npx', 'astro', 'build']],
    output: 'dist',
    pages: { '/': 'hello from', '/note.txt': 'a file of its own' },
    redirects: { '/go': '/login' },
    form: origin => `at ${origin} to 127.0.0.1: hi`,
  },
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
  const { is, packages = [], save = '--save', files, build = [], output } = framework
  const dir = join(work, name)
  write(dir, { 'package.json': `{ "name": "${name}", "private": true, "type": "module" }\n`, ...files })
  const options = { cwd: dir, env: { ...process.env, ...quiet }, maxBuffer: 64 * 1024 * 1024 }
  if (packages.length > 0)
    await run('npm', ['install', '--no-audit', '--no-fund', save, ...packages], options)
  for (const [program, ...args] of build) await run(program, args, options)
  if (isRecording) record(name, join(dir, output))
  const project = `try-${name}`
  await run(process.execPath, [svc, 'init', project], { ...options, env: server.env })
  const deployed = await run(process.execPath, [svc, 'deploy', output, '--node-modules'], {
    ...options,
    env: server.env,
  })
  if (!deployed.stdout.includes(`server: ${is}\n`))
    throw new Error(`taken for something else:\n${deployed.stdout}`)
  const url = /http:\/\/\S+/.exec(deployed.stdout)[0]
  await visitAll(url, framework)
  return `ok, ${deployed.stdout.split('\n')[0]}`
}

/** `form` is what the page says after a form with `word=hi` was sent from the origin that it is given. */
async function visitAll(url, { pages, redirects = {}, form }) {
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
