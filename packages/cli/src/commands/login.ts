// Device login: show a code, wait until someone approves it in the browser, keep the token.
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Client, createClient } from '@svc/contract/client'
import { apiUrl, httpUrl, storeApiUrl } from '../address.ts'
import { openBrowser } from '../browser.ts'
import type { Run } from '../command.ts'
import { storeToken } from '../credentials.ts'
import { environment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { bold, cyan, notice, print, warn } from '../output.ts'
import { userAgent } from '../session.ts'

export const login: Run = async ({ options }) => {
  const baseUrl = platform(options['api-url'])
  const call = createClient({ baseUrl, headers: userAgent() })
  const device = await call('POST /auth/device')

  print(`Your code: ${bold(device.user_code)}`)
  print(`Enter it at ${cyan(device.verification_uri)}`)
  void openBrowser(device.verification_uri)
  notice('Waiting for your approval...')
  const token = await waitForToken(call, device)

  storeToken(token)
  if (options['api-url']) storeApiUrl(baseUrl)
  const me = await createClient({ baseUrl, token, headers: userAgent() })('GET /me')
  print(`Logged in as ${bold(me.gitforge_login)}.`)
  if (environment.token()) warn('SVC_TOKEN is set and wins over the token stored now.')
}

/** Logging in to one address while all other commands talk to another would hand that one a foreign token. */
function platform(asked: string | undefined): string {
  if (asked === undefined) return apiUrl()
  const url = httpUrl(asked, '--api-url')
  if (environment.apiUrl() && apiUrl() !== url)
    throw new Failure(`SVC_API_URL (${apiUrl()}) wins over --api-url. Unset it to log in to ${url}.`)
  return url
}

interface Device {
  device_code: string
  expires_in: number
  interval: number
}

/** What an error of a poll means: how many seconds to add to the interval, or why the login ended. */
const answers: Record<string, number | string> = {
  authorization_pending: 0,
  slow_down: 5,
  expired_token: 'The code expired. Run svc login again.',
  access_denied: 'Authorization was denied.',
}

async function waitForToken(call: Client, device: Device): Promise<string> {
  const deadline = Date.now() + device.expires_in * 1000
  let interval = device.interval
  while (true) {
    await sleep(Math.max(0, Math.min(interval * 1000, deadline - Date.now())))
    if (Date.now() >= deadline) throw new Failure('The code expired. Run svc login again.')
    try {
      const { token } = await call('POST /auth/device/poll', { body: { device_code: device.device_code } })
      return token
    } catch (error) {
      const answer = error instanceof ApiError ? answers[error.code] : undefined
      if (answer === undefined) throw error
      if (typeof answer === 'string') throw new Failure(answer)
      interval += answer
    }
  }
}
