// `npm run bench [name…]`: runs the measurements named, or all of them and then writes bench/RESULTS.md.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, root } from '../scripts/prepare.mjs'
import { orEnd, step } from '../scripts/step.mjs'
import { ensureTools } from '../scripts/tools.mjs'
import { describeMachine } from './machine.mjs'
import { documentOf, tableOf } from './results.mjs'

const all = [
  'mix',
  'connections',
  'new-visitors',
  'tails',
  'hot-page',
  'https',
  'edge-workers',
  'app-proxy',
  'app-http2',
  'app-bodies',
  'ai-gateway',
  'cold-start',
  'disk-writes',
  'database-way',
  'preview-copy',
  'deploy-pause',
  'deploy',
  'redeploy',
  'rollback',
  'idle-memory',
  'start-up',
  'restart',
  'me',
  'cli-version',
  'page-during-deploys',
  'page-during-builds',
  'git-push',
  'git-clone',
  'build-cache',
  'stats',
  'backup',
]
const asked = process.argv.slice(2)
const unknown = asked.find(name => !all.includes(name))
if (unknown !== undefined) {
  console.error(`There is no measurement '${unknown}'. There are: ${all.join(', ')}.`)
  process.exit(1)
}

await orEnd(async () => {
  await prepare()
  await ensureTools([
    'nginx',
    'caddy',
    'haproxy',
    'wrk',
    'nghttp2-client',
    'openssl',
    'tar',
    'git',
    'fcgiwrap',
    'postgresql',
    'bubblewrap',
  ])
  if (existsSync(join(root, 'bench/node_modules/fastify'))) return
  const args = ['install', '--no-package-lock']
  await step('Installing what is compared with', 'npm', args, { cwd: join(root, 'bench') })
})

const machine = describeMachine()
const rows = []
for (const name of asked.length > 0 ? asked : all) {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const began = performance.now()
  process.stderr.write(`${name} … `)
  try {
    const { measure } = await import(`./measurements/${name}.mjs`)
    const measured = await measure({ dir })
    process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s\n`)
    console.log(`${tableOf(measured)}\n`)
    rows.push(...measured)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
if (asked.length === 0) {
  writeFileSync(join(root, 'bench/RESULTS.md'), documentOf(rows, machine))
  console.log('Written to bench/RESULTS.md.')
}
