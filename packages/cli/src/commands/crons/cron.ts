// Scheduled jobs of a project: list, add, run, switch on and off, delete.
import type { Cron, CronRun } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { scheduleWords } from '@svc/contract/schedule-words'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, dim, green, minute, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const listCrons: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/crons', { params: { name } })
  if (options.json) return printJson(answer)
  const crons = required(answer, 'crons')
  if (crons.length === 0) return print(`No scheduled jobs yet. 'svc cron add "0 9 * * 1" /path' adds one.`)
  printTable(crons.map(rowOf))
}

const rowOf = ({ id, schedule, path, method, enabled, last_run_at, last_status }: Sparse<Cron>): string[] => [
  bold(id),
  schedule ?? '',
  clean(path),
  method ?? '',
  enabled ? green('enabled') : 'disabled',
  dim(last_run_at ? `${minute(last_run_at)} (${last_status ?? 'no answer'})` : 'never'),
]

export const addCron: Run = async ({ args: [schedule = '', path = ''], options }) => {
  const name = requireProject(options)
  const body = { schedule, path, method: options.method }
  const cron = await connect()('POST /projects/:name/crons', { params: { name }, body })
  print(
    `Added ${bold(required(cron, 'id'))}: ${cron.method ?? body.method ?? 'GET'} ${clean(path)} at ${schedule}.`,
  )
  printWhen(schedule, cron.next_run_at && `First run ${minute(cron.next_run_at)} UTC.`)
}

export const updateCron: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const { schedule, path, method } = options
  if (schedule === undefined && path === undefined && method === undefined)
    throw new Failure('Nothing to change. Pass --schedule, --path or --method.')
  const body = { schedule, path, method }
  const cron = await connect()('PATCH /projects/:name/crons/:id', { params: { name, id }, body })
  const what = [cron.method, clean(cron.path), cron.schedule && `at ${cron.schedule}`].filter(Boolean)
  print(`Saved ${bold(id)}: ${what.join(' ')}.`)
  printWhen(schedule, cron.next_run_at && `Next run ${minute(cron.next_run_at)} UTC.`)
}

/** A schedule that was given in words, so that a mistake in it is seen now, and the run that follows from it. */
function printWhen(schedule: string | undefined, run: string | null | undefined): void {
  const words = schedule && scheduleWords(schedule)
  const said = [words && `${words}.`, run].filter(Boolean)
  if (said.length > 0) print(said.join(' '))
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
    const next = next_run_at ? ` Next run ${minute(next_run_at)} UTC.` : ''
    print(`${enabled ? 'Enabled' : 'Disabled'} ${bold(id)}.${next}`)
  }

export const enableCron = switching(true)
export const disableCron = switching(false)

export const runCron: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const run = await connect()('POST /projects/:name/crons/:id/run', { params: { name, id } })
  if (options.json) return printJson(run)
  print(run.status && tookWords(run) ? `${outcomeOf(run)} after ${tookWords(run)}.` : `${outcomeOf(run)}.`)
}

export const listRuns: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/crons/:id/runs', { params: { name, id } })
  if (options.json) return printJson(answer)
  const runs = required(answer, 'runs')
  if (runs.length === 0) return print('It has not run yet.')
  printTable(runs.map(run => [minute(run.started_at), outcomeOf(run), dim(tookWords(run))]))
}

const tookWords = ({ duration_ms: ms }: Sparse<CronRun>): string => (typeof ms === 'number' ? `${ms} ms` : '')

const outcomeOf = ({ status, error }: Sparse<CronRun>): string =>
  status ? `Status ${status}` : clean(error ?? 'No answer').replace(/\.$/, '')

export const showSecret: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/crons', { params: { name } })
  print(required(answer, 'verification_secret'))
}
