// Opens a client of the API with the user's token.
import { type ClientSettings, createClient, type SparseClient } from '@svc/contract/client'
import { requireToken } from './credentials.ts'
import { environment } from './environment.ts'
import { Failure } from './failure.ts'
import { networkReason } from './network.ts'
import { apiUrl } from './platform-url.ts'
import { notePlatformVersion, version } from './version.ts'

/** Names the program. The page that approves a login shows it. */
export const userAgent = () => ({ 'user-agent': `svc/${version()} (${process.platform} ${process.arch})` })

/** The settings of every call, with or without a token. */
export const clientSettings = (baseUrl = apiUrl(), token?: string): ClientSettings => ({
  baseUrl,
  token,
  headers: userAgent(),
  silenceMs: environment.silenceMs(),
  reason: networkReason,
  onVersion: notePlatformVersion,
})

export const sessionSettings = (token = requireToken()): ClientSettings => clientSettings(apiUrl(), token)

/**
 * The platform may be of another version than the tool. So the types say that any field of an answer may be missing,
 * and each command says what it does then.
 */
export const open = (settings: ClientSettings): SparseClient => createClient(settings) as SparseClient

export const connect = (token?: string): SparseClient => open(sessionSettings(token))

/** Returns a field that the command cannot do without. Fails if the answer lacks it. */
export function required<T extends object, K extends keyof T & string>(
  answer: T,
  field: K,
): NonNullable<T[K]> {
  const value = answer[field]
  if (value === undefined || value === null)
    throw new Failure(`The answer of ${apiUrl()} has no '${field}'. Is it the API of an svc platform?`)
  return value
}
