// Forms of a project: their submissions, who gets emails, and how long submissions are kept.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { Form, Submission } from '@svc/contract'
import { download, type Sparse, type SparseClient } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, count, dim, minute, notice, print, printJson, printTable, warn } from '../../output.ts'
import { allPages, countOf } from '../../pages.ts'
import { canAsk, confirmByName } from '../../prompt.ts'
import { connect, required, sessionSettings } from '../../session.ts'

const shownAtFirst = 20

export const listForms: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/forms', { params: { name } })
  if (options.json) return printJson(answer)
  const forms = required(answer, 'forms')
  if (forms.length === 0)
    return print('No forms yet. A form that is posted to /_svc/forms/<name> on the site shows up here.')
  printTable(forms.map(rowOf))
}

const rowOf = ({
  name,
  submissions,
  unread,
  spam,
  last_submission_at,
  notify,
  notify_pending,
  retention_days,
}: Sparse<Form>): string[] => [
  bold(name),
  count(submissions, 'submission'),
  unread ? `${unread} unread` : '',
  spam ? `${spam} spam` : '',
  dim(last_submission_at && `last ${minute(last_submission_at)}`),
  !notify || notify === 'off'
    ? ''
    : `notify ${notify}${notify_pending?.length ? ' (not confirmed yet)' : ''}`,
  retention_days ? `kept for ${count(retention_days, 'day')}` : '',
]

export const showSubmissions: Run = async ({ args: [form = '', wanted], options }) => {
  if (options.unread && options.spam)
    throw new Failure('--unread and --spam exclude each other. Pass one of them.')
  const show = options.spam ? 'spam' : options.unread ? 'unread' : undefined
  const most = countOf(wanted, shownAtFirst)
  const params = { name: requireProject(options), form }
  const call = connect()
  const limit = String(Math.min(most, 100))
  const answer = await allPages(
    'submissions',
    cursor =>
      call('GET /projects/:name/forms/:form/submissions', {
        params,
        query: { cursor, limit, ...(show && { show }) },
      }),
    most,
  )
  if (options.json) return printJson(answer)
  if (answer.submissions.length === 0) return print(nothing(form, show))
  print(answer.submissions.map(describe).join('\n\n'))
}

function nothing(form: string, show: 'spam' | 'unread' | undefined): string {
  if (show === 'spam') return `Nothing sent to ${form} is marked as spam.`
  return show === 'unread' ? `Everything sent to ${form} was read.` : `Nothing was sent to ${form} yet.`
}

function describe({ id, created_at, country, referrer, read, fields }: Sparse<Submission>): string {
  const from = [country, referrer].filter(Boolean).join(' ')
  const head = `${bold(id)}  ${dim(minute(created_at))}${read === false ? '  unread' : ''}${from ? `  ${dim(clean(from))}` : ''}`
  const lines = Object.entries(fields ?? {}).map(([name, value]) => `  ${clean(name)}: ${written(value)}`)
  return [head, ...lines].join('\n')
}

/** Writes a value. The further lines of a text are indented under the first one. */
function written(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text
    .split(/\r\n|\r|\n/)
    .map(clean)
    .join('\n    ')
}

export const exportForm: Run = async ({ args: [form = ''], options }) => {
  const params = { name: requireProject(options), form }
  const response = await download(sessionSettings(), 'GET /projects/:name/forms/:form/export', { params })
  await pipeline(Readable.fromWeb(response.body as ReadableStream), process.stdout, { end: false })
}

export const setNotify: Run = async ({ args: [form = '', notify = ''], options }) => {
  const params = { name: requireProject(options), form }
  const changed = await connect()('PATCH /projects/:name/forms/:form', { params, body: { notify } })
  print(notifyWords(form, changed.notify ?? notify))
  if (notify === 'off') return
  if (changed.sends_email === false)
    return warn(
      'This platform sends no email: its operator has set no SVCD_SMTP_URL. Nothing is sent until then.',
    )
  for (const address of changed.notify_pending ?? [])
    notice(
      `${address} must confirm first: it got an email with a link. Nothing else is sent there before that.`,
    )
}

const notifyWords = (name: string, notify: string): string =>
  notify === 'off'
    ? `Submissions to ${bold(name)} send no email.`
    : `Submissions to ${bold(name)} are sent to ${notify === 'on' ? 'the owner' : notify} by email.`

export const setRetention: Run = async ({ args: [form = '', wanted = ''], options }) => {
  const { min, max } = limits.formRetentionDays
  if (wanted !== 'off' && (!/^\d{1,4}$/.test(wanted) || Number(wanted) < min || Number(wanted) > max))
    throw new Failure(`Days must be ${min} to ${max}, or 'off'.`)
  const params = { name: requireProject(options), form }
  const body = { retention_days: wanted === 'off' ? null : Number(wanted) }
  await connect()('PATCH /projects/:name/forms/:form', { params, body })
  print(
    body.retention_days === null
      ? `Submissions to ${bold(form)} are kept.`
      : `Submissions to ${bold(form)} are deleted after ${count(body.retention_days, 'day')}.`,
  )
}

export const markRead: Run = async ({ args: [form = '', id], options }) => {
  const params = { name: requireProject(options), form }
  const call = connect()
  if (id === undefined) {
    await call('POST /projects/:name/forms/:form/read', { params })
    return print(`All submissions to ${bold(form)} are marked as read.`)
  }
  await mark(call, { ...params, id }, { read: true })
  print(`${bold(id)} is marked as read.`)
}

export const markSpam: Run = async ({ args: [form = '', id = ''], options }) => {
  await mark(connect(), { name: requireProject(options), form, id }, { spam: true })
  print(`${bold(id)} is marked as spam.`)
}

export const markNotSpam: Run = async ({ args: [form = '', id = ''], options }) => {
  await mark(connect(), { name: requireProject(options), form, id }, { spam: false })
  print(`${bold(id)} is no longer marked as spam.`)
}

const mark = (
  call: SparseClient,
  params: { name: string; form: string; id: string },
  body: { read?: boolean; spam?: boolean },
) => call('PATCH /projects/:name/forms/:form/submissions/:id', { params, body })

export const removeForm: Run = async ({ args: [form = '', id], options }) => {
  const params = { name: requireProject(options), form }
  const call = connect()
  if (id !== undefined) {
    await call('DELETE /projects/:name/forms/:form/submissions/:id', { params: { ...params, id } })
    return print(`Deleted ${id}.`)
  }
  // A script has nobody to ask, and `forms rm` must work there without --yes.
  if (!options.yes && canAsk()) await confirmByName('form', form, () => lossOf(call, params))
  await call('DELETE /projects/:name/forms/:form', { params })
  print(`Deleted ${bold(form)} and its submissions.`)
}

async function lossOf(call: SparseClient, { name, form }: { name: string; form: string }): Promise<string> {
  const { forms } = await call('GET /projects/:name/forms', { params: { name } })
  const found = forms?.find(other => other.name === form)
  if (!found) throw new Failure(`${name} has no form '${form}'.`)
  return `This deletes ${form} for good, with ${count(found.submissions, 'submission') || 'its submissions'}.`
}
