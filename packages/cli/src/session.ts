// A conversation with the API in the name of the user.
import { type Client, type ClientSettings, createClient } from '@svc/contract/client'
import { apiUrl } from './address.ts'
import { requireToken } from './credentials.ts'
import { environment } from './environment.ts'
import { networkReason } from './network.ts'
import { version } from './version.ts'

/** Who is calling: the page that approves a login shows it. */
export const userAgent = () => ({ 'user-agent': `svc/${version()} (${process.platform} ${process.arch})` })

/** What every call shares, with a token or without. */
export const clientSettings = (baseUrl = apiUrl(), token?: string): ClientSettings => ({
  baseUrl,
  token,
  headers: userAgent(),
  silenceMs: environment.silenceMs(),
  reason: networkReason,
})

export const sessionSettings = (token = requireToken()): ClientSettings => clientSettings(apiUrl(), token)

export const connect = (token?: string): Client => createClient(sessionSettings(token))
