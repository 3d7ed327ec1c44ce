// Notifications of a project or an org: list, add, edit, test, log, delete.
import type { NotificationDelivery, NotificationEvent, NotificationTarget } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import type { OptionValues } from '../../options.ts'
import { bold, clean, dim, green, minute, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'
import { ownerIn } from './owner.ts'

export const listTargets: Run = async ({ options }) => {
  const { base, name, flag } = ownerIn(options)
  const answer = await connect()(`GET /${base}/:name/notifications`, { params: { name } })
  if (options.json) return printJson(answer)
  const targets = required(answer, 'targets')
  if (targets.length === 0)
    return print(`No notifications yet. 'svc notifications add <url-or-email>${flag}' adds a target.`)
  printTable(targets.map(rowOf))
}

const rowOf = ({ id, kind, address, events, confirmed }: Sparse<NotificationTarget>): string[] => [
  bold(id ?? ''),
  kind ?? '',
  clean(address),
  (events ?? []).join(','),
  dim(confirmed === false ? 'not confirmed' : ''),
]

/** The server refuses the names that it does not know. */
const eventsIn = ({ events }: OptionValues) =>
  events?.split(',').map(event => event.trim()) as NotificationEvent[] | undefined

/** `undefined` if the option is missing. */
function includeLogsIn({ logs }: OptionValues): boolean | undefined {
  if (logs === undefined) return undefined
  if (logs !== 'on' && logs !== 'off') throw new Failure(`--logs is 'on' or 'off', not '${logs}'.`)
  return logs === 'on'
}

export const addTarget: Run = async ({ args: [address = ''], options }) => {
  const { base, name, flag } = ownerIn(options)
  const kind = address.includes('://') ? ('webhook' as const) : ('email' as const)
  if (kind === 'email' && !address.includes('@'))
    throw new Failure(`'${address}' is neither a URL, as https://hooks.example.com, nor an email address.`)
  const body = { kind, address, events: eventsIn(options), include_logs: includeLogsIn(options) }
  const target = await connect()(`POST /${base}/:name/notifications`, { params: { name }, body })
  if (options.json) return printJson(target)
  const id = required(target, 'id')
  print(`Added ${bold(id)}. Try it: svc notifications test ${id}${flag}`)
  if (target.secret)
    print(`Secret that signs the requests: ${target.secret}\nCopy it now. You won't see it again.`)
  if (target.confirmed === false) print(`${clean(address)} gets a link to confirm the address first.`)
}

export const editTarget: Run = async ({ args: [id = ''], options }) => {
  const { base, name } = ownerIn(options)
  const body = { address: options.to, events: eventsIn(options), include_logs: includeLogsIn(options) }
  if (Object.values(body).every(value => value === undefined))
    throw new Failure(`Name what to change: svc notifications edit ${id} --events cron.failed`)
  const target = await connect()(`PATCH /${base}/:name/notifications/:id`, { params: { name, id }, body })
  if (options.json) return printJson(target)
  print(`Changed ${bold(id)}.`)
  if (target.confirmed === false) print(`${clean(target.address)} gets a link to confirm the address first.`)
}

export const removeTarget: Run = async ({ args: [id = ''], options }) => {
  const { base, name } = ownerIn(options)
  await connect()(`DELETE /${base}/:name/notifications/:id`, { params: { name, id } })
  print(`Deleted ${bold(id)}.`)
}

export const testTarget: Run = async ({ args: [id = ''], options }) => {
  const { base, name, flag } = ownerIn(options)
  const sent = await connect()(`POST /${base}/:name/notifications/:id/test`, { params: { name, id } })
  if (options.json) return printJson(sent)
  print(`Sending a test. How it went: svc notifications log ${id}${flag}`)
}

export const showLog: Run = async ({ args: [id = ''], options }) => {
  const { base, name } = ownerIn(options)
  const answer = await connect()(`GET /${base}/:name/notifications/:id/deliveries`, { params: { name, id } })
  if (options.json) return printJson(answer)
  const deliveries = required(answer, 'deliveries')
  if (deliveries.length === 0) return print('Nothing was sent yet.')
  printTable(deliveries.map(lineOf))
}

const lineOf = (row: Sparse<NotificationDelivery>): string[] => [
  bold(row.id ?? ''),
  row.created_at ? minute(row.created_at) : '',
  row.type ?? '',
  row.state === 'delivered' ? green('delivered') : (row.state ?? ''),
  `${row.attempts ?? 0} ${row.attempts === 1 ? 'attempt' : 'attempts'}`,
  String(row.status ?? ''),
  dim(row.state === 'delivered' ? '' : clean(row.response).slice(0, 100)),
]

export const resend: Run = async ({ args: [id = '', delivery = ''], options }) => {
  const { base, name } = ownerIn(options)
  const key = `POST /${base}/:name/notifications/:id/deliveries/:delivery/resend` as const
  await connect()(key, { params: { name, id, delivery } })
  print(`Sending ${bold(delivery)} again.`)
}
