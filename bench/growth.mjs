// `node bench/growth.mjs [projects…]`: what grows with the number of projects on one instance. Writes bench/GROWTH.md.
//
// The first project is made through the API. The others are filled in by SQL, each with one live deployment, whose pack is a link to
// that of the first: 100,000 deploys would take hours. `bench` owns 100 projects, `large` half of all, and the rest belongs to accounts
// with 10 projects each. Four in a hundred have a second, superseded deployment.
import { copyFileSync, linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { pino } from 'pino'
import { Machine } from '../e2e/dist/svcd.js'
import { startPlatform } from '../packages/server/dist/compose.js'
import { readSettings } from '../packages/server/dist/config.js'
import { sweep } from '../packages/server/dist/core/platform/sweep.js'
import { prepare, root } from '../scripts/prepare.mjs'
import { describeMachine } from './machine.mjs'
import { memoryOf } from './processes.mjs'
import { KB, makeSite } from './sites.mjs'
import { median, quantile } from './statistics.mjs'
import { clientOf } from './svc.mjs'

const counts = process.argv.slice(2).map(Number)
const sizes = counts.length > 0 ? counts : [1, 1_000, 10_000, 100_000]
const ownProjects = 100
const projectsPerAccount = 10

await prepare()
const about = describeMachine()
const dir = mkdtempSync(join(tmpdir(), 'svc-growth-'))
const columns = []
try {
  const { tarball } = makeSite(dir, 'growth', { files: 1, total: 4 * KB })
  for (const size of sizes) {
    process.stderr.write(`${size} … `)
    columns.push({ size, values: await measure(size, tarball) })
    process.stderr.write(`${JSON.stringify(columns.at(-1).values)}\n`)
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
about['load average at the end'] = describeMachine()['load average at the start']
writeFileSync(join(root, 'bench/GROWTH.md'), documentOf())
console.log(documentOf())

async function measure(size, tarball) {
  const machine = await Machine.make({ SVCD_BILLING: 'off' })
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
    fill(machine.dataDir, size - 1, { project: id, deployment })
    return await values(machine, tokens, tarball)
  } finally {
    await machine.remove()
  }
}

/** Copies the first project and its deployment, with the columns that the present schema has. */
function fill(dataDir, count, { project, deployment }) {
  const db = new DatabaseSync(join(dataDir, 'svc.db'))
  const one = (table, column, id) => db.prepare(`select * from ${table} where ${column} = ?`).get(id)
  const inserting = (table, row) => {
    const names = Object.keys(row)
    const statement = db.prepare(
      `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    )
    return changes => statement.run(...Object.values({ ...row, ...changes }))
  }
  const rows = {
    account: one('accounts', 'login', 'bench'),
    project: one('projects', 'id', project),
    deployment: one('deployments', 'id', deployment),
    total: one('stored_totals', 'project_id', project),
  }
  const large = one('accounts', 'login', 'large').id
  const addAccount = inserting('accounts', { ...rows.account, is_admin: 0 })
  const addProject = inserting('projects', rows.project)
  const addDeployment = inserting('deployments', rows.deployment)
  const addTotal = inserting('stored_totals', rows.total)
  const pack = join(dataDir, 'packs', `${deployment}.pack`)
  let linked = pack
  const addPack = (id, turn) => {
    const file = join(dataDir, 'packs', `${id}.pack`)
    // A file has at most 65,000 links on ext4.
    if (turn % 20_000 > 0) return linkSync(linked, file)
    copyFileSync(pack, file)
    linked = file
  }
  db.exec('begin')
  for (let i = 0; i < count; i++) {
    const [own, account] = [`prj_g${i}`, `acc_g${Math.floor(i / projectsPerAccount)}`]
    const owner = i < ownProjects ? rows.account.id : i % 2 === 0 ? large : account
    if (i % projectsPerAccount === 0)
      addAccount({ id: account, login: `grown-${i}`, forge_id: 1_000_000 + i })
    const deployments = i % 25 === 0 ? 2 : 1
    addProject({ id: own, name: `grown-${i}`, account_id: owner, active_deployment_id: `dep_g${i}` })
    addDeployment({ id: `dep_g${i}`, project_id: own })
    addPack(`dep_g${i}`, i)
    if (deployments === 2) {
      addDeployment({ id: `dep_h${i}`, project_id: own, status: 'superseded' })
      addPack(`dep_h${i}`, i + 1)
    }
    addTotal({ project_id: own, bytes: rows.total.bytes * deployments, deployments })
  }
  db.exec('commit')
  db.exec('pragma optimize')
  db.close()
}

async function values(machine, tokens, tarball) {
  const ready = []
  for (let i = 0; i < 3; i++) {
    const began = performance.now()
    const svcd = await machine.start()
    ready.push(performance.now() - began)
    await svcd.stop()
  }
  const svcd = await machine.start()
  const [bench, large] = [tokens.bench, tokens.large].map(token => clientOf(svcd.port, token))
  const timed = async (times, work) => {
    for (let i = 0; i < Math.min(times, 5); i++) await work()
    const taken = []
    for (let i = 0; i < times; i++) {
      const began = performance.now()
      await work()
      taken.push(performance.now() - began)
    }
    return quantile(taken, 0.1)
  }
  const found = {
    'start until ready': median(ready),
    'hot page': await timed(500, () => bench.visit('hot')),
    'deploy, the owner has 100 projects': await timed(15, () => bench.deploy('hot', tarball)),
    'deploy, the owner has half of all': await timed(15, () => large.deploy('hot-of-large', tarball)),
    'list of 100 projects, first page': await timed(30, () => bench.api('GET', '/projects?limit=20')),
    'list of half of all, first page': await timed(30, () => large.api('GET', '/projects?limit=20')),
    'the same by activity': await timed(10, () => large.api('GET', '/projects?limit=20&sort=activity')),
    'search among half of all': await timed(10, () => large.api('GET', '/projects?limit=20&q=grown-99')),
    'list of all accounts, first page': await timed(10, () => bench.api('GET', '/admin/users?limit=20')),
  }
  await sleep(3_000)
  const memory = memoryOf(svcd.child.pid).rss
  await svcd.stop()
  return { ...found, sweep: await sweepTime(machine), 'memory of all processes (RSS)': memory }
}

/** The second sweep in a process: the first one finds work that waited for it. */
async function sweepTime({ environment }) {
  const settings = readSettings(environment)
  const running = await startPlatform(settings, { log: pino({ level: 'silent' }) })
  try {
    await sweep(running.platform)
    const began = performance.now()
    await sweep(running.platform)
    return performance.now() - began
  } finally {
    await running.stop()
  }
}

function documentOf() {
  const head = [
    '',
    ...columns.map(({ size }) => `${size.toLocaleString('en')} ${size === 1 ? 'project' : 'projects'}`),
  ]
  const unit = name => (name.startsWith('memory') ? 'MB' : 'ms')
  const body = Object.keys(columns[0].values).map(name => [
    name,
    ...columns.map(
      ({ values }) =>
        `${values[name] >= 100 ? values[name].toFixed(0) : values[name].toPrecision(3)} ${unit(name)}`,
    ),
  ])
  const table = [head, head.map(() => '---'), ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n')
  const state = Object.entries(about).map(([name, value]) => `- ${name}: ${value}`)
  return `# What grows with the number of projects

\`node bench/growth.mjs\`, on SQLite and the local disk, one client at a time. Of each request, the fastest
tenth: the machine had other work, and medians moved by a factor of five between runs. Of starts, the median of three.

${state.join('\n')}

${table}

One project is made through the API. The others are filled in by SQL, each with one live deployment, whose pack is a link to that of the
first. One account owns 100 projects, one half of all, the others ten each. "Sweep" is the second one of a process.
`
}
