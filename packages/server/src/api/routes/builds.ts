// Builds from git: the connected repository, builds, branches, deploy hooks, and GitHub.

import type { BuildParts, Platform } from '../../core/base/platform.ts'
import { branchList } from '../../core/builds/branch-list.ts'
import { connectedRepo, connectRepo, disconnectRepo } from '../../core/builds/connect.ts'
import type { HostParts } from '../../core/builds/git-hosts/connect.ts'
import { receiveHostDelivery } from '../../core/builds/git-hosts/deliveries.ts'
import { receiveDelivery } from '../../core/builds/github/deliveries.ts'
import {
  type InstallationRepository,
  isLinked,
  repositoriesIn,
} from '../../core/builds/github/installations.ts'
import { usableInstallations } from '../../core/builds/github/shared-installations.ts'
import { callDeployHook, createDeployHook, deployHooksOf, revokeDeployHook } from '../../core/builds/hooks.ts'
import { buildLog, buildsOf, cancelBuild, projectBuild, showBuild } from '../../core/builds/queue.ts'
import { buildNow, rebuild } from '../../core/builds/requests.ts'
import { deleteStoredRepository, repositoriesOf } from '../../core/builds/stored-repositories.ts'
import { filesOfTemplate, startFromTemplate, templates } from '../../core/builds/templates.ts'
import { networkOf } from '../../lib/client-address.ts'
import { FairQueue, QueueFull } from '../../lib/fair-queue.ts'
import { Fault } from '../../lib/fault.ts'
import { readRaw } from '../body.ts'
import { type Handlers, RawAnswer } from '../call.ts'

/** GitHub's own limit is 25 MB. The event of a push with a thousand commits has about 1 MB. */
const deliveryBytes = 5 * 1024 * 1024

export const buildRoutes = (
  platform: BuildParts &
    HostParts &
    Pick<Platform, 'domain' | 'forge' | 'hasBuiltinForge' | 'repositoryBytes'>,
) =>
  ({
    'GET /projects/:name/repo': async ({ project }) => await connectedRepo(platform, project),
    'POST /projects/:name/repo': async ({ caller, project, body }) =>
      await connectRepo(platform, caller, project, body),
    'DELETE /projects/:name/repo': async ({ caller, project }) => {
      await disconnectRepo(platform, caller, project)
      return { ok: true }
    },
    'GET /templates': async () => ({ templates: [...templates] }),
    'GET /templates/:template': async ({ params }) => ({
      files: [...filesOfTemplate(params.template)].map(([path, content]) => ({
        path,
        content: content.toString(),
      })),
    }),
    'POST /projects/:name/template': async ({ caller, project, body }) => {
      const owner = project.org_name ?? caller.account.login
      return await startFromTemplate(platform, caller, project, { owner, template: body.template })
    },
    'GET /projects/:name/builds': async ({ project, query }) => await buildsOf(platform, project, query),
    'POST /projects/:name/builds': async ({ caller, project, body }) =>
      await buildNow(platform, caller, project, body),
    'POST /projects/:name/builds/:id/rebuild': async ({ caller, project, params }) =>
      await rebuild(platform, caller, project, params.id),
    'GET /projects/:name/builds/:id': async ({ project, params }) =>
      await showBuild(platform, project, params.id),
    'GET /projects/:name/builds/:id/log': async ({ project, params, query }) => {
      const { id } = await projectBuild(platform, project, params.id)
      const text = await buildLog(platform.store.db, id, {
        offset: query.offset,
        timestamps: query.timestamps === '1',
      })
      return new RawAnswer(200, { 'content-type': 'text/plain; charset=utf-8' }, text)
    },
    'POST /projects/:name/builds/:id/cancel': async ({ caller, project, params }) => {
      await cancelBuild(platform, caller, project, params.id)
      return { ok: true }
    },
    'GET /repos': async ({ caller }) => ({ repos: await repositoriesOf(platform, caller) }),
    'DELETE /repos/:owner/:repo': async ({ caller, params: { owner, repo: name } }) => {
      await deleteStoredRepository(platform, caller, { owner, name })
      return { ok: true }
    },
    'GET /projects/:name/branches': async ({ project }) => ({
      branches: await branchList(platform, project),
    }),
    'GET /projects/:name/hooks': async ({ project }) => ({ hooks: await deployHooksOf(platform, project) }),
    'POST /projects/:name/hooks': async ({ caller, project, body }) =>
      await createDeployHook(platform, caller, project, body),
    'DELETE /projects/:name/hooks/:id': async ({ caller, project, params }) => {
      await revokeDeployHook(platform, caller, project, params.id)
      return { ok: true }
    },
    'POST /hooks/deploy/:secret': async ({ params, ip }) => await callDeployHook(platform, params.secret, ip),
    'GET /hooks/deploy/:secret': async () => {
      throw new Fault('method_not_allowed', 'A deploy hook builds on POST: curl -X POST <url>')
    },

    'GET /github': async ({ caller }) => ({
      installations: await usableInstallations(platform, caller),
      install_url: platform.github?.installUrl ?? null,
      ...(platform.github && { linked: await isLinked(platform, caller.account.id) }),
    }),
    'GET /github/installations/:id/repositories': async ({
      caller,
      params,
      query,
    }): Promise<{ repositories: InstallationRepository[] }> => ({
      repositories: await repositoriesIn(platform, caller, Number(params.id) || 0, query.q),
    }),
    'POST /hooks/github': async ({ headers, stream, ip }) => {
      const signature = String(headers['x-hub-signature-256'] ?? '')
      // The body of a request without a signature is not read.
      if (!platform.github || signature === '')
        throw new Fault('unauthorized', 'The signature of the webhook is missing or wrong.')
      const id = String(headers['x-github-delivery'] ?? '')
      const event = String(headers['x-github-event'] ?? '')
      await inTurn(ip, async () =>
        receiveDelivery(platform, { id, event, signature, body: await readRaw(stream(), deliveryBytes) }),
      )
      return { ok: true }
    },
    'POST /hooks/git/:repository': async ({ params, headers, stream, ip }) => {
      await inTurn(ip, async () =>
        receiveHostDelivery(platform, params.repository, {
          headers,
          body: await readRaw(stream(), deliveryBytes),
        }),
      )
      return { ok: true }
    },
  }) satisfies Partial<Handlers>

/**
 * Bodies are read before their signature can be checked, so strangers could fill the memory with them. A few are read at a
 * time. Networks take turns, so that one of them cannot keep the deliveries of GitHub waiting.
 */
const unverified = new FairQueue(16, 500)

async function inTurn(ip: string, work: () => Promise<void>): Promise<void> {
  try {
    await unverified.run(work, networkOf(ip))
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    throw new Fault('unavailable', 'Too many deliveries at once. Deliver this one again in a minute.', {
      retryAfter: 60,
    })
  }
}
