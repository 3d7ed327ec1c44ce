// The names of all projects that the account can act on, for the command palette and for choices.
import type { Org } from '@svc/contract'
import { call } from './api.ts'
import { useResource } from './resource.ts'

const perWorkspace = '100'

/** The projects of the account, and those of the orgs. */
export function useProjectNames(orgs: readonly Org[] | undefined) {
  const names = orgs?.map(({ name }) => name) ?? []
  return useResource(`project names of ${names.join(' ')}`, async () => {
    const lists = await Promise.all(
      [undefined, ...names].map(org =>
        call('GET /projects', { query: { limit: perWorkspace, ...(org && { org }) } }),
      ),
    )
    return lists.flatMap(({ projects }) => projects)
  }).data
}
