// Scheduled jobs of a project: list, add, run, switch on and off, delete.
import type { Cron, CronRun } from '@svc/contract'
import type { Run } from '../command.ts'
import { requireProject } from '../link.ts'
import { bold, clean, dim, green, minute, print, printJson, printTable } from '../output.ts'
import { connect } from '../session.ts'

export const listCrons: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/crons', { params: { name } })
  if (options.json) return printJson(answer)
  if (answer.crons.length === 0)
    return print(`No scheduled jobs yet. 'svc cron add "0 9 * * 1" /path' adds one.`)
  printTable(answer.crons.map(rowOf))
}

const rowOf = ({ id, schedule, path, method, enabled, last_run_at, last_status }: Cron): string[] => [
  bold(id),
  schedule,
  clean(path),
  method,
  enabled ? green('enabled') : 'disabled',
  dim(last_run_at === null ? 'never' : `${minute(last_run_at)} (${last_status ?? 'no answer'})`),
]

export const addCron: Run = async ({ args: [schedule = '', path = ''], options }) => {
  const name = requireProject(options)
  const body = { schedule, path, method: options.method }
  const cron = await connect()('POST /projects/:name/crons', { params: { name }, body })
  print(`Added ${bold(cron.id)}: ${cron.method} ${clean(cron.path)} at ${cron.schedule}.`)
  if (cron.next_run_at !== null) print(`First run ${minute(cron.next_run_at)} UTC.`)
}

export const removeCron: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/crons/:id', { params: { name, id } })
  print(`Deleted ${bold(id)}.`)
}

const switching =
  (enabled: boolean): Run =>
  async ({ args: [id = ''], options }) => {
    const name = requireProject(options)
    const path = 'PATCH /projects/:name/crons/:id'
    const { next_run_at } = await connect()(path, { params: { name, id }, body: { enabled } })
    const next = next_run_at === null ? '' : ` Next run ${minute(next_run_at)} UTC.`
    print(`${enabled ? 'Enabled' : 'Disabled'} ${bold(id)}.${next}`)
  }

export const enableCron = switching(true)
export const disableCron = switching(false)

export const runCron: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const run = await connect()('POST /projects/:name/crons/:id/run', { params: { name, id } })
  if (options.json) return printJson(run)
  print(run.status === null ? `${outcomeOf(run)}.` : `${outcomeOf(run)} after ${run.duration_ms} ms.`)
}

export const listRuns: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/crons/:id/runs', { params: { name, id } })
  if (options.json) return printJson(answer)
  if (answer.runs.length === 0) return print('It has not run yet.')
  printTable(answer.runs.map(run => [minute(run.started_at), outcomeOf(run), dim(`${run.duration_ms} ms`)]))
}

const outcomeOf = ({ status, error }: CronRun): string =>
  status === null ? clean(error ?? 'No answer').replace(/\.$/, '') : `Status ${status}`

export const showSecret: Run = async ({ options }) => {
  const name = requireProject(options)
  const { verification_secret } = await connect()('GET /projects/:name/crons', { params: { name } })
  print(verification_secret)
}
