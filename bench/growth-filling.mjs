// Fills an instance by SQL with what would take hours through the API. The first project and its deployment were made through the
// API. The others are copies of their rows, with the columns that the present schema has, and links to their pack.
import { execFileSync } from 'node:child_process'
import { copyFileSync, linkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const ownProjects = 100
const projectsPerAccount = 10

/** `made`: the ids of the project and of the deployment that are copied. */
export function fillWithProjects(dataDir, count, made) {
  fill(dataDir, made, ({ rows, adding, addPack }) => {
    const large = rows.large.id
    const addAccount = adding('accounts', { ...rows.account, is_admin: 0 })
    const addProject = adding('projects', rows.project)
    const addDeployment = adding('deployments', rows.deployment)
    const addTotal = adding('stored_totals', rows.total)
    for (let i = 0; i < count; i++) {
      const [own, account] = [`prj_g${i}`, `acc_g${Math.floor(i / projectsPerAccount)}`]
      const owner = i < ownProjects ? rows.account.id : i % 2 === 0 ? large : account
      if (i % projectsPerAccount === 0)
        addAccount({ id: account, login: `grown-${i}`, forge_id: 1_000_000 + i })
      const deployments = i % 25 === 0 ? 2 : 1
      addProject({ id: own, name: `grown-${i}`, account_id: owner, active_deployment_id: `dep_g${i}` })
      addDeployment({ id: `dep_g${i}`, project_id: own })
      addPack(`dep_g${i}`)
      if (deployments === 2) {
        addDeployment({ id: `dep_h${i}`, project_id: own, status: 'superseded' })
        addPack(`dep_h${i}`)
      }
      addTotal({ project_id: own, bytes: rows.total.bytes * deployments, deployments })
    }
  })
}

/** Half of the deployments belong to the project that was made, the rest to the others. Requests and hours are spread over all. */
export function fillWithHistory(dataDir, { deployments, requests, hours }, made) {
  const now = Date.now()
  fill(dataDir, made, ({ rows, adding, addPack, projects }) => {
    const addDeployment = adding('deployments', rows.deployment)
    const counts = new Map()
    for (let i = 0; i < deployments; i++) {
      const project = i % 2 === 0 ? made.project : projects[(i >> 1) % projects.length]
      const at = now - dayMs - (deployments - i) * 1_000
      const times = { created_at: at, finished_at: at, superseded_at: now - 2 * dayMs }
      addDeployment({ id: `dep_p${i}`, project_id: project, status: 'superseded', ...times })
      addPack(`dep_p${i}`)
      counts.set(project, (counts.get(project) ?? 0) + 1)
    }
    const grow = rows.db.prepare(
      'update stored_totals set bytes = bytes + ?, deployments = deployments + ? where project_id = ?',
    )
    for (const [project, count] of counts) grow.run(rows.total.bytes * count, count, project)
    // In the order of the tables, which are sorted by project and time.
    const addRequest = adding('requests', requestOf(made.deployment))
    const each = Math.ceil(requests / projects.length)
    for (const project of projects)
      for (let i = 0; i < each; i++)
        addRequest({
          project_id: project,
          created_at: now - 2 * dayMs + i * 1_000,
          id: `req_${i}`,
          path: `/page-${i % 500}`,
        })
    const addHour = adding('stats_hours', hourRow)
    const thisHour = now - (now % hourMs)
    const hoursEach = Math.ceil(hours / projects.length)
    for (const project of projects)
      for (let i = hoursEach; i > 0; i--) addHour({ project_id: project, hour: thisHour - i * hourMs })
  })
}

const requestOf = deployment => ({
  ...{ method: 'GET', host: 'hot.localhost', status: 200, ms: 2, bytes: 4_096, cache: 'hit' },
  ...{ deployment_id: deployment, request_id: null, times: 1, left_out: 0 },
})

const hourRow = {
  ...{ requests: 100, bytes: 409_600, cache_hits: 90, status_2xx: 98, status_3xx: 1, status_4xx: 1 },
  ...{ status_5xx: 0, status_other: 0, pageviews: 20, visitors: 5, lost: 0 },
}

function fill(dataDir, { project, deployment }, add) {
  const db = new DatabaseSync(join(dataDir, 'svc.db'))
  const one = (table, column, id) => db.prepare(`select * from ${table} where ${column} = ?`).get(id)
  const statements = new Map()
  let added = 0
  db.exec('pragma synchronous = off; pragma cache_size = -500000')
  /** Inserts the row with changes, which have to be of the same columns each time. */
  const adding = (table, row) => changes => {
    const whole = { ...row, ...changes }
    const names = Object.keys(whole)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    if (!statements.has(text)) statements.set(text, db.prepare(text))
    statements.get(text).run(...Object.values(whole))
    added++
    // A log of many gigabytes would be slow to look things up in.
    if (added % 100_000 === 0) db.exec('commit; begin')
  }
  const rows = {
    db,
    account: one('accounts', 'login', 'bench'),
    large: one('accounts', 'login', 'large'),
    project: one('projects', 'id', project),
    deployment: one('deployments', 'id', deployment),
    total: one('stored_totals', 'project_id', project),
  }
  const projects = db
    .prepare('select id from projects order by id')
    .all()
    .map(({ id }) => id)
  db.exec('begin')
  add({ rows, adding, projects, addPack: linking(join(dataDir, 'packs'), deployment) })
  db.exec('commit')
  db.exec('pragma optimize')
  db.close()
  // What is measured afterwards waits for none of this.
  execFileSync('sync')
}

function linking(packs, deployment) {
  const first = join(packs, `${deployment}.pack`)
  let [linked, links] = [first, 0]
  return id => {
    const file = join(packs, `${id}.pack`)
    links++
    // A file has at most 65,000 links on ext4.
    if (links % 20_000 > 0) return linkSync(linked, file)
    copyFileSync(first, file)
    linked = file
  }
}
