// Temporary shares: a directory at a URL of its own for some days, without a project.
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, cyan, dim, minute, print, printJson, printTable, warn } from '../../output.ts'
import { allPages } from '../../pages.ts'
import { connect, required } from '../../session.ts'
import { publish } from '../../site/publish.ts'

export const share: Run = async ({ args: [dir = '.'], options }) => {
  const query = { ttl: days(options.ttl) }
  const to = { endpoint: 'POST /shares', query } as const
  const { answer, contents, warnings } = await publish(dir, to, {
    command: 'svc share',
    options: options.ttl ? ['--ttl', options.ttl] : [],
    extent: { nodeModules: options['node-modules'] ?? false },
    replaces: false,
    yes: options.yes ?? false,
  })
  if (options.json) {
    printJson(answer)
    return warnings.forEach(warn)
  }
  const end = minute(answer.expires_at)
  print(`${bold(answer.name)} is live${end && ` until ${end} UTC`}: ${contents}.`)
  print(cyan(required(answer, 'url')))
  warnings.forEach(warn)
}

export const listShares: Run = async ({ options }) => {
  const call = connect()
  const answer = await allPages('shares', cursor => call('GET /shares', { query: { cursor, limit: '100' } }))
  if (options.json) return printJson(answer)
  if (answer.shares.length === 0) return print("No shares. 'svc share [dir]' makes one.")
  printTable(
    answer.shares.map(({ name, url, expires_at }) => [
      bold(name),
      cyan(url),
      dim(expires_at && `until ${minute(expires_at)}`),
    ]),
  )
}

export const removeShare: Run = async ({ args: [name = ''] }) => {
  await connect()('DELETE /shares/:name', { params: { name } })
  print(`Deleted ${name}.`)
}

/** Checks the days before the directory is packed. */
function days(ttl: string | undefined): string | undefined {
  if (ttl === undefined) return undefined
  const { min, max } = limits.shareDays
  if (!/^\d{1,3}$/.test(ttl) || Number(ttl) < min || Number(ttl) > max)
    throw new Failure(`--ttl takes whole days, ${min} to ${max}.`)
  return ttl
}
