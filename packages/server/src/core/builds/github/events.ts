// Reads the parts of GitHub's webhook events that the platform needs. An event only tells that something changed. The current
// state is then read from GitHub, so events may arrive late, twice or in any order.
import { z } from 'zod'
import { Fault } from '../../../lib/fault.ts'

const repository = z.object({ id: z.number().int(), full_name: z.string().max(300) })
const installation = z.object({ id: z.number().int() })
const account = z.object({ login: z.string().max(100) })
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
  | {
      kind: 'installation'
      state: InstallationState
      id: number
      account: string
      repositories: NamedRepository[]
    }
  | { kind: 'repository'; isDeleted: boolean; repository: NamedRepository }

type InstallationState = 'active' | 'suspended' | 'deleted'

const installationStates: Record<string, InstallationState> = {
  created: 'active',
  new_permissions_accepted: 'active',
  unsuspend: 'active',
  added: 'active',
  removed: 'active',
  suspend: 'suspended',
  deleted: 'deleted',
}

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
    const shape = z.object({
      action: z.string(),
      installation: installation.extend({ account }),
      repositories: repositories.optional(),
    })
    return ofInstallation(shape.parse(payload), 'repositories')
  },
  installation_repositories(payload) {
    const shape = z.object({
      action: z.string(),
      installation: installation.extend({ account }),
      repositories_added: repositories.optional(),
    })
    return ofInstallation(shape.parse(payload), 'repositories_added')
  },
  repository(payload) {
    const event = z.object({ action: z.string(), repository }).parse(payload)
    if (!isKnown(repositoryActions, event.action)) return undefined
    return { kind: 'repository', isDeleted: event.action === 'deleted', repository: named(event.repository) }
  },
}

function ofInstallation<F extends string>(
  event: { action: string; installation: { id: number; account: { login: string } } } & {
    [K in F]?: z.output<typeof repositories> | undefined
  },
  field: F,
): GitHubEvent | undefined {
  const state = Object.hasOwn(installationStates, event.action) ? installationStates[event.action] : undefined
  if (!state) return undefined
  const { id, account: owner } = event.installation
  const rows = (event[field] ?? []) as z.output<typeof repositories>
  return { kind: 'installation', state, id, account: owner.login, repositories: rows.map(named) }
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
