// The uploads under way, one per project and one for shares. They go on when the user opens another page.
import { totalBytes } from '@svc/contract/site'
import { codeOf, explain } from '../api.ts'
import { createStore } from '../store.ts'
import type { Collection } from './collect.ts'
import { noticesFor } from './notices.ts'
import { pack } from './pack.ts'
import { Refusal, type SiteFile, selectFiles } from './selection.ts'
import { type Destination, send } from './send.ts'

export type Upload =
  | { step: 'reading' }
  | { step: 'packing'; done: number; total: number; files: number; bytes: number }
  | { step: 'sending'; done: number; total: number; files: number; bytes: number }
  | { step: 'publishing'; files: number; bytes: number }
  | { step: 'live'; deploymentId: string; url: string; notices: string[] }
  | { step: 'failed'; message: string; retry?: () => void }

type Uploads = ReadonlyMap<string, Upload>
const uploads = createStore<Uploads>(new Map())
const controllers = new Map<string, AbortController>()

export const useUpload = (project: string): Upload | undefined => uploads.use().get(project)

function show(project: string, upload: Upload | undefined): void {
  const next = new Map(uploads.get())
  if (upload) next.set(project, upload)
  else next.delete(project)
  uploads.set(next)
}

export const isUnderWay = (upload: Upload | undefined) =>
  upload !== undefined && upload.step !== 'live' && upload.step !== 'failed'

export function dismissUpload(project: string): void {
  show(project, undefined)
}

export function cancelUpload(project: string): void {
  controllers.get(project)?.abort()
}

/** Deploys the chosen files. Resolves when the upload has ended, also if it failed. */
export const startUpload = (project: string, collecting: Promise<Collection>): Promise<void> =>
  run(project, { endpoint: 'POST /projects/:name/deployments', params: { name: project } }, collecting)

/** The key of the upload of a share. No project has that name. */
export const shareUpload = '/shares'

export const startShare = (days: number, collecting: Promise<Collection>): Promise<void> =>
  run(shareUpload, { endpoint: 'POST /shares', query: { ttl: String(days) } }, collecting)

async function run(project: string, to: Destination, collecting: Promise<Collection>): Promise<void> {
  if (controllers.has(project)) return
  const controller = new AbortController()
  const { signal } = controller
  controllers.set(project, controller)
  show(project, { step: 'reading' })
  let files: SiteFile[] | undefined
  try {
    const collection = await collecting
    files = selectFiles(collection.files, collection.folder)
    show(project, await publish(project, to, files, signal))
  } catch (error) {
    if (signal.aborted) return show(project, undefined)
    const again = files && { folder: '', files }
    const retry = again && retryable(error) ? () => void run(project, to, Promise.resolve(again)) : undefined
    show(project, { step: 'failed', message: explain(error), ...(retry && { retry }) })
  } finally {
    controllers.delete(project)
  }
}

async function publish(
  project: string,
  to: Destination,
  files: SiteFile[],
  signal: AbortSignal,
): Promise<Upload> {
  const size = { files: files.length, bytes: totalBytes(files) }
  const notices = await noticesFor(files)
  const archive = await pack(files, {
    signal,
    onProgress: byPercent((done, total) => show(project, { step: 'packing', done, total, ...size })),
  })
  signal.throwIfAborted()
  show(project, { step: 'sending', done: 0, total: archive.size, ...size })
  const { deployment_id, url, warnings } = await send(to, archive, {
    signal,
    onProgress: byPercent((done, total) =>
      show(
        project,
        done < total ? { step: 'sending', done, total, ...size } : { step: 'publishing', ...size },
      ),
    ),
  })
  // A project's page shows the warnings with the deployment's record; a share has no other place for them.
  const told = to.endpoint === 'POST /shares' ? [...notices, ...warnings] : notices
  return { step: 'live', deploymentId: deployment_id, url, notices: told }
}

/** Reports progress at every full percent, so that the page does not render for every chunk. */
function byPercent(report: (done: number, total: number) => void) {
  let shown = -1
  return (done: number, total: number) => {
    const percent = Math.floor((100 * done) / total)
    if (percent === shown) return
    shown = percent
    report(done, total)
  }
}

const retryable = (error: unknown) => !(error instanceof Refusal) && codeOf(error) !== 'invalid_archive'

/** Leaving the page would silently end an upload, so the browser asks first. */
export function guardUploads(): void {
  addEventListener('beforeunload', event => {
    if (controllers.size > 0) event.preventDefault()
  })
}
