// Projects.
import { auditLog } from '../../core/base/audit.ts'
import type { PlanSettings, Platform, Rows } from '../../core/base/platform.ts'
import { lockProduction, unlockProduction } from '../../core/deployments/production-lock.ts'
import { visibleProjects } from '../../core/projects/list.ts'
import { changeProjectNode, projectNode } from '../../core/projects/node.ts'
import { pictureOf } from '../../core/projects/pictures.ts'
import { createProject, deleteProject, projectDetail, starProject } from '../../core/projects/projects.ts'
import { renameProject } from '../../core/projects/rename.ts'
import { changeRetention } from '../../core/projects/retention.ts'
import { transferProject } from '../../core/projects/transfer.ts'
import { type Handlers, RawAnswer } from '../call.ts'

export const projectRoutes = (
  platform: Rows &
    PlanSettings &
    Pick<
      Platform,
      'dns' | 'dnsTarget' | 'domainProof' | 'logs' | 'nodeId' | 'nodeVersions' | 'reservedNames' | 'urls'
    >,
) =>
  ({
    'GET /projects': async ({ caller, query }) => await visibleProjects(platform, caller, query.org, query),
    'POST /projects': async ({ caller, body }) => await createProject(platform, caller, body),
    'GET /projects/:name': async ({ project }) => await projectDetail(platform, project),
    'PATCH /projects/:name': async ({ caller, project, body }) =>
      await changeRetention(platform, caller, project, body),
    'GET /projects/:name/picture': async ({ project, headers }) => {
      const { hash, bytes } = await pictureOf(platform, project.id)
      const answer = {
        'content-type': 'image/png',
        'cache-control': 'private, no-cache',
        etag: `"${hash}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      }
      return headers['if-none-match']?.includes(answer.etag)
        ? new RawAnswer(304, answer)
        : new RawAnswer(200, { ...answer, 'content-length': String(bytes.length) }, bytes)
    },
    'DELETE /projects/:name': async ({ caller, project }) => {
      await deleteProject(platform, caller, project)
      return { ok: true }
    },
    'PUT /projects/:name/star': async ({ caller, project }) => {
      await starProject(platform, caller, project, true)
      return { ok: true }
    },
    'DELETE /projects/:name/star': async ({ caller, project }) => {
      await starProject(platform, caller, project, false)
      return { ok: true }
    },
    'PUT /projects/:name/production-lock': async ({ caller, project }) => {
      await lockProduction(platform, caller, project)
      return { ok: true }
    },
    'DELETE /projects/:name/production-lock': async ({ caller, project }) => {
      await unlockProduction(platform, caller, project)
      return { ok: true }
    },
    'POST /projects/:name/transfer': async ({ caller, project, body }) =>
      await transferProject(platform, caller, project, body.org),
    'POST /projects/:name/rename': async ({ caller, project, body }) =>
      await renameProject(platform, caller, project, body.name),
    'GET /projects/:name/node': async ({ project }) => await projectNode(platform, project),
    'PUT /projects/:name/node': async ({ caller, project, body }) =>
      await changeProjectNode(platform, caller, project, body.node),
    'GET /projects/:name/audit': async ({ project, query }) =>
      await auditLog(platform, { projectId: project.id }, query),
  }) satisfies Partial<Handlers>
