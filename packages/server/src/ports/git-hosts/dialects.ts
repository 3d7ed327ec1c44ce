// How GitLab and Gitea differ: their routes, the fields of their answers, and how they sign what they send to a webhook.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { GitCommit } from '../git-repos/port.ts'
import type { CommitStatus, GitHostKind, WebhookRequest } from './port.ts'

export interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the URL of the host. */
  path: string
  body?: Record<string, unknown>
}

interface Dialect {
  /** Answers without a token in any version of the software. */
  version: string
  authorization(token: string): Record<string, string>
  repository(path: string): Call
  defaultBranchOf(answer: unknown): string
  branch(path: string, branch: string): Call
  commitOf(answer: unknown): GitCommit
  addWebhook(path: string, hook: { url: string; secret: string }): Call
  removeWebhook(path: string, id: number): Call
  setStatus(path: string, sha: string, status: CommitStatus): Call
  /** Whether a request to a webhook was sent by somebody who has its secret. */
  isSigned(request: WebhookRequest, secret: string): boolean
}

/** The longest description of a status that both accept. */
const descriptionLength = 140

const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/)
const author = z.string().max(1_000).catch('')
const message = z.string().max(100_000).catch('')

const gitlabCommit = z.object({ commit: z.object({ id: sha, message, author_name: author }) })
const giteaCommit = z.object({
  commit: z.object({ id: sha, message, author: z.object({ name: author }).nullish() }),
})
const repository = z.object({ default_branch: z.string().nullish() })

const segments = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

const gitlabStates = { pending: 'pending', success: 'success', failure: 'failed', error: 'canceled' } as const

const defaultBranchOf = (answer: unknown): string => repository.parse(answer).default_branch || 'main'

export const dialects: Record<GitHostKind, Dialect> = {
  gitlab: {
    version: '/api/v4/version',
    authorization: token => ({ 'private-token': token }),
    repository: path => ({ method: 'GET', path: gitlab(path) }),
    defaultBranchOf,
    branch: (path, branch) => ({
      method: 'GET',
      path: `${gitlab(path)}/repository/branches/${encodeURIComponent(branch)}`,
    }),
    commitOf(answer) {
      const { commit } = gitlabCommit.parse(answer)
      return { sha: commit.id, message: commit.message, author: commit.author_name }
    },
    addWebhook: (path, { url, secret }) => ({
      method: 'POST',
      path: `${gitlab(path)}/hooks`,
      body: { url, token: secret, push_events: true, enable_ssl_verification: true },
    }),
    removeWebhook: (path, id) => ({ method: 'DELETE', path: `${gitlab(path)}/hooks/${id}` }),
    setStatus: (path, commit, { state, context, description, targetUrl }) => ({
      method: 'POST',
      path: `${gitlab(path)}/statuses/${commit}`,
      body: {
        state: gitlabStates[state],
        name: context,
        description: description.slice(0, descriptionLength),
        target_url: targetUrl,
      },
    }),
    isSigned: ({ headers }, secret) => isSame(headers['x-gitlab-token'], secret),
  },
  gitea: {
    version: '/api/v1/version',
    authorization: token => ({ authorization: `token ${token}` }),
    repository: path => ({ method: 'GET', path: gitea(path) }),
    defaultBranchOf,
    branch: (path, branch) => ({
      method: 'GET',
      path: `${gitea(path)}/branches/${segments(branch)}`,
    }),
    commitOf(answer) {
      const { commit } = giteaCommit.parse(answer)
      return { sha: commit.id, message: commit.message, author: commit.author?.name ?? '' }
    },
    addWebhook: (path, { url, secret }) => ({
      method: 'POST',
      path: `${gitea(path)}/hooks`,
      body: {
        type: 'gitea',
        active: true,
        events: ['push', 'delete'],
        config: { url, content_type: 'json', secret },
      },
    }),
    removeWebhook: (path, id) => ({ method: 'DELETE', path: `${gitea(path)}/hooks/${id}` }),
    setStatus: (path, commit, { state, context, description, targetUrl }) => ({
      method: 'POST',
      path: `${gitea(path)}/statuses/${commit}`,
      body: { state, context, description: description.slice(0, descriptionLength), target_url: targetUrl },
    }),
    isSigned({ headers, body }, secret) {
      const expected = createHmac('sha256', secret).update(body).digest('hex')
      return isSame(headers['x-gitea-signature'] ?? headers['x-forgejo-signature'], expected)
    },
  },
}

const gitlab = (path: string): string => `/api/v4/projects/${encodeURIComponent(path)}`
const gitea = (path: string): string => `/api/v1/repos/${segments(path)}`

function isSame(given: string | string[] | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
