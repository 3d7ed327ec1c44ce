// Projects and deployments.
import { limits } from '@svc/contract'
import { auditLog } from '../../core/audit.ts'
import { activate, deleteDeployment, deploy } from '../../core/deployments.ts'
import type { Platform } from '../../core/platform.ts'
import { createProject, projectDetail, visibleProjects } from '../../core/projects.ts'
import { Fault } from '../../lib/fault.ts'
import type { Call, Handlers } from '../call.ts'

export const projectRoutes = (platform: Platform) =>
  ({
    'GET /projects': async ({ caller, query }) => await visibleProjects(platform, caller, query.org, query),
    'POST /projects': async ({ caller, body }) => await createProject(platform, caller, body),
    'GET /projects/:name': async ({ project }) => await projectDetail(platform, project),

    'GET /projects/:name/audit': async ({ project, query }) =>
      await auditLog(platform, { projectId: project.id }, query),

    'POST /projects/:name/deployments': async call => {
      const { caller, project, query, headers } = call
      checkDeclaredSize(call)
      const upload = {
        project,
        branch: query.branch,
        gitSha: matching(headers['x-svc-git-sha'], /^[0-9a-f]{7,64}$/i),
        cliVersion: matching(headers['x-svc-cli-version'], /^[\w.+-]{1,50}$/),
      }
      return await deploy(platform, caller, upload, call.stream())
    },
    'POST /projects/:name/deployments/:id/activate': async ({ caller, project, params }) => ({
      ok: true,
      active_deployment_id: await activate(platform, caller, project, params.id),
    }),
    'DELETE /projects/:name/deployments/:id': async ({ caller, project, params }) => {
      await deleteDeployment(platform, caller, project, params.id)
      return { ok: true }
    },
  }) satisfies Partial<Handlers>

/** Refused before a byte is read, and so without a record. */
function checkDeclaredSize({ headers }: Call<'POST /projects/:name/deployments'>): void {
  if (Number(headers['content-length'] ?? 0) > limits.tarballBytes)
    throw new Fault('payload_too_large', 'The archive exceeds the 100 MB limit.')
}

/** Notes about the upload's origin are kept where they make sense and dropped where they do not. */
function matching(header: string | string[] | undefined, pattern: RegExp): string | undefined {
  return typeof header === 'string' && pattern.test(header) ? header : undefined
}
