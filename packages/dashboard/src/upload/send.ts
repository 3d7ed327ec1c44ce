// Uploads an archive as a deployment. XMLHttpRequest, because fetch cannot tell how far an upload has come.
import type { Answer, EndpointTable } from '@svc/contract'
import { errorFrom, networkError, target } from '@svc/contract/client'
import { config } from '../config.ts'
import { endSession, session } from '../session.ts'

const endpoint = 'POST /projects/:name/deployments'
export type Uploaded = Answer<EndpointTable[typeof endpoint]>

export interface Sending {
  signal: AbortSignal
  onProgress(sent: number, total: number): void
}

export function send(project: string, archive: Blob, { signal, onProgress }: Sending): Promise<Uploaded> {
  const baseUrl = config().api_url.replace(/\/+$/, '')
  const { method, path } = target(endpoint, { params: { name: project } })
  const current = session.get()
  const token = current.state === 'signed in' ? current.token : ''

  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, baseUrl + path)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('content-type', 'application/gzip')
    request.upload.onprogress = event => onProgress(event.loaded, event.total)
    request.onerror = () => reject(networkError(baseUrl, undefined))
    request.onabort = () => reject(signal.reason)
    request.onload = () => {
      if (request.status === 201) return resolve(JSON.parse(request.responseText) as Uploaded)
      if (request.status === 401) endSession(token)
      reject(errorFrom(request.status, request.responseText))
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(archive)
  })
}
