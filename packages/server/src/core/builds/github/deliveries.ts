// Webhook deliveries of GitHub. They are verified and stored before they are acknowledged, and handled afterwards.
import { Fault } from '../../../lib/fault.ts'
import { cancelQueued } from '../../../store/builds/builds.ts'
import { insertDelivery } from '../../../store/builds/github/deliveries.ts'
import { deleteInstallation, saveInstallation } from '../../../store/builds/github/installations.ts'
import { findGitHubRepository, updateGitHubRepository } from '../../../store/builds/github/repositories.ts'
import { connectedProjects, deleteRepository } from '../../../store/builds/repositories.ts'
import type { RepositoryRow } from '../../../store/tables.ts'
import type { BuildParts, Platform, Rows } from '../../platform/platform.ts'
import { type GitHubEvent, type NamedRepository, readEvent } from './events.ts'
import { followBranch, followPull } from './pushes.ts'

interface Delivery {
  id: string
  event: string
  signature: string
  body: Buffer
}

/** The delivery is stored when this resolves. A repeated delivery changes nothing. */
export async function receiveDelivery(
  platform: Rows & Pick<Platform, 'github'>,
  { id, event, signature, body }: Delivery,
): Promise<void> {
  if (!(await platform.github?.isSignedByGitHub(body, signature)))
    throw new Fault('unauthorized', 'The signature of the webhook is missing or wrong.')
  if (!/^[\w-]{1,100}$/.test(id))
    throw new Fault('invalid_request', 'The header X-GitHub-Delivery is missing.')
  const read = readEvent(event, body.toString('utf8'))
  if (!read) return
  const now = platform.clock.now()
  await platform.store.transact(async (tx, changed) => {
    const row = { id, event: JSON.stringify(read), received_at: now, next_at: now, attempts: 0 }
    if (await insertDelivery(tx, row)) await changed({ topic: 'build', key: 'github' })
  })
}

type Handle<E extends GitHubEvent> = (
  platform: BuildParts & Pick<Platform, 'urls'>,
  event: E,
) => Promise<void>

const handlers: { [K in GitHubEvent['kind']]: Handle<EventOf<K>> } = {
  async branch(platform, { repository, installationId, branch }) {
    const row = await knownRepository(platform, repository, installationId)
    if (row) await followBranch(platform, row, branch)
  },
  async pull(platform, { repository, installationId, number }) {
    const row = await knownRepository(platform, repository, installationId)
    if (row) await followPull(platform, row, number)
  },
  async installation(platform, { state, id, account, repositories }) {
    if (state === 'deleted') return await platform.store.transact(tx => deleteInstallation(tx, id))
    await saveInstallation(platform.store.db, { id, account, is_suspended: state === 'suspended' ? 1 : 0 })
    // Repositories of a new installation are accessed through that installation from now on.
    for (const repository of repositories) await knownRepository(platform, repository, id)
  },
  async repository(platform, { isDeleted, repository }) {
    const row = await knownRepository(platform, repository, undefined)
    if (row && isDeleted) await forgetRepository(platform, row)
  },
}

type EventOf<K extends GitHubEvent['kind']> = Extract<GitHubEvent, { kind: K }>

/** Idempotent: can be run again after a failure. */
export async function handleEvent(
  platform: BuildParts & Pick<Platform, 'urls'>,
  event: GitHubEvent,
): Promise<void> {
  const handle = handlers[event.kind] as Handle<GitHubEvent>
  await handle(platform, event)
}

/** Finds the repository by id, and stores its current name and installation. `undefined` if no project builds from it. */
async function knownRepository(
  platform: Pick<Platform, 'store'>,
  { id, fullName }: NamedRepository,
  installationId: number | undefined,
): Promise<RepositoryRow | undefined> {
  const row = await findGitHubRepository(platform.store.db, id)
  if (!row) return undefined
  await platform.store.transact(tx => updateGitHubRepository(tx, row.id, { name: fullName, installationId }))
  return { ...row, name: fullName }
}

/** Disconnects the projects from the repository. They keep their deployments. */
async function forgetRepository(platform: Rows, { id }: RepositoryRow): Promise<void> {
  const projects = await connectedProjects(platform.store.db, id)
  const words = { now: platform.clock.now(), error: 'The repository was deleted at GitHub.' }
  await platform.store.transact(async (tx, changed) => {
    for (const { project_id: projectId, project_name } of projects) {
      for (const build of await cancelQueued(tx, { projectId }, words))
        await changed({ topic: 'build', key: build })
      await changed({ topic: 'project', key: project_name })
    }
    await deleteRepository(tx, id)
  })
}
