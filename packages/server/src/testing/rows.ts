// The rows that tests of a store need: an account, a project, a deployment.
import { newId } from '../lib/ids.ts'
import { insertAccount, nextForgeId } from '../store/identity/accounts.ts'
import { insertProject } from '../store/projects/projects.ts'
import type { Store } from '../store/store.ts'
import type { BuildRow, DeploymentRow } from '../store/tables.ts'

export async function addAccount(store: Store, id = newId('acc')): Promise<string> {
  await store.transact(async tx =>
    insertAccount(tx, {
      id,
      forge_id: await nextForgeId(tx),
      login: id,
      email: null,
      password_hash: null,
      is_admin: 0,
      created_at: 1,
      disabled_at: null,
      delete_at: null,
      delete_by: null,
    }),
  )
  return id
}

/** Adds a project, owned by the given account or by a new one. */
export async function addProject(
  store: Store,
  name?: string,
  owner?: string,
): Promise<{ id: string; name: string }> {
  const id = newId('prj')
  const account_id = owner ?? (await addAccount(store))
  const project = { id, name: name ?? id }
  await store.transact(tx =>
    insertProject(tx, {
      ...project,
      account_id,
      org_id: null,
      active_deployment_id: null,
      expires_at: null,
      created_at: 1,
      active_at: null,
      access_mode: 'public',
      password_hash: null,
      access_generation: 0,
    }),
  )
  return project
}

/** The row of a static deployment, with what the test gives it. */
export const deploymentRow = (
  given: Pick<DeploymentRow, 'project_id'> & Partial<DeploymentRow>,
): DeploymentRow => ({
  id: newId('dep'),
  status: 'superseded',
  kind: 'static',
  created_at: 1,
  finished_at: null,
  file_count: 1,
  size_bytes: 1,
  git_sha: null,
  commit_message: null,
  commit_author: null,
  git_branch: null,
  branch_slug: null,
  cli_version: null,
  created_by: null,
  warnings: '[]',
  error: null,
  node_id: 'node',
  framework: null,
  start_command: null,
  release_command: null,
  seed_command: null,
  released_at: null,
  from_fork: 0,
  parts_until: null,
  superseded_at: null,
  image: null,
  node_asked: null,
  node_version: null,
  ...given,
})

/** The row of a queued build, with what the test gives it. */
export const buildRow = (given: Pick<BuildRow, 'project_id'> & Partial<BuildRow>): BuildRow => ({
  ...{ id: newId('bld'), status: 'queued', branch: 'main', is_production: 1, created_at: 1 },
  ...{ commit_sha: 'a'.repeat(40), commit_message: null, author: null, deployment_id: null },
  ...{ requested_by: null, started_at: null, finished_at: null, error: null, node_id: null },
  ...{ lease_until: null, attempts: 0, cancel_requested: 0, from_fork: 0, asked_for: 0 },
  ...{ retries: 0, retry_at: null },
  ...given,
})
