// The REST API of the stand-in: for every route, who may call it and which body it accepts.
import { z } from 'zod'
import type { StandInRepository } from './repositories.ts'

export interface Installation {
  account: string
  isSuspended: boolean
  repositories: string[]
}

/** The state that the routes read and change. */
interface GitHubState {
  readonly users: ReadonlyMap<number, string>
  readonly installations: ReadonlyMap<number, Installation>
  readonly appSettings: object
  nextId(): number
  repository(fullName: string): StandInRepository | undefined
  canPush(userId: number | undefined, fullName: string): boolean
  canRead(userId: number | undefined, fullName: string): boolean
  canSee(userId: number, installationId: number): boolean
  installationOf(fullName: string): number | undefined
  /** The keys of an App that somebody has just made. */
  takeManifest(code: string): ApiAnswer
  makeToken(installationId: number, asked: Record<string, unknown>): ApiAnswer
}

interface ApiCall {
  params: string[]
  query: URLSearchParams
  // biome-ignore lint/suspicious/noExplicitAny: checked by the schema of the route
  body: any
  /** The user of the token, if it is a user's. */
  userId: number | undefined
  token: InstallationToken | undefined
}

export interface InstallationToken {
  installationId: number
  repositoryIds: number[]
  permissions: Record<string, string>
}

export interface ApiAnswer {
  status?: number
  body: unknown
  next?: boolean
}

interface StandInRoute {
  pattern: RegExp
  auth: 'nobody' | 'app' | 'user' | 'installation' | { permission: string; level: 'read' | 'write' }
  body?: z.ZodType
  answer(github: GitHubState, call: ApiCall): Promise<ApiAnswer> | ApiAnswer
}

const url = z.string().regex(/^https?:\/\//)
const short = z.string().max(140)
const missing: ApiAnswer = { status: 404, body: { message: 'Not Found' } }
const repo = '/repos/([^/]+/[^/]+)'
const route = (method: string, path: string): RegExp => new RegExp(`^${method} ${path}$`)

const installationBody = (github: GitHubState, id: number) => {
  const { account, isSuspended } = github.installations.get(id)!
  return { id, account: { login: account }, suspended_at: isSuspended ? '2026-01-01T00:00:00Z' : null }
}

const repositoryBody = (github: GitHubState, fullName: string, userId: number | undefined) => {
  const { id } = github.repository(fullName)!
  return {
    id,
    full_name: fullName,
    private: true,
    default_branch: 'main',
    permissions: { pull: true, push: github.canPush(userId, fullName), admin: false },
  }
}

export const routes: StandInRoute[] = [
  {
    pattern: route('POST', '/app-manifests/([\\w-]+)/conversions'),
    auth: 'nobody',
    answer: (github, { params: [code = ''] }) => github.takeManifest(code),
  },
  {
    pattern: route('GET', '/app'),
    auth: 'app',
    answer: github => ({ body: { slug: 'svc-test', ...github.appSettings } }),
  },
  {
    pattern: route('POST', '/app/installations/(\\d+)/access_tokens'),
    auth: 'app',
    body: z.strictObject({
      repository_ids: z.array(z.number().int()).length(1),
      permissions: z.record(z.string(), z.enum(['read', 'write'])),
    }),
    answer: (github, { params: [id], body }) => github.makeToken(Number(id), body),
  },
  {
    pattern: route('GET', '/app/installations/(\\d+)'),
    auth: 'app',
    answer: (github, { params: [id] }) =>
      github.installations.has(Number(id)) ? { body: installationBody(github, Number(id)) } : missing,
  },
  {
    pattern: route('GET', '/installation/repositories'),
    auth: 'installation',
    answer(github, { token }) {
      const { repositories = [] } = github.installations.get(token!.installationId) ?? {}
      const seen = repositories.filter(name =>
        token!.repositoryIds.includes(github.repository(name)?.id ?? 0),
      )
      return { body: { repositories: seen.map(name => repositoryBody(github, name, undefined)) } }
    },
  },
  {
    pattern: route('GET', `${repo}/installation`),
    auth: 'app',
    answer(github, { params: [name = ''] }) {
      const id = github.installationOf(name)
      return id === undefined ? missing : { body: installationBody(github, id) }
    },
  },
  {
    pattern: route('GET', '/user'),
    auth: 'user',
    answer: (github, { userId }) => ({ body: { id: userId, login: github.users.get(userId!), email: null } }),
  },
  {
    pattern: route('GET', '/user/installations'),
    auth: 'user',
    answer(github, { userId }) {
      const ids = [...github.installations.keys()].filter(id => github.canSee(userId!, id))
      return { body: { total_count: ids.length, installations: ids.map(id => installationBody(github, id)) } }
    },
  },
  {
    pattern: route('GET', '/user/installations/(\\d+)/repositories'),
    auth: 'user',
    answer(github, { params: [id], userId, query }) {
      if (!github.canSee(userId!, Number(id))) return missing
      const all = github.installations
        .get(Number(id))!
        .repositories.filter(name => github.canRead(userId, name))
      const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))]
      const rows = all.slice((page - 1) * size, page * size)
      return {
        body: { repositories: rows.map(name => repositoryBody(github, name, userId)) },
        next: all.length > page * size,
      }
    },
  },
  {
    pattern: route('GET', repo),
    auth: 'user',
    answer: (github, { params: [name = ''], userId }) =>
      github.repository(name) && github.canRead(userId, name)
        ? { body: repositoryBody(github, github.repository(name)!.fullName, userId) }
        : missing,
  },
  {
    pattern: route('GET', `${repo}/commits/(.+)`),
    auth: { permission: 'contents', level: 'read' },
    async answer(github, { params: [name = '', ref = ''] }) {
      const commit = await github.repository(name)!.commitAt(decodeURIComponent(ref))
      return commit ? { body: commit } : { status: 422, body: { message: `No commit found for SHA: ${ref}` } }
    },
  },
  {
    pattern: route('GET', `${repo}/git/trees/([0-9a-f]{40})`),
    auth: { permission: 'contents', level: 'read' },
    async answer(github, { params: [name = '', sha = ''] }) {
      const tree = await github.repository(name)!.tree(sha)
      return tree ? { body: { sha, tree, truncated: false } } : missing
    },
  },
  {
    pattern: route('GET', `${repo}/pulls/(\\d+)`),
    auth: { permission: 'pull_requests', level: 'read' },
    answer(github, { params: [name = '', number] }) {
      const pull = github.repository(name)!.pulls[Number(number) - 1]
      if (!pull) return missing
      const { repo: from, ...head } = pull.head
      const base = { repo: { id: github.repository(name)!.id, name: name.split('/')[1] } }
      return { body: { number: pull.number, state: pull.state, head: { ...head, repo: from }, base } }
    },
  },
  {
    pattern: route('POST', `${repo}/statuses/([0-9a-f]{40})`),
    auth: { permission: 'statuses', level: 'write' },
    body: z.strictObject({
      state: z.enum(['pending', 'success', 'failure', 'error']),
      context: z.string(),
      description: short,
      target_url: url,
    }),
    answer(github, { params: [name = '', sha], body }) {
      github.repository(name)!.statuses.push({ sha, ...body })
      return { status: 201, body: {} }
    },
  },
  {
    pattern: route('GET', `${repo}/deployments`),
    auth: { permission: 'deployments', level: 'read' },
    answer: (github, { params: [name = ''], query }) => ({
      body: github
        .repository(name)!
        .deployments.filter(
          row => row.ref === query.get('sha') && row.environment === query.get('environment'),
        ),
    }),
  },
  {
    pattern: route('POST', `${repo}/deployments`),
    auth: { permission: 'deployments', level: 'write' },
    body: z.strictObject({
      ref: z.string().regex(/^[0-9a-f]{40}$/),
      environment: z.string(),
      description: short,
      production_environment: z.boolean(),
      transient_environment: z.boolean(),
      auto_merge: z.literal(false),
      required_contexts: z.array(z.string()).length(0),
      payload: z.strictObject({ build_id: z.string() }),
    }),
    answer(github, { params: [name = ''], body }) {
      const { deployments } = github.repository(name)!
      const made = { ...body, id: github.nextId(), statuses: [] }
      deployments.push(made)
      return { status: 201, body: made }
    },
  },
  {
    pattern: route('POST', `${repo}/deployments/(\\d+)/statuses`),
    auth: { permission: 'deployments', level: 'write' },
    body: z.strictObject({
      state: z.enum(['queued', 'in_progress', 'success', 'failure', 'error', 'inactive', 'pending']),
      description: short,
      log_url: url,
      environment_url: url.optional(),
      auto_inactive: z.boolean(),
    }),
    answer(github, { params: [name = '', id], body }) {
      const deployment = github.repository(name)!.deployments.find(row => row.id === Number(id))
      if (!deployment) return missing
      deployment.statuses.push(body)
      return { status: 201, body: {} }
    },
  },
  {
    pattern: route('GET', `${repo}/issues/(\\d+)/comments`),
    auth: { permission: 'pull_requests', level: 'read' },
    answer: (github, { params: [name = '', number] }) => ({
      body: github
        .repository(name)!
        .comments.filter(row => row.pull === Number(number))
        .map(({ id, body, byApp }) => ({
          id,
          body,
          performed_via_github_app: null,
          user: byApp ? { login: 'svc-test[bot]', type: 'Bot' } : { login: 'someone', type: 'User' },
        })),
    }),
  },
  {
    pattern: route('POST', `${repo}/issues/(\\d+)/comments`),
    auth: { permission: 'pull_requests', level: 'write' },
    body: z.strictObject({ body: z.string().min(1).max(65_536) }),
    answer(github, { params: [name = '', number], body }) {
      const comment = { id: github.nextId(), pull: Number(number), body: body.body, byApp: true }
      github.repository(name)!.comments.push(comment)
      return { status: 201, body: { id: comment.id } }
    },
  },
  {
    pattern: route('PATCH', `${repo}/issues/comments/(\\d+)`),
    auth: { permission: 'pull_requests', level: 'write' },
    body: z.strictObject({ body: z.string().min(1).max(65_536) }),
    answer(github, { params: [name = '', id], body }) {
      const comment = github.repository(name)!.comments.find(row => row.id === Number(id))
      if (!comment) return missing
      comment.body = body.body
      return { body: { id: comment.id } }
    },
  },
]
