// `node bench/growth.mjs [projects | history] [sizes…]`: what grows with the number of projects, and with what is kept of the past.
// Writes bench/GROWTH.md and bench/growth.svg, and keeps the part that it did not measure.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Machine } from '../e2e/dist/svcd.js'
import { startPlatform } from '../packages/server/dist/compose.js'
import { readSettings } from '../packages/server/dist/config.js'
import { sweep } from '../packages/server/dist/core/platform/sweep.js'
import { prepare, root } from '../scripts/prepare.mjs'
import { plotOf, tableOf } from './growth-document.mjs'
import { fillWithHistory, fillWithProjects } from './growth-filling.mjs'
import { describeMachine } from './machine.mjs'
import { memoryOf } from './processes.mjs'
import { KB, makeSite } from './sites.mjs'
import { median, quantile } from './statistics.mjs'
import { clientOf } from './svc.mjs'

/** Projects of the instances whose history grows. */
const projectsOfHistory = 1_000
/** A first backup of more deployments than these takes longer than all the rest. */
const mostBackedUp = 100_000

const axes = {
  projects: {
    sizes: [1, 1_000, 10_000, 100_000],
    headOf: size => `${size.toLocaleString('en')} ${size === 1 ? 'project' : 'projects'}`,
    fill: (dataDir, size, made) => fillWithProjects(dataDir, size - 1, made),
    requestsOf: ({ bench, large }) => ({
      'hot page': [500, () => bench.visit('hot')],
      'deploy, the owner has 100 projects': [15, () => bench.deploy('hot')],
      'deploy, the owner has half of all': [15, () => large.deploy('hot-of-large')],
      'list of 100 projects, first page': [30, () => bench.get('/projects?limit=20')],
      'list of half of all, first page': [30, () => large.get('/projects?limit=20')],
      'the same by activity': [10, () => large.get('/projects?limit=20&sort=activity')],
      'search among half of all': [10, () => large.get('/projects?limit=20&q=grown-99')],
      'list of all accounts, first page': [10, () => bench.get('/admin/users?limit=20')],
    }),
    backs: () => false,
  },
  history: {
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    headOf: size =>
      `${size.toLocaleString('en')} deployments, ${(10 * size).toLocaleString('en')} rows of requests and stats`,
    fill: (dataDir, size, made) => {
      fillWithProjects(dataDir, projectsOfHistory - 1, made)
      fillWithHistory(dataDir, { deployments: size, requests: 5 * size, hours: 5 * size }, made)
    },
    requestsOf: ({ bench }) => ({
      'hot page': [500, () => bench.visit('hot')],
      'deploy to the project with half of all': [15, () => bench.deploy('hot')],
      'list of its deployments, first page': [30, () => bench.get('/projects/hot/deployments?limit=20')],
      'the same by a branch that there is not': [
        10,
        () => bench.get('/projects/hot/deployments?limit=20&branch=nowhere'),
      ],
      'list of 100 projects, first page': [30, () => bench.get('/projects?limit=20')],
      'requests of a project, first page': [30, () => bench.get('/projects/hot/requests?limit=50')],
      'search in its requests': [10, () => bench.get('/projects/hot/requests?limit=50&path=/page-499')],
      'stats of a project': [30, () => bench.get('/projects/hot/stats')],
    }),
    backs: size => size <= mostBackedUp,
  },
}

const [asked, ...others] = process.argv.slice(2)
const chosen = asked in axes ? [asked] : Object.keys(axes)
const sizesAsked = (asked in axes ? others : asked === undefined ? [] : [asked, ...others]).map(Number)

await prepare()
const dir = mkdtempSync(join(tmpdir(), 'svc-growth-'))
const file = join(root, 'bench/growth.json')
const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
try {
  const { tarball } = makeSite(dir, 'growth', { files: 1, total: 4 * KB })
  for (const name of chosen) {
    const about = describeMachine()
    const columns = []
    for (const size of sizesAsked.length > 0 ? sizesAsked : axes[name].sizes) {
      process.stderr.write(`${axes[name].headOf(size)} … `)
      columns.push({ size, head: axes[name].headOf(size), values: await measure(axes[name], size, tarball) })
      process.stderr.write(`${JSON.stringify(columns.at(-1).values)}\n`)
    }
    about['load average at the end'] = describeMachine()['load average at the start']
    results[name] = { about, columns }
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
writeFileSync(join(root, 'bench/GROWTH.md'), documentOf())
writeFileSync(
  join(root, 'bench/growth.svg'),
  plotOf(
    Object.entries(results).map(([name, { columns }]) => ({
      title:
        name === 'projects'
          ? 'times the first value, by projects'
          : 'times the first value, by deployments kept',
      columns,
    })),
  ),
)
console.log(documentOf())

async function measure(axis, size, tarball) {
  const machine = await Machine.make({
    ...{ SVCD_BILLING: 'off', SVCD_BACKUP_URL: join(dir, `backups-${size}`), SVCD_BACKUP_SCHEDULE: 'off' },
    SVCD_BACKUP_PASSPHRASE: 'correct horse battery',
  })
  try {
    const first = await machine.start()
    const tokens = { bench: await machine.token('bench'), large: await machine.token('large') }
    const maker = clientOf(first.port, tokens.bench)
    const { id } = await maker.api('POST', '/projects', { name: 'hot' })
    const deployment = await maker.deploy('hot', tarball)
    const other = clientOf(first.port, tokens.large)
    await other.api('POST', '/projects', { name: 'hot-of-large' })
    await other.deploy('hot-of-large', tarball)
    await first.stop()
    axis.fill(machine.dataDir, size, { project: id, deployment })
    return await valuesOf(axis, size, machine, tokens, tarball)
  } finally {
    await machine.remove()
  }
}

async function valuesOf(axis, size, machine, tokens, tarball) {
  const ready = []
  for (let i = 0; i < 3; i++) {
    const began = performance.now()
    const svcd = await machine.start()
    ready.push(performance.now() - began)
    await svcd.stop()
  }
  const svcd = await machine.start()
  const found = { 'start until ready': median(ready) }
  const clients = Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => [name, clientFor(svcd.port, token, tarball)]),
  )
  for (const [name, [times, work]] of Object.entries(axis.requestsOf(clients)))
    found[name] = await timed(times, work)
  await sleep(3_000)
  const memory = memoryOf(svcd.child.pid).rss
  await svcd.stop()
  found.sweep = await sweepTime(machine)
  found['memory of all processes (RSS)'] = memory
  if (axis.backs(size)) {
    await machine.run('backup', 'run')
    const began = performance.now()
    await machine.run('backup', 'run')
    found['second backup'] = (performance.now() - began) / 1_000
  }
  return found
}

function clientFor(port, token, tarball) {
  const client = clientOf(port, token)
  return {
    visit: name => client.visit(name),
    deploy: name => client.deploy(name, tarball),
    get: path => client.api('GET', path),
  }
}

/** The fastest tenth. */
async function timed(times, work) {
  for (let i = 0; i < Math.min(times, 5); i++) await work()
  const taken = []
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    await work()
    taken.push(performance.now() - began)
  }
  return quantile(taken, 0.1)
}

/** The fastest of five, after the first one of the process, which finds work that waited for it. */
async function sweepTime({ environment }) {
  const settings = readSettings(environment)
  const running = await startPlatform(settings, { log: pino({ level: 'silent' }) })
  try {
    await sweep(running.platform)
    const taken = []
    for (let i = 0; i < 5; i++) {
      const began = performance.now()
      await sweep(running.platform)
      taken.push(performance.now() - began)
    }
    return Math.min(...taken)
  } finally {
    await running.stop()
  }
}

function documentOf() {
  const aboutOf = ({ about }) =>
    Object.entries(about)
      .map(([name, value]) => `- ${name}: ${value}`)
      .join('\n')
  const { projects, history } = results
  return `# What grows

\`node bench/growth.mjs\`, on SQLite and the local disk, one client at a time. Of each request, the fastest
tenth: the machine had other work, and medians moved by a factor of five between runs. Of starts, the median of three. Of
sweeps, the fastest of five after the first one of a process.

![How many times its first value each line takes; the dashed diagonal grows as the data does](growth.svg)
${
  projects
    ? `
## With the number of projects

${aboutOf(projects)}

${tableOf(projects.columns)}

One project is made through the API. The others are filled in by SQL, each with one live deployment, whose pack is a link to that of the
first. One account owns 100 projects, one half of all, the others ten each.
`
    : ''
}${
  history
    ? `
## With what is kept of the past

${aboutOf(history)}

${tableOf(history.columns)}

Each instance has ${projectsOfHistory.toLocaleString('en')} projects. One of them has half of the deployments. Requests and hours of statistics are spread over all of
them. "Second backup" is one to a folder in which the first is already. Beyond ${mostBackedUp.toLocaleString('en')} deployments it was not measured, since the first
takes too long.
`
    : ''
}`
}
