// Builds from git: the connected repository, builds, branches, deploy hooks, and GitHub.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

/** What git hosts send. The rules check the signature or the secret, and read the body as it was sent. */
const delivery = {
  access: 'none',
  rateLimits: [],
  audit: [],
  rawBody: ['application/json'],
  typeByContent: true,
  answer: s.ok,
} as const

export const buildEndpoints = {
  'GET /projects/:name/repo': {
    summary: 'The connected repository',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: s.repo,
    errors: ['not_found'],
  },
  'POST /projects/:name/repo': {
    summary: 'Connect a repository; pushes build from now on',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['repo.connect'],
    body: z.object({
      repo: z
        .string()
        .max(300)
        .describe(
          '`owner/name`, or the URL of a repository at another git host, such as GitLab, Gitea or Forgejo',
        ),
      forge: s.forge
        .describe(
          'Without it: GitHub if you can use the repository there, else the built-in forge. For a URL with a token: what answers there. For a URL alone: `public`',
        )
        .optional(),
      access_token: z
        .string()
        .min(1)
        .max(500)
        .describe(
          'For a URL: a token of the git host that may read the repository, add a webhook and set the status of commits. It is stored sealed and never answered. To change only settings, leave it out. Without it, a repository that anybody may read is connected as `public`: the platform is not told of pushes, so call a deploy hook at each',
        )
        .optional(),
      branch: z.string().min(1).max(255).optional(),
      build_cmd: z.string().max(1000).nullish(),
      install_cmd: z.string().max(1000).nullish(),
      output_dir: z.string().max(300).nullish(),
      root_dir: z.string().max(300).nullish(),
      previews: z.boolean().optional(),
    }),
    answer: s.repo,
    errors: ['invalid_request', 'not_found', 'unavailable'],
  },
  'DELETE /projects/:name/repo': {
    summary: 'Disconnect the repository',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['repo.disconnect'],
    answer: s.ok,
    errors: ['not_found'],
  },

  'GET /templates': {
    summary: 'What a project can begin with',
    access: 'user',
    rateLimits: [],
    answer: z.object({ templates: z.array(s.template) }),
  },
  'GET /templates/:template': {
    summary: 'The files of a template',
    access: 'user',
    rateLimits: [],
    answer: z.object({ files: z.array(z.object({ path: z.string(), content: z.string() })) }),
    errors: ['not_found'],
  },
  'POST /projects/:name/template': {
    summary: 'Begin with a template: make a repository with its files, connect it, and build it',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['repo.connect'],
    body: z.object({ template: z.string().max(100) }),
    status: 201,
    answer: s.repo,
    errors: ['invalid_request', 'name_taken', 'not_found', 'quota_exceeded', 'repository_in_use'],
    note: 'The repository is of the built-in forge and has the name of the project. `build_id` names the first build.',
  },

  'GET /projects/:name/builds': {
    summary: 'Builds, newest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({
      ...s.page,
      status: s.buildStatus.optional(),
      branch: z.string().min(1).max(255).optional(),
    }),
    answer: z.object({ builds: z.array(s.build), next_cursor: s.nextCursor }),
    errors: ['not_found'],
  },
  'POST /projects/:name/builds': {
    summary: 'Queue a build now: of the newest commit of a branch, or of a chosen commit',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['build.queue'],
    body: z.object({
      branch: z.string().min(1).max(255).optional(),
      commit: z
        .string()
        .regex(/^[0-9a-f]{7,64}$/, 'must be the SHA of a commit, in 7 to 64 lowercase hex digits')
        .optional(),
    }),
    status: 201,
    answer: s.build,
    errors: ['suspended', 'invalid_request', 'not_found', 'not_buildable'],
    note: 'A commit that was built before is built for the same branch; for another commit, name the branch. The build goes live also while production is locked, because someone asked for it.',
  },
  'POST /projects/:name/builds/:id/rebuild': {
    summary: 'Build the commit of an earlier build once more (redeploy)',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['build.queue'],
    status: 201,
    answer: s.build,
    errors: ['suspended', 'not_found', 'not_buildable'],
    note: 'With the variables and the build settings of now. A build of the production branch goes live, also if its commit is an older one.',
  },
  'GET /projects/:name/builds/:id': {
    summary: 'One build',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: s.build,
    errors: ['not_found'],
  },
  'GET /projects/:name/builds/:id/log': {
    summary: 'The log of a build; `offset` for following it',
    access: 'user',
    role: 'member',
    rateLimits: [],
    query: z.object({
      offset: s.wholeNumber({ min: 0, max: 99_999_999, default: 0 }),
      timestamps: z.enum(['0', '1']).optional(),
    }),
    answer: 'text/plain',
    errors: ['not_found'],
    note: '`timestamps=1` puts the time in front of each line, and a space. `offset` counts the bytes without them.',
  },
  'POST /projects/:name/builds/:id/cancel': {
    summary: 'Cancel a queued or running build',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['build.cancel'],
    answer: s.ok,
    errors: ['not_found', 'build_finished'],
  },

  'GET /projects/:name/branches': {
    summary: 'Branches with their URLs and last builds',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ branches: z.array(s.branch) }),
    errors: ['not_found'],
    note: 'The production branch first, then the 99 with the newest deployment or build.',
  },

  'GET /projects/:name/hooks': {
    summary: 'Deploy hooks, newest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ hooks: z.array(s.deployHook) }),
    errors: ['not_found'],
  },
  'POST /projects/:name/hooks': {
    summary: 'Create a deploy hook: a secret URL that builds a branch',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['hook.create'],
    body: z.object({
      name: z.string().trim().min(1, 'must not be empty').max(limits.deployHookName),
      branch: z.string().min(1).max(255).optional().describe('Without it: the production branch'),
    }),
    status: 201,
    answer: s.createdDeployHook,
    errors: ['invalid_request', 'not_found'],
    note: 'The URL is only in this answer: the platform stores a hash of its secret. If you lose the URL, create another hook.',
  },
  'DELETE /projects/:name/hooks/:id': {
    summary: 'Revoke a deploy hook; its URL stops working',
    access: 'user',
    role: 'member',
    rateLimits: ['writes'],
    audit: ['hook.revoke'],
    answer: s.ok,
    errors: ['not_found'],
  },
  'POST /hooks/deploy/:secret': {
    summary: 'Build the branch of a deploy hook',
    access: 'none',
    rateLimits: ['deployHookFailures', 'deployHook'],
    audit: ['build.queue'],
    status: 202,
    answer: s.hookedBuild,
    errors: ['suspended', 'not_found', 'not_buildable'],
    note: 'The secret in the URL is enough; no token is needed. The body is ignored. If a build of the same commit is queued already, the answer names that build and no other is queued.',
  },
  'GET /hooks/deploy/:secret': {
    summary: 'Always refused, so that link previews and crawlers start no build',
    access: 'none',
    rateLimits: [],
    answer: s.ok,
    errors: ['method_not_allowed'],
  },

  'GET /repos': {
    summary: 'Repositories that the platform hosts for you and your orgs, the largest first',
    access: 'user',
    rateLimits: [],
    answer: z.object({ repos: z.array(s.storedRepository) }),
  },
  'DELETE /repos/:owner/:repo': {
    summary: 'Delete a repository that the platform hosts; in an org, admins can',
    access: 'user',
    rateLimits: ['writes'],
    audit: ['repo.delete'],
    answer: s.ok,
    errors: ['forbidden', 'not_found', 'repository_in_use'],
  },

  'GET /github': {
    summary: 'Installations that you can use',
    access: 'user',
    rateLimits: [],
    answer: z.object({
      installations: z.array(s.installation),
      install_url: z.string().nullable(),
      linked: z
        .boolean()
        .optional()
        .describe(
          'With GitHub: whether your account is linked to a user there. `POST /github/link` links it.',
        ),
    }),
    errors: ['unavailable'],
  },
  'GET /github/installations/:id/repositories': {
    summary: 'Repositories of an installation that you can connect, at most 100',
    access: 'user',
    rateLimits: [],
    query: z.object({ q: z.string().max(200).describe('Part of the name').default('') }),
    answer: z.object({ repositories: z.array(s.installationRepository) }),
    errors: ['not_found', 'unavailable'],
  },
  'POST /hooks/git/:repository': {
    summary: 'Webhook of GitLab, Gitea or Forgejo; the secret or the signature is checked',
    ...delivery,
    errors: ['unauthorized', 'payload_too_large'],
  },
  'POST /hooks/github': {
    summary: 'Webhook of GitHub; the signature is checked',
    ...delivery,
    errors: ['unauthorized', 'invalid_request', 'payload_too_large'],
  },
} as const satisfies Endpoints
