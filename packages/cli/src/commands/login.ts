// Device login: show a code, wait until someone approves it in the browser, keep the token.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, EndpointTable } from '@svc/contract'
import { ApiError, type Sparse, type SparseClient, withoutTrailingSlashes } from '@svc/contract/client'
import { apiUrl, storeApiUrl } from '../address.ts'
import { openBrowser } from '../browser.ts'
import type { Run } from '../command.ts'
import { checkStore, forgetToken, storeToken } from '../credentials.ts'
import { findPlatform, isLocal } from '../discover.ts'
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { bold, cyan, notice, print, warn } from '../output.ts'
import { clientSettings, open, required } from '../session.ts'

export const login: Run = async ({ options }) => {
  checkStore()
  const baseUrl = await platform(options['api-url'])
  const call = open(clientSettings(baseUrl))
  const device = await call('POST /auth/device', { body: {} })
  const address = required(device, 'verification_uri')

  print(`Your code: ${bold(required(device, 'user_code'))}`)
  print(`Enter it at ${cyan(address)}`)
  void openBrowser(address)
  notice('Waiting for your approval...')
  const token = await waitForToken(call, device)

  // The token of one platform must never meet the address of another, also if the second file cannot be written.
  if (options['api-url']) {
    forgetToken()
    storeApiUrl(baseUrl)
  }
  storeToken(token)
  const me = await open(clientSettings(baseUrl, token))('GET /me')
  print(`Logged in as ${bold(required(me, 'gitforge_login'))}.`)
  if (environment.token()) warn('SVC_TOKEN is set and wins over the token stored now.')
}

/** Logging in to one address while all other commands talk to another would hand that one a foreign token. */
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

type Device = Sparse<Answer<EndpointTable['POST /auth/device']>>

/** What RFC 8628 and the platform mean where an answer says nothing, and bounds for one that says nonsense. */
const secondsOf = (value: number | null | undefined, usual: number): number =>
  typeof value === 'number' && value >= 0 ? Math.min(value, 3600) : usual

/** What an error of a poll means: how many seconds to add to the interval, or why the login ended. */
const answers: Record<string, number | string> = {
  authorization_pending: 0,
  slow_down: 5,
  network_error: 5,
  expired_token: 'The code expired. Run svc login again.',
  access_denied: 'Authorization was denied.',
}

async function waitForToken(call: SparseClient, device: Device): Promise<string> {
  const device_code = required(device, 'device_code')
  const deadline = Date.now() + secondsOf(device.expires_in, 900) * 1000
  let interval = secondsOf(device.interval, 5)
  let isAway = false
  while (true) {
    await sleep(Math.max(0, Math.min(interval * 1000, deadline - Date.now())))
    if (Date.now() >= deadline) throw new Failure('The code expired. Run svc login again.')
    try {
      return required(await call('POST /auth/device/poll', { body: { device_code } }), 'token')
    } catch (error) {
      const code = error instanceof ApiError ? error.code : ''
      if (code === 'network_error' && !isAway) notice("Can't reach the server. Retrying…")
      isAway = code === 'network_error'
      const answer = answers[code]
      if (answer === undefined) throw error
      if (typeof answer === 'string') throw new Failure(answer)
      interval += answer
    }
  }
}
