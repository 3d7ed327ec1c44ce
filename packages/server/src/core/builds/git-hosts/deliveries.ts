// Webhook deliveries of GitLab and Gitea. One only tells that a branch changed: its state is read from the host afterwards, so
// a delivery that is late, repeated or out of order changes nothing.
import { z } from 'zod'
import { Fault } from '../../../lib/fault.ts'
import type { WebhookRequest } from '../../../ports/git-hosts/port.ts'
import { findHostRepository } from '../../../store/builds/git-hosts.ts'
import { findRepositoryById } from '../../../store/builds/repositories.ts'
import { enqueue } from '../../base/jobs.ts'
import type { BuildParts, Platform, Rows, Vault } from '../../base/platform.ts'
import { followBranch } from '../remote-branches.ts'
import { openHostSecrets } from './secrets.ts'

/** The delivery is stored when this resolves. */
export async function receiveHostDelivery(
  platform: Rows & Vault & Pick<Platform, 'gitHosts'>,
  repositoryId: string,
  request: WebhookRequest,
): Promise<void> {
  const { store, clock, gitHosts } = platform
  const row = await findHostRepository(store.db, repositoryId)
  // The answer for an unknown repository is that for a wrong secret.
  if (
    !row ||
    row.kind === 'public' ||
    !gitHosts.isSigned(row.kind, request, openHostSecrets(platform, row).webhook)
  )
    throw new Fault('unauthorized', 'The signature of the webhook is missing or wrong.')
  const changed = branchOf(request.body)
  if (!changed) return
  const payload = { repository_id: repositoryId, ...changed }
  await store.transact(tx => enqueue(tx, 'follow-branch', payload, { now: clock.now() }))
}

const change = z.object({
  ref: z.string().max(1_000),
  /** The new commit of the branch. */
  after: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .catch('none'),
  /** Only in an event of Gitea about a branch that was deleted. Its `ref` is the name alone. */
  ref_type: z.string().max(20).optional(),
})

/** `undefined` for an event about anything else, such as a tag. */
function branchOf(body: Buffer): { branch: string; commit: string } | undefined {
  const event = change.safeParse(parsed(body))
  if (!event.success) return undefined
  const { ref, ref_type, after: commit } = event.data
  const prefix = 'refs/heads/'
  const branch = ref.startsWith(prefix) ? ref.slice(prefix.length) : ref_type === 'branch' ? ref : undefined
  return branch !== undefined && branch !== '' && branch.length <= 255 ? { branch, commit } : undefined
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // No event is undefined, so the schema refuses it.
    return undefined
  }
}

export async function followHostBranch(
  platform: BuildParts & Pick<Platform, 'urls'>,
  { repository_id, branch }: { repository_id: string; branch: string },
): Promise<void> {
  const repository = await findRepositoryById(platform.store.db, repository_id)
  if (repository) await followBranch(platform, repository, branch)
}
