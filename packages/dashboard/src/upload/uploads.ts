// The uploads under way, one per project and one for shares. They go on when the user opens another page.
import { totalBytes } from '@svc/contract/site'
import { call, codeOf, explain } from '../api.ts'
import { createStore } from '../store.ts'
import { pack } from './pack.ts'
import { Refusal, type SiteFile } from './selection.ts'
import { type Destination, send } from './send.ts'
import { leaveOutUnchanged } from './unchanged.ts'

interface Size {
  files: number
  bytes: number
}

export type Upload =
  | ({ step: 'comparing' | 'packing' | 'sending'; done: number; total: number } & Size)
  | ({ step: 'publishing' } & Size)
  | {
      step: 'live'
      deploymentId: string
      url: string
      warnings: string[]
      /** The branch, if it was deployed as a preview. */
      branch?: string
      /** The deployment that was live before. */
      previous?: string
    }
  | { step: 'failed'; message: string; retry?: () => void }
  /** `isSent`: everything had arrived, so the platform may publish it all the same. */
  | { step: 'cancelled'; isSent: boolean; retry: () => void }

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

export type UnderWay = Exclude<Upload, { step: 'live' | 'failed' | 'cancelled' }>

const ended = ['live', 'failed', 'cancelled']
export const isUnderWay = (upload: Upload | undefined): upload is UnderWay =>
  upload !== undefined && !ended.includes(upload.step)

export function dismissUpload(project: string): void {
  show(project, undefined)
}

export function cancelUpload(project: string): void {
  controllers.get(project)?.abort()
}

/** Deploys the files to production, or as a preview of a branch. Resolves when the upload has ended, also if it failed. */
export const startUpload = (
  project: string,
  files: SiteFile[],
  branch?: string,
): Promise<Upload | undefined> =>
  run(
    project,
    {
      endpoint: 'POST /projects/:name/deployments',
      params: { name: project },
      ...(branch && { query: { branch } }),
    },
    files,
  )

/** The key of the upload of a share. No project has that name. */
export const shareUpload = '/shares'

export const startShare = (days: number, files: SiteFile[]): Promise<Upload | undefined> =>
  run(shareUpload, { endpoint: 'POST /shares', query: { ttl: String(days) } }, files)

async function run(project: string, to: Destination, files: SiteFile[]): Promise<Upload | undefined> {
  if (controllers.has(project)) return undefined
  const controller = new AbortController()
  controllers.set(project, controller)
  const outcome = await publish(project, to, files, controller.signal).catch((error: unknown): Upload => {
    const retry = () => void run(project, to, files)
    if (controller.signal.aborted)
      return { step: 'cancelled', isSent: uploads.get().get(project)?.step === 'publishing', retry }
    return { step: 'failed', message: explain(error), ...(retryable(error) && { retry }) }
  })
  controllers.delete(project)
  show(project, outcome)
  return outcome
}

async function publish(
  project: string,
  to: Destination,
  files: SiteFile[],
  signal: AbortSignal,
): Promise<Upload> {
  const size = { files: files.length, bytes: totalBytes(files) }
  const progress = (step: 'comparing' | 'packing' | 'sending') => {
    show(project, { step, done: 0, total: 1, ...size })
    return {
      signal,
      onProgress: byPercent((done, total) => {
        const isSent = step === 'sending' && done === total
        show(project, isSent ? { step: 'publishing', ...size } : { step, done, total, ...size })
      }),
    }
  }
  const sendFiles = async (parts: SiteFile[]) => {
    const archive = await pack(parts, progress('packing'))
    signal.throwIfAborted()
    return await send(to, archive, progress('sending'))
  }
  const name = to.params?.name
  const reduced = name === undefined ? files : await leaveOutUnchanged(name, files, progress('comparing'))
  const { deployment_id, url, warnings } = await sendFiles(reduced).catch((error: unknown) => {
    // Files that the platform had a moment ago are gone. Send everything.
    if (codeOf(error) === 'files_missing') return sendFiles(files)
    throw error
  })
  const branch = to.query?.branch
  const isProduction = name !== undefined && !branch
  const previous = isProduction ? await liveBefore(name, deployment_id) : undefined
  return {
    step: 'live',
    deploymentId: deployment_id,
    url,
    // The project's page shows the warnings of what is live. The others have no other place.
    warnings: isProduction ? [] : warnings,
    ...(branch && { branch }),
    ...(previous && { previous }),
  }
}

/** The deployment that was live before this one. `undefined` if there was none, or if the platform does not say. */
async function liveBefore(name: string, id: string): Promise<string | undefined> {
  const detail = await call('GET /projects/:name/deployments/:id', { params: { name, id } }).catch(
    () => undefined,
  )
  return detail?.previous_id ?? undefined
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
