// Deployments of a project.

import type { DeployParts, Platform } from '../../core/base/platform.ts'
import { deploy } from '../../core/deployments/deployments.ts'
import { deploymentFiles } from '../../core/deployments/files.ts'
import { deploymentDetail, deploymentHistory } from '../../core/deployments/history.ts'
import { missingFiles } from '../../core/deployments/missing.ts'
import { deleteDeployment, makeCurrent } from '../../core/deployments/stored.ts'
import type { Handlers } from '../call.ts'
import { checkDeclaredSize, originOf } from '../upload.ts'

export const deploymentRoutes = (platform: DeployParts & Pick<Platform, 'findMissing'>) =>
  ({
    'GET /projects/:name/deployments': ({ project, query: { limit, cursor, ...filter } }) =>
      deploymentHistory(platform, project, filter, { limit, cursor }),
    'GET /projects/:name/deployments/:id': ({ project, params }) =>
      deploymentDetail(platform, project, params.id),
    'GET /projects/:name/deployments/:id/files': ({ project, params, query }) =>
      deploymentFiles(platform, project, params.id, query),
    'POST /projects/:name/deployments': async call => {
      const { caller, project, query, headers, confirmRights } = call
      checkDeclaredSize(headers)
      const node = query.node === undefined ? undefined : { range: query.node, from: 'svc deploy' }
      const { branch, release, seed } = query
      const upload = { project, branch, node, release, seed, ...originOf(headers), confirmRights }
      return await deploy(platform, caller, upload, call.stream())
    },
    'POST /projects/:name/deployments/missing': async ({ project, body }) => ({
      sha256: await missingFiles(platform, project.id, body.sha256),
    }),
    'POST /projects/:name/deployments/:id/activate': async ({ caller, project, params, confirmRights }) => {
      await makeCurrent(platform, caller, project, params.id, 'activate', confirmRights)
      return { ok: true, active_deployment_id: params.id }
    },
    'POST /projects/:name/deployments/:id/promote': async ({ caller, project, params, confirmRights }) => {
      const previous = await makeCurrent(platform, caller, project, params.id, 'promote', confirmRights)
      return { ok: true, active_deployment_id: params.id, previous_deployment_id: previous }
    },
    'DELETE /projects/:name/deployments/:id': async ({ caller, project, params }) => {
      await deleteDeployment(platform, caller, project, params.id)
      return { ok: true }
    },
  }) satisfies Partial<Handlers>
