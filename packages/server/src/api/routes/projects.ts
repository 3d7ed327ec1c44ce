// Projects and deployments.
import { restartProject } from '../../core/apps/restart.ts'
import { revalidate } from '../../core/apps/revalidation.ts'
import { deleteDeployment, deploy, makeCurrent } from '../../core/deployments/deployments.ts'
import { auditLog } from '../../core/platform/audit.ts'
import type { Platform } from '../../core/platform/platform.ts'
import { createProject, deleteProject, projectDetail, visibleProjects } from '../../core/projects/projects.ts'
import { transferProject } from '../../core/projects/transfer.ts'
import type { Handlers } from '../call.ts'
import { checkDeclaredSize, originOf } from '../upload.ts'

export const projectRoutes = (platform: Platform) =>
  ({
    'GET /projects': async ({ caller, query }) => await visibleProjects(platform, caller, query.org, query),
    'POST /projects': async ({ caller, body }) => await createProject(platform, caller, body),
    'GET /projects/:name': async ({ project }) => await projectDetail(platform, project),
    'DELETE /projects/:name': async ({ caller, project }) => {
      await deleteProject(platform, caller, project)
      return { ok: true }
    },
    'POST /projects/:name/transfer': async ({ caller, project, body }) =>
      await transferProject(platform, caller, project, body.org),
    'POST /projects/:name/restart': async ({ caller, project }) => ({
      ok: true,
      restarting: await restartProject(platform, caller, project),
    }),
    'POST /projects/:name/revalidate': async ({ caller, project, body }) => ({
      ok: true,
      evicted: await revalidate(platform, caller, project, body.paths),
    }),
    'GET /projects/:name/audit': async ({ project, query }) =>
      await auditLog(platform, { projectId: project.id }, query),

    'POST /projects/:name/deployments': async call => {
      const { caller, project, query, headers } = call
      checkDeclaredSize(headers)
      const upload = { project, branch: query.branch, ...originOf(headers) }
      return await deploy(platform, caller, upload, call.stream())
    },
    'POST /projects/:name/deployments/:id/activate': async ({ caller, project, params }) => {
      await makeCurrent(platform, caller, project, params.id, 'activate')
      return { ok: true, active_deployment_id: params.id }
    },
    'POST /projects/:name/deployments/:id/promote': async ({ caller, project, params }) => {
      const previous = await makeCurrent(platform, caller, project, params.id, 'promote')
      return { ok: true, active_deployment_id: params.id, previous_deployment_id: previous }
    },
    'DELETE /projects/:name/deployments/:id': async ({ caller, project, params }) => {
      await deleteDeployment(platform, caller, project, params.id)
      return { ok: true }
    },
  }) satisfies Partial<Handlers>
