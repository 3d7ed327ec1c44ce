// What a missing id, key or domain could be. A terminal is asked which one; scripts get the usage message alone.
import { ApiError } from '@svc/contract/client'
import type { Candidates } from '../command.ts'
import { Failure } from '../failure.ts'
import { requireProject } from '../link.ts'
import type { OptionValues } from '../options.ts'
import { clean, firstLine, minute, size } from '../output.ts'
import { allPages } from '../pages.ts'
import { canAsk } from '../prompt.ts'
import { connect } from '../session.ts'
import { ownerIn } from './notifications/owner.ts'

interface Words {
  heading: string
  none: string
  /** The command that lists more. */
  more: string
}

const askingAtTerminal =
  ({ heading, none, more }: Words, rowsOf: (options: OptionValues) => Promise<string[][]>): Candidates =>
  async ({ options }) => {
    if (!canAsk()) return undefined
    try {
      const rows = await rowsOf(options)
      return { heading: rows.length > 0 ? heading : none, rows, more }
    } catch (error) {
      // Without a project, a login or an answer, the usage alone is what there is to say.
      if (error instanceof Failure || error instanceof ApiError) return undefined
      throw error
    }
  }

export const variableCandidates = askingAtTerminal(
  { heading: 'Variables of the project:', none: 'There is no variable.', more: 'svc env' },
  async options => {
    const { env } = await connect()('GET /projects/:name/env', { params: { name: requireProject(options) } })
    // A key may have a value for production and one for previews.
    return [...new Set((env ?? []).map(({ key }) => clean(key)))].map(key => [key])
  },
)

export const domainCandidates = askingAtTerminal(
  { heading: 'Domains of the project:', none: 'There is no domain.', more: 'svc domains' },
  async options => {
    const { domains } = await connect()('GET /projects/:name', { params: { name: requireProject(options) } })
    return (domains ?? []).map(({ domain, branch, redirect_to }) => [
      clean(domain),
      redirect_to ? `redirects to ${clean(redirect_to)}` : clean(branch ?? 'production'),
    ])
  },
)

export const cronCandidates = askingAtTerminal(
  { heading: 'Scheduled jobs of the project:', none: 'There is no scheduled job.', more: 'svc cron' },
  async options => {
    const params = { name: requireProject(options) }
    const { crons } = await connect()('GET /projects/:name/crons', { params })
    return (crons ?? []).map(({ id, schedule, method, path, enabled }) => [
      ...[clean(id), schedule ?? '', method ?? '', clean(path)],
      enabled === false ? 'disabled' : '',
    ])
  },
)

export const targetCandidates = askingAtTerminal(
  { heading: 'Targets of notifications:', none: 'There is no target.', more: 'svc notifications' },
  async options => {
    const { base, name } = ownerIn(options)
    const { targets } = await connect()(`GET /${base}/:name/notifications`, { params: { name } })
    return (targets ?? []).map(({ id, kind, address }) => [clean(id), kind ?? '', clean(address)])
  },
)

export const buildCandidates = askingAtTerminal(
  { heading: 'Builds under way:', none: 'No build waits or runs.', more: 'svc git' },
  async options => {
    const params = { name: requireProject(options) }
    const call = connect()
    const lists = await Promise.all(
      (['building', 'queued'] as const).map(status =>
        call('GET /projects/:name/builds', { params, query: { status } }),
      ),
    )
    return lists
      .flatMap(({ builds }) => builds ?? [])
      .map(({ id, status, branch, created_at, commit_message }) => [
        ...[clean(id), status ?? '', clean(branch), minute(created_at), firstLine(commit_message, 40)],
      ])
  },
)

export const previewLinkCandidates = askingAtTerminal(
  { heading: 'Share links:', none: 'There is no share link.', more: 'svc previews' },
  async options => {
    const params = { name: requireProject(options) }
    const { links } = await connect()('GET /projects/:name/preview-links', { params })
    return (links ?? []).map(({ id, branch, deployment_id, expires_at }) => [
      ...[clean(id), clean(branch ?? deployment_id)],
      expires_at ? `until ${minute(expires_at)}` : '',
    ])
  },
)

export const snapshotCandidates = askingAtTerminal(
  { heading: 'Snapshots of the disk:', none: 'There is no snapshot.', more: 'svc disk snapshots' },
  async options => {
    const params = { name: requireProject(options) }
    const { snapshots } = await connect()('GET /projects/:name/disk/snapshots', { params })
    return (snapshots ?? []).map(({ id, created_at, bytes, reason }) => [
      ...[clean(id), minute(created_at), size(bytes), clean(reason)],
    ])
  },
)

export const shareCandidates = askingAtTerminal(
  { heading: 'Your shares:', none: 'There is no share.', more: 'svc share ls' },
  async () => {
    const call = connect()
    const { shares } = await allPages('shares', cursor =>
      call('GET /shares', { query: { cursor, limit: '100' } }),
    )
    return shares.map(({ name, expires_at }) => [
      clean(name),
      expires_at ? `until ${minute(expires_at)}` : '',
    ])
  },
)

export const tokenCandidates = askingAtTerminal(
  { heading: 'Your tokens:', none: 'There is no token.', more: 'svc token list' },
  async () => {
    const call = connect()
    const { tokens } = await allPages('tokens', cursor =>
      call('GET /tokens', { query: { cursor, limit: '100' } }),
    )
    return tokens
      .filter(({ revoked_at }) => !revoked_at)
      .map(({ id, kind, label, created_at, current }) => [
        ...[clean(id), kind ?? '', clean(label), minute(created_at)],
        current ? 'in use here' : '',
      ])
  },
)
