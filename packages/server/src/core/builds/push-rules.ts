// Which pushes the built-in forge refuses. Git asks before it changes any ref, and shows the answer to the person who pushes.
import { formatBytes } from '@svc/contract/bytes'
import { limits } from '@svc/contract/limits'
import { formatWhole } from '@svc/contract/whole-number'
import type { IncomingPush, RefUpdate } from '../../ports/git-repos/port.ts'
import type { Platform } from '../base/platform.ts'

type Parts = Pick<Platform, 'repos' | 'repositoryBytes'>

/** What a new ref takes on most disks until refs are packed. */
const refBytes = 4096

/** `undefined` if the push is accepted. */
export async function whyPushIsRefused(
  platform: Parts,
  id: string,
  push: IncomingPush,
): Promise<string | undefined> {
  const { updates } = push
  return (
    whyRefsAreRefused(updates) ??
    (await tooManyRefs(push)) ??
    (await push.tooManyPaths(newCommits(updates))) ??
    (await tooManyBytes(platform, id, push))
  )
}

function whyRefsAreRefused(updates: readonly RefUpdate[]): string | undefined {
  if (updates.length > limits.refsPerPush)
    return `This push changes ${formatWhole(updates.length)} refs. A push may change ${formatWhole(limits.refsPerPush)} at most: push them in parts.`
  const replacing = updates.find(({ ref, to }) => to !== undefined && ref.startsWith('refs/replace/'))
  return (
    replacing &&
    `${replacing.ref} is refused: a ref below refs/replace/ makes git show one object in place of another.`
  )
}

async function tooManyRefs(push: IncomingPush): Promise<string | undefined> {
  if (!push.updates.some(({ from }) => from === undefined)) return undefined
  const refs = await push.refsAfter()
  if (refs <= limits.refsPerRepository) return undefined
  return `The repository would have ${formatWhole(refs)} branches and tags. It may have ${formatWhole(limits.refsPerRepository)} at most: delete some first (git push <remote> --delete <branch>).`
}

/** Only branches are built, so only their files are looked at. */
const newCommits = (updates: readonly RefUpdate[]): string[] => [
  ...new Set(
    updates.flatMap(({ ref, to }) => (to !== undefined && ref.startsWith('refs/heads/') ? [to] : [])),
  ),
]

/** A full repository takes pushes that delete, and those after which everything in use fits. */
async function tooManyBytes(
  { repos, repositoryBytes: bytesAtMost }: Parts,
  id: string,
  push: IncomingPush,
): Promise<string | undefined> {
  if (push.updates.every(({ to }) => to === undefined)) return undefined
  const newRefs = push.updates.filter(({ from }) => from === undefined).length * refBytes
  if ((await repos.size(id)) + (await push.bytes()) + newRefs <= bytesAtMost) return undefined
  if ((await push.bytesAfter()) <= bytesAtMost) return undefined
  return `The repository is full: it may hold ${formatBytes(bytesAtMost)}. Delete branches that you no longer need (git push <remote> --delete <branch>), remove large files from the history and push with --force, or delete the repository (svc git repos rm <owner/name>).`
}
