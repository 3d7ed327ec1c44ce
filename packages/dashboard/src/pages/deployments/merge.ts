// Merges the deployments of a project and its builds into one list, newest first.
import type { Build, Deployment } from '@svc/contract'
import type { Page } from '../../paged-list.ts'

/** A deployment, or a build that made none. */
export type HistoryRow = Deployment | Build

export const isBuild = (row: HistoryRow): row is Build => 'commit_sha' in row

/**
 * Of two lists that are loaded page by page, only the part that both have reached can be shown: below it, rows of the other list
 * may be missing in between.
 */
export function merged(deployments: Page<Deployment>, builds: Page<Build>): Page<HistoryRow> {
  const reached = [deployments, builds]
    .flatMap(({ rows, next_cursor }: Page<HistoryRow>) =>
      next_cursor ? (rows.at(-1)?.created_at ?? []) : [],
    )
    .reduce((newest, at) => (at > newest ? at : newest), '')
  const rows = [...deployments.rows, ...builds.rows.filter(madeNone)]
    .filter(({ created_at }) => created_at >= reached)
    .sort((one, other) => other.created_at.localeCompare(one.created_at))
  const cursors = [deployments.next_cursor, builds.next_cursor].filter(Boolean)
  return { rows, next_cursor: cursors.length > 0 ? cursors.join(' ') : null }
}

const madeNone = ({ status, deployment_id }: Build): boolean =>
  status !== 'succeeded' && deployment_id === null
