// The disk of a project.
import type { PlanSettings, Platform, Rows } from '../../core/base/platform.ts'
import { getDisk, removeDisk, setDisk } from '../../core/disk/disk.ts'
import { previewDisksOf, setPreviewDisks } from '../../core/disk/previews.ts'
import { askForRestore, askForSnapshot, downloadSnapshot, snapshotsOf } from '../../core/disk/snapshots.ts'
import { type Handlers, RawAnswer } from '../call.ts'

export const diskRoutes = (platform: Rows & PlanSettings & Pick<Platform, 'nodeId' | 'appDisks'>) =>
  ({
    'GET /projects/:name/disk': async ({ project }) => ({
      ...(await getDisk(platform, project)),
      previews: await previewDisksOf(platform.store.db, project.id),
    }),
    'PATCH /projects/:name/disk': ({ caller, project, body }) =>
      setPreviewDisks(platform, caller, project, body),
    'PUT /projects/:name/disk': ({ caller, project, body }) => setDisk(platform, caller, project, body),
    'DELETE /projects/:name/disk': ({ caller, project, query }) =>
      removeDisk(platform, caller, project, query.confirm),
    'GET /projects/:name/disk/snapshots': async ({ project }) => ({
      snapshots: await snapshotsOf(platform, project),
    }),
    'POST /projects/:name/disk/snapshots': async ({ caller, project }) => {
      await askForSnapshot(platform, caller, project)
      return { ok: true }
    },
    'POST /projects/:name/disk/snapshots/:id/restore': async ({ caller, project, params }) => {
      await askForRestore(platform, caller, project, params.id)
      return { ok: true }
    },
    'GET /projects/:name/disk/snapshots/:id/download': async ({ project, params }) => {
      const tar = await downloadSnapshot(platform, project, params.id)
      const headers = {
        'content-type': 'application/x-tar',
        'content-disposition': `attachment; filename="${project.name}-${params.id}.tar"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      }
      return new RawAnswer(200, headers, tar)
    },
  }) satisfies Partial<Handlers>
