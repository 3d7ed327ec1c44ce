// Webhook deliveries of GitHub. They are verified and stored before they are acknowledged, and handled afterwards.
import { createHash } from 'node:crypto'
import { Fault } from '../../../lib/fault.ts'
import { cancelQueued } from '../../../store/builds/builds.ts'
import { deleteHandled, insertDelivery, repeatsOf } from '../../../store/builds/github/deliveries.ts'
import { deleteInstallation, saveInstallation } from '../../../store/builds/github/installations.ts'
import { findGitHubRepository, updateGitHubRepository } from '../../../store/builds/github/repositories.ts'
import { connectedProjects, deleteRepository } from '../../../store/builds/repositories.ts'
import type { Tx } from '../../../store/store.ts'
import type { RepositoryRow } from '../../../store/tables.ts'
import { requireGitHub } from '../../base/github-faults.ts'
import type { BuildParts, Platform, Rows } from '../../base/platform.ts'
import { followBranch } from '../remote-branches.ts'
import { connectionsOf, githubSource } from '../source.ts'
import { type GitHubEvent, type NamedRepository, readEvent } from './events.ts'
import { followPull } from './pulls.ts'

/** How long the platform waits before it handles the same event again. */
const repeatMs = 10_000

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
  // GitHub signs the body alone, so the id and the name of the event may be anyone's.
  const hash = createHash('sha256').update(`${event}\n`).update(body).digest('base64url')
  await platform.store.transact(async (tx, changed) => {
    const dueAt = await dueOf(tx, { id, hash, now })
    if (dueAt === undefined) return
    const content = JSON.stringify(read)
    const row = { id, event: content, body_hash: hash, received_at: now, next_at: dueAt, attempts: 0 }
    if (await insertDelivery(tx, row)) await changed({ topic: 'build', key: 'github' })
  })
}

/**
 * When to handle an event. `undefined` if the delivery is known, or the same event is waiting. The same bytes under another
 * id are a replay: GitHub's events differ by their commits and times. A replay changes nothing, but costs a request to
 * GitHub, so it waits.
 */
async function dueOf(
  tx: Tx,
  { id, hash, now }: { id: string; hash: string; now: number },
): Promise<number | undefined> {
  const repeats = await repeatsOf(tx, hash)
  const isWaiting = repeats.some(({ event, attempts }) => event !== null && attempts === 0)
  if (isWaiting || repeats.some(repeat => repeat.id === id)) return undefined
  await deleteHandled(tx, hash)
  return Math.max(now, ...repeats.map(({ received_at }) => received_at + repeatMs))
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
  async installation(platform, { id, repositories }) {
    const current = await requireGitHub(platform).installation(id)
    if (!current) return await platform.store.transact(tx => deleteInstallation(tx, id))
    const { account, isSuspended } = current
    await saveInstallation(platform.store.db, { id, account, is_suspended: isSuspended ? 1 : 0 })
    // Repositories of a new installation are accessed through that installation from now on.
    for (const repository of repositories) await knownRepository(platform, repository, id)
  },
  async repository(platform, { isDeleted, repository, installationId }) {
    const row = await knownRepository(platform, repository, installationId)
    if (row && isDeleted && (await isGone(platform, row))) await forgetRepository(platform, row)
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

/**
 * Finds the repository by id. If the event names it differently or through another installation, reads its name from GitHub
 * and stores both. `undefined` if the platform does not know the repository.
 */
async function knownRepository(
  platform: Pick<Platform, 'github' | 'store'>,
  { id, fullName }: NamedRepository,
  installationId: number | undefined,
): Promise<RepositoryRow | undefined> {
  const { db } = platform.store
  const row = await findGitHubRepository(db, id)
  const known = row && (await connectedProjects(db, row.id))[0]?.installation_id
  const through = installationId ?? known
  if (!row || known == null || through == null || (row.name === fullName && through === known)) return row
  const current = await requireGitHub(platform).repositoryIn({ installationId: through, repositoryId: id })
  // The event is older than a rename or a new installation.
  if (!current) return row
  const { fullName: name } = current
  await platform.store.transact(tx => updateGitHubRepository(tx, row.id, { name, installationId: through }))
  return { ...row, name }
}

/** Whether the App has no access to the repository any more. */
async function isGone(
  platform: Pick<Platform, 'github' | 'store'>,
  repository: RepositoryRow,
): Promise<boolean> {
  const found = await connectionsOf(platform.store, repository, project => githubSource(platform, project))
  return !found || (await found.source.github.repositoryIn(found.source.at)) === undefined
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
