// Reads the parts of GitHub's webhook events that the platform needs. An event only tells that something changed. The current
// state is then read from GitHub, so events may arrive late, twice or in any order, and an old event that a stranger sends
// again changes nothing.
import { z } from 'zod'
import { Fault } from '../../../lib/fault.ts'

const repository = z.object({ id: z.number().int(), full_name: z.string().max(300) })
const installation = z.object({ id: z.number().int() })
const repositories = z.array(repository).max(100_000)

const isKnown = <T extends string>(known: readonly T[], action: string): action is T =>
  (known as readonly string[]).includes(action)

export interface NamedRepository {
  id: number
  fullName: string
}

export type GitHubEvent =
  | { kind: 'branch'; repository: NamedRepository; installationId: number; branch: string }
  | { kind: 'pull'; repository: NamedRepository; installationId: number; number: number }
  | { kind: 'installation'; id: number; repositories: NamedRepository[] }
  | {
      kind: 'repository'
      isDeleted: boolean
      repository: NamedRepository
      installationId?: number | undefined
    }

const installationActions = [
  ...['created', 'new_permissions_accepted', 'suspend', 'unsuspend', 'deleted'],
  // Of `installation_repositories`.
  ...['added', 'removed'],
] as const

const pullActions = ['opened', 'synchronize', 'reopened', 'closed', 'edited', 'ready_for_review'] as const
const repositoryActions = ['renamed', 'transferred', 'deleted'] as const

const named = ({ id, full_name }: z.output<typeof repository>): NamedRepository => ({
  id,
  fullName: full_name,
})

/** One reader for each event that matters. `undefined` if this one does not. */
const readers: Record<string, (payload: unknown) => GitHubEvent | undefined> = {
  push(payload) {
    const event = z.object({ ref: z.string().max(1000), repository, installation }).parse(payload)
    // Tags are not built.
    if (!event.ref.startsWith('refs/heads/')) return undefined
    const branch = event.ref.slice('refs/heads/'.length)
    return {
      kind: 'branch',
      repository: named(event.repository),
      installationId: event.installation.id,
      branch,
    }
  },
  pull_request(payload) {
    const shape = z.object({ action: z.string(), number: z.number().int(), repository, installation })
    const event = shape.parse(payload)
    if (!isKnown(pullActions, event.action)) return undefined
    const { number, installation: where } = event
    return { kind: 'pull', repository: named(event.repository), installationId: where.id, number }
  },
  installation(payload) {
    const shape = z.object({ action: z.string(), installation, repositories: repositories.optional() })
    const event = shape.parse(payload)
    return ofInstallation(event, event.repositories)
  },
  installation_repositories(payload) {
    const shape = z.object({ action: z.string(), installation, repositories_added: repositories.optional() })
    const event = shape.parse(payload)
    return ofInstallation(event, event.repositories_added)
  },
  repository(payload) {
    const shape = z.object({ action: z.string(), repository, installation: installation.optional() })
    const event = shape.parse(payload)
    if (!isKnown(repositoryActions, event.action)) return undefined
    return {
      kind: 'repository',
      isDeleted: event.action === 'deleted',
      repository: named(event.repository),
      installationId: event.installation?.id,
    }
  },
}

function ofInstallation(
  event: { action: string; installation: { id: number } },
  covered: z.output<typeof repositories> = [],
): GitHubEvent | undefined {
  if (!isKnown(installationActions, event.action)) return undefined
  return { kind: 'installation', id: event.installation.id, repositories: covered.map(named) }
}

/** `undefined` for an event that the platform does not use, such as `ping`. */
export function readEvent(name: string, body: string): GitHubEvent | undefined {
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined
  if (!read) return undefined
  try {
    return read(JSON.parse(body))
  } catch (cause) {
    throw new Fault(
      'invalid_request',
      `The body is not a '${name}' event of GitHub. Set the content type of the webhook to application/json.`,
      { cause },
    )
  }
}
