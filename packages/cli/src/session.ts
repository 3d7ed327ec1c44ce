// A conversation with the API in the name of the user.
import { type Client, type ClientSettings, createClient } from '@svc/contract/client'
import { apiUrl } from './address.ts'
import { requireToken } from './credentials.ts'
import { version } from './version.ts'

/** Who is calling: the page that approves a login shows it. */
export const userAgent = () => ({ 'user-agent': `svc/${version()} (${process.platform} ${process.arch})` })

export const sessionSettings = (token = requireToken()): ClientSettings => ({
  baseUrl: apiUrl(),
  token,
  headers: userAgent(),
})

export const connect = (token?: string): Client => createClient(sessionSettings(token))
