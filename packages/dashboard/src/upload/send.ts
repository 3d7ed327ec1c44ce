// Uploads an archive. XMLHttpRequest, because fetch cannot tell how far an upload has come.
import type { Answer, EndpointKey, EndpointTable } from '@svc/contract'
import { errorFrom, networkError, target, withoutTrailingSlashes } from '@svc/contract/client'
import { config } from '../config.ts'
import { endRefusedSession, session } from '../session.ts'

/** The name under which the dashboard uploads, so that a deployment shows where it came from. */
export const uploader = 'dashboard'

/** The endpoints that take an archive. */
type UploadKey = Extract<EndpointKey, 'POST /projects/:name/deployments' | 'POST /shares'>

export interface Destination<K extends UploadKey = UploadKey> {
  endpoint: K
  params?: Record<string, string>
  query?: Record<string, string>
}

interface Sending {
  signal: AbortSignal
  onProgress(sent: number, total: number): void
}

export function send<K extends UploadKey>(
  { endpoint, ...input }: Destination<K>,
  archive: Blob,
  { signal, onProgress }: Sending,
): Promise<Answer<EndpointTable[K]>> {
  const baseUrl = withoutTrailingSlashes(config().api_url)
  const { method, path } = target(endpoint, input)
  const current = session.get()
  const token = current.state === 'signed in' ? current.token : ''

  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, baseUrl + path)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('content-type', 'application/gzip')
    request.setRequestHeader('x-svc-cli-version', uploader)
    request.upload.onprogress = event => onProgress(event.loaded, event.total)
    request.onerror = () => reject(networkError(baseUrl, undefined))
    request.onabort = () => reject(signal.reason)
    request.onload = () => {
      if (request.status === 201) return resolve(JSON.parse(request.responseText))
      if (request.status === 401) endRefusedSession(token)
      reject(errorFrom(request.status, request.responseText))
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(archive)
  })
}
