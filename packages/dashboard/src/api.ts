// Calls the API with the token of the session, and turns errors into messages.
import type { Answer, EndpointTable, PathParams } from '@svc/contract'
import {
  ApiError,
  answerFrom,
  type Client,
  createClient,
  download,
  networkError,
  target,
  withoutTrailingSlashes,
} from '@svc/contract/client'
import { noteSilence } from './answering.ts'
import { config } from './config.ts'
import { offerFile } from './offer-file.ts'
import { endRefusedSession, session } from './session.ts'

export { ApiError }

/** Runs a call as the signed-in account. Signs out if the token is not valid any more. */
async function signed<T>(request: (token: string | undefined) => Promise<T>): Promise<T> {
  const current = session.get()
  const token = current.state === 'signed in' ? current.token : undefined
  try {
    return await request(token)
  } catch (error) {
    if (token && error instanceof ApiError && error.status === 401) endRefusedSession(token)
    if (codeOf(error) === 'network_error') noteSilence(config().api_url)
    throw error
  }
}

/** Calls an endpoint. */
export const call: Client = (key, ...input) =>
  signed(token => createClient({ baseUrl: config().api_url, token })(key, ...input))

/** The endpoints whose body is one file. */
type FileKey = 'PUT /orgs/:name/icon' | 'POST /projects/:name/database/load'

export function sendFile<K extends FileKey>(
  key: K,
  params: PathParams<K>,
  file: Blob,
  query?: Record<string, string>,
): Promise<Answer<EndpointTable[K]>> {
  const baseUrl = withoutTrailingSlashes(config().api_url)
  const { method, path } = target(key, { params, ...(query && { query }) })
  return signed(async token => {
    const type = file.type || 'application/octet-stream'
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const response = await fetch(baseUrl + path, { method, headers, body: file, redirect: 'error' }).catch(
      cause => {
        throw networkError(baseUrl, cause)
      },
    )
    return answerFrom(response.status, await response.text())
  })
}

/** The endpoints whose answer is a file. */
type SavedKey =
  | 'GET /projects/:name/forms/:form/export'
  | 'GET /projects/:name/disk/snapshots/:id/download'
  | 'GET /projects/:name/database/dump'
  | 'GET /orgs/:name/audit/export'

/** Downloads a file. The browser saves it under the given name. */
export async function saveFile<K extends SavedKey>(
  key: K,
  params: PathParams<K>,
  name: string,
): Promise<void> {
  const file = await signed(async token => {
    const settings = { baseUrl: config().api_url, token }
    const response = await download(settings, key as SavedKey, { params: params as PathParams<SavedKey> })
    return await response.blob()
  })
  save(file, name)
}

export const saveText = (text: string, name: string): void =>
  save(new Blob([text], { type: 'text/plain' }), name)

/** Lets the browser save a file under the given name. */
function save(file: Blob, name: string): void {
  offerFile(file, name)
}

/** The picture of a project's live site. */
export const readPicture = (name: string): Promise<Blob> =>
  signed(async token => {
    const key = 'GET /projects/:name/picture'
    const response = await download({ baseUrl: config().api_url, token }, key, { params: { name } })
    return await response.blob()
  })

/** All invoices and credit notes of the platform, as CSV. */
export const readInvoices = (): Promise<Blob> =>
  signed(async token => {
    const response = await download({ baseUrl: config().api_url, token }, 'GET /admin/invoices/export', {})
    return await response.blob()
  })

/** Downloads the data of the account. A file without its last line is not complete. */
export async function saveExport(login: string): Promise<void> {
  const file = await signed(async token => {
    const response = await download({ baseUrl: config().api_url, token }, 'GET /me/export')
    return await response.blob()
  })
  save(file, `${login}.jsonl`)
}

/** The endpoints whose answer is text that grows. */
type TextKey = 'GET /projects/:name/builds/:id/log'

export const readText = (
  key: TextKey,
  input: { params: PathParams<TextKey>; query: { offset: string; timestamps: '1' } },
): Promise<ArrayBuffer> =>
  signed(async token => {
    const response = await download({ baseUrl: config().api_url, token }, key, input)
    return await response.arrayBuffer()
  })

export const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : 'unknown')

/** The message for an error. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'network_error')
    return 'The platform does not answer. Check your connection and try again.'
  return error.message
}
