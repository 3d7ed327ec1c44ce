// Device login: show a code, wait until the user approves it in the browser, store the token.
import { withoutTrailingSlashes } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { checkStore, forgetToken, storeToken } from '../../credentials.ts'
import { approvedToken } from '../../device-login.ts'
import { findPlatform, isLocal } from '../../discover.ts'
import { environment } from '../../environment.ts'
import { Failure } from '../../failure.ts'
import { forgeOf } from '../../options.ts'
import { bold, notice, print, warn } from '../../output.ts'
import { apiUrl, storeApiUrl } from '../../platform-url.ts'
import { clientSettings, open, required } from '../../session.ts'

export const login: Run = async ({ options }) => {
  checkStore()
  const baseUrl = await platform(options['api-url'])
  const call = open(clientSettings(baseUrl))
  const forge = forgeOf(options.forge)
  const device = await call('POST /auth/device', forge ? { body: { forge } } : { body: {} })
  const token = await approvedToken(call, device, 'svc login')

  // A token must never be sent to another platform's URL, not even if the second file cannot be written.
  if (options['api-url']) {
    forgetToken()
    storeApiUrl(baseUrl)
  }
  storeToken(token)
  const me = await open(clientSettings(baseUrl, token))('GET /me')
  print(`Logged in as ${bold(required(me, 'gitforge_login'))}.`)
  if (environment.token()) warn('SVC_TOKEN is set and wins over the token stored now.')
}

/** Refuses to log in at one URL while SVC_API_URL sends all other commands, and so the token, to another. */
async function platform(asked: string | undefined): Promise<string> {
  if (asked === undefined) return apiUrl()
  const wins = environment.apiUrl() && apiUrl()
  if (wins && !isSame(wins, asked))
    throw new Failure(`SVC_API_URL (${wins}) wins over --api-url. Unset it to log in to ${asked}.`)
  const { url, notes } = await findPlatform(asked, '--api-url')
  if (wins && wins !== url)
    throw new Failure(`${notes.join(' ')} Set SVC_API_URL to ${url}, or unset it.`.trim())
  for (const note of notes) notice(note)
  if (url.startsWith('http:') && !isLocal(new URL(url)))
    warn(`${url} is not encrypted: others on the way can read your token.`)
  return url
}

const isSame = (url: string, asked: string): boolean => url === withoutTrailingSlashes(asked.trim())
