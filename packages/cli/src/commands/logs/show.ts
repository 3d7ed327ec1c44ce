// svc logs: prints the last lines of the app's log, or the latest requests. With --follow it also prints new ones.
import { ApiError } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'
import { clean, dim, mayAdvise, notice, print, printJson } from '../../output.ts'
import { connect } from '../../session.ts'
import { type Ask, follow, type Range, whole } from './follow.ts'
import { forTerminal, type Line, splitLines, stampedLines } from './lines.ts'
import { requestFilter } from './request-filter.ts'
import { type AskRequests, followRequests, showRequests } from './requests.ts'
import { secondsOfStamp, sinceSeconds } from './since.ts'
import { silentWords, stoppedWords, unreachableWords } from './words.ts'

export const logs: Run = async ({ options }) => {
  const name = requireProject(options)
  const range = { tail: checkedTail(options.tail), since: options.since && sinceSeconds(options.since) }
  const { branch, deployment } = options
  // Lines carry the id of a request if the app writes it.
  const search = options.search ?? (options.requests ? undefined : options.request)
  const filter = { branch, deployment, search, level: checkedLevel(options.level) }
  if (options.requests && (branch ?? search ?? filter.level) !== undefined)
    throw new Failure('--branch, --search and --level are for the log of the app, not for --requests.')
  const chosen = requestFilter(options)
  const call = connect()
  if (options.requests) {
    const askRequests: AskRequests = query =>
      call('GET /projects/:name/requests', { params: { name }, query: { ...query, deployment, ...chosen } })
    const isFiltered = deployment !== undefined || Object.keys(chosen).length > 0
    const wanted = { ...range, json: options.json, isFiltered }
    if (!options.follow) return await showRequests(askRequests, wanted)
    process.once('SIGINT', () => process.exit(0))
    return await followRequests(askRequests, wanted)
  }
  const read = (query: Parameters<Ask>[0]) =>
    call('GET /projects/:name/logs', { params: { name }, query: { ...query, ...filter } }).catch(orRequests)
  const ask: Ask = async query => whole(await read(query))
  if (options.json && !options.follow)
    return printJson(await read({ ...range, timestamps: options.timestamps ? '1' : undefined }))
  if (!options.follow) return await show(ask, options, range)
  if (options.json) throw new Failure('--json shows one answer of the API; it cannot follow.')
  process.once('SIGINT', () => process.exit(0))
  await follow(ask, range, printer(options))
}

/** A static site has no app that could log something, but its requests are logged. */
function orRequests(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'not_a_server' || !mayAdvise()) throw error
  throw new Failure(`${clean(error.message)} (${error.code})`, {
    cause: error,
    hint: "'svc logs --requests' shows the requests of its visitors.",
  })
}

async function show(ask: Ask, options: OptionValues, range: Range): Promise<void> {
  const isStamped = options.timestamps || process.stdout.isTTY
  const answer = await ask({ ...range, timestamps: isStamped ? '1' : undefined })
  if (answer.state === 'unreachable') notice(unreachableWords)
  if (answer.state === 'stopped') notice(stoppedWords(answer.stopped_at))
  if (answer.state === 'stopped' && range.since) return await showStopped(ask, options, range)
  const lines = isStamped
    ? stampedLines(answer.logs)
    : splitLines(answer.logs).map(text => ({ stamp: '', text }))
  if (lines.length === 0 && answer.state === 'running') notice(silentWords(range.since !== undefined))
  lines.forEach(printer(options))
}

/** With `since`, the API leaves out the last lines of a stopped app, and some of them may be newer than that. */
async function showStopped(ask: Ask, options: OptionValues, { tail, since }: Range): Promise<void> {
  const { logs } = await ask({ tail, timestamps: '1' })
  const isNew = ({ stamp }: Line) => Number(secondsOfStamp(stamp)) > Number(since)
  stampedLines(logs).filter(isNew).forEach(printer(options))
}

/** Prints a line. On a terminal it begins with the time of day, and lines of the platform look different from those of the app. */
function printer({ timestamps }: OptionValues): (line: Line) => void {
  const { isTTY } = process.stdout
  return ({ stamp, text }) => {
    const before = timestamps ? `${stamp} ` : isTTY ? dim(`${timeOfDay(stamp)} `) : ''
    const shown = isTTY ? forTerminal(text) : text
    print(before + (shown.startsWith('svc: ') ? dim(shown) : shown))
  }
}

/** In UTC, as everywhere in svc. The day stands before it, unless that is today. */
function timeOfDay(stamp: string): string {
  const [day = '', time = ''] = stamp.split('T')
  const isToday = new Date().toISOString().startsWith(day)
  return isToday ? time.slice(0, 8) : `${day} ${time.slice(0, 8)}`
}

function checkedTail(tail: string | undefined): string | undefined {
  const { min, max } = limits.logsTail
  if (tail !== undefined && (!/^\d{1,4}$/.test(tail) || Number(tail) < min || Number(tail) > max))
    throw new Failure(`--tail takes a whole number from ${min} to ${max}.`)
  return tail
}

const levels = ['debug', 'info', 'warn', 'error'] as const

function checkedLevel(level: string | undefined): (typeof levels)[number] | undefined {
  const found = levels.find(name => name === level)
  if (level !== undefined && !found) throw new Failure(`--level takes ${levels.join(', ')}.`)
  return found
}
