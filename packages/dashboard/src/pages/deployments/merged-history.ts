// The deployments of a project and the builds that made none, as one list, newest first.
import type { Page, PagedList } from '../../paged-list.ts'
import type { Resource } from '../../resource.ts'
import { type BuildFilter, buildsOf } from '../builds/builds.ts'
import { deploymentsOf, type HistoryFilter } from './history.ts'
import { type HistoryRow, merged } from './merge.ts'

interface MergedHistory {
  list: Pick<PagedList<HistoryRow>, 'loadMore'>
  resource: Resource<Page<HistoryRow>>
}

export function useHistory(project: string, filter: HistoryFilter): MergedHistory {
  const [deployments, builds] = [deploymentsOf(project, filter), buildsOf(project, buildFilterOf(filter))]
  const [made, unmade] = [deployments.use(), builds.use()]
  const data = made.data && unmade.data && merged(made.data, unmade.data)
  return {
    list: {
      loadMore: async () => {
        await Promise.all([
          made.data && deployments.loadMore(made.data),
          unmade.data && builds.loadMore(unmade.data),
        ])
      },
    },
    resource: {
      data,
      error: made.error ?? unmade.error,
      loading: made.loading || unmade.loading,
      refresh: async () => {
        await Promise.all([made.refresh(), unmade.refresh()])
      },
    },
  }
}

/** `none` where no build can match: builds have no kind, and of the statuses of deployments they share only "failed". */
function buildFilterOf({ status, kind, branch }: HistoryFilter): BuildFilter | 'none' {
  if (kind || (status && status !== 'failed')) return 'none'
  return { ...(status === 'failed' && { status }), ...(branch && { branch }) }
}
