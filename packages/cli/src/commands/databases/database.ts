// The PostgreSQL database of a project: show, create, remove, bring back.
import { readFile } from 'node:fs/promises'
import type { Database } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure, fileFailure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'
import { bold, clean, dim, minute, notice, print, printJson, printTable, size, warn } from '../../output.ts'
import { confirmByName } from '../../prompt.ts'
import { connect, required } from '../../session.ts'

export const showDatabase: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/database', { params: { name } })
  if (options.json) return printJson(answer)
  const { database, removed, previews = [] } = answer
  if (database) printTable(rowsOf(database))
  else print(`No database yet. 'svc db create' makes one.`)
  for (const { branch, used_bytes } of previews ?? [])
    print(`Preview of ${clean(branch)}: ${used_bytes == null ? 'not measured yet' : size(used_bytes)}`)
  if (removed)
    print(
      `Removed at ${minute(removed.removed_at)}: ${removed.name}. 'svc db undelete' brings it back until ${minute(removed.kept_until)} UTC.`,
    )
}

const rowsOf = (database: Sparse<Database>): string[][] => [
  ['Database', `${bold(database.name)} ${dim(statusWords(database.status))}`.trim()],
  [
    'Size',
    `${database.used_bytes == null ? 'not measured yet' : size(database.used_bytes)} of ${size(database.size_bytes)}`,
  ],
  ['Connections', `up to ${database.connections ?? ''}`],
  ['New previews', newPreviews(database)],
  [
    'Variable',
    database.variable === 'own'
      ? 'the project has a DATABASE_URL of its own, which the app gets instead'
      : 'DATABASE_URL',
  ],
]

function newPreviews({ preview_data, preview_mask }: Sparse<Database>): string {
  if (preview_data !== 'copy') return 'begin empty'
  return preview_mask == null ? 'begin with a copy of its data' : 'begin with a masked copy of its data'
}

const words: Record<string, string> = {
  creating: `not complete: run 'svc db create' again`,
  read_only: 'read-only, because it is larger than its limit',
  closed: 'closed, because it is much larger than its limit',
}

const statusWords = (status: string | null | undefined): string => words[status ?? ''] ?? ''

const creating =
  (restore: boolean): Run =>
  async ({ options }) => {
    const name = requireProject(options)
    const body = restore ? { restore } : {}
    const answer = await connect()('POST /projects/:name/database', { params: { name }, body })
    if (options.json) return printJson(answer)
    const { name: database } = required(answer, 'database')
    print(`${restore ? 'Brought back' : 'Created'} ${bold(database)}.`)
    for (const warning of answer.warnings ?? []) warn(clean(warning))
    print(effect(answer.restarting))
  }

const effect = (restarting: boolean | null | undefined): string =>
  restarting ? 'The app restarts with DATABASE_URL.' : 'The app gets DATABASE_URL at its next start.'

export const createDatabase = creating(false)
export const undeleteDatabase = creating(true)

export const removeDatabase: Run = async ({ options }) => {
  const name = requireProject(options)
  if (!options.yes)
    await confirmByName(
      'database',
      name,
      async () => `This removes the database of ${name}. The app cannot reach it any more.`,
    )
  const { removed } = await connect()('DELETE /projects/:name/database', {
    params: { name },
    body: { confirm: name },
  })
  print(`Removed the database of ${bold(name)}.`)
  if (removed?.kept_until) print(`'svc db undelete' brings it back until ${minute(removed.kept_until)} UTC.`)
}

export const setPreviewData: Run = async ({ args: [asked = ''], options }) => {
  const name = requireProject(options)
  const choice = (['empty', 'copy'] as const).find(each => each === asked)
  if (!choice) throw new Failure(`'${asked}' is neither 'empty' nor 'copy'.`)
  const preview_mask = await maskOf(options)
  const body = { preview_data: choice, ...(preview_mask !== undefined && { preview_mask }) }
  const { database } = await connect()('PATCH /projects/:name/database', { params: { name }, body })
  const isMasked = database?.preview_mask != null
  print(
    choice === 'empty'
      ? 'The databases of new previews begin empty.'
      : `The databases of new previews begin with a ${isMasked ? 'masked ' : ''}copy of what production's holds.`,
  )
  if (choice === 'copy' && isMasked && preview_mask === undefined)
    notice('The SQL from before masks them. --mask <file> replaces it, --unmasked removes it.')
}

/** `undefined`: it stays as it is. */
async function maskOf({ mask, unmasked }: OptionValues): Promise<string | null | undefined> {
  if (unmasked) return null
  if (mask === undefined) return undefined
  const sql = await readFile(mask, 'utf8').catch(error => {
    throw fileFailure('read', mask, error)
  })
  if (sql.trim() === '') throw new Failure(`${mask} is empty. --unmasked removes the masking.`)
  if (sql.length > limits.previewMaskLength)
    throw new Failure(
      `${mask} has ${sql.length} characters, and at most ${limits.previewMaskLength} are possible.`,
    )
  return sql
}

export const showQueries: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/database/queries', { params: { name } })
  if (options.json) return printJson(answer)
  const queries = required(answer, 'queries')
  print(`${answer.connections ?? 0} connections, ${queries.length} at work`)
  printTable(
    queries.map(({ seconds, state, query }) => [
      `${seconds ?? 0} s`,
      state ?? '',
      clean(query).replace(/\s+/g, ' '),
    ]),
  )
}
