// The device flow: shows a code and the URL to enter it at, and waits until the login is approved.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, EndpointTable } from '@svc/contract'
import { ApiError, type Sparse, type SparseClient } from '@svc/contract/client'
import { openBrowser } from './browser.ts'
import { Failure } from './failure.ts'
import { bold, clean, cyan, notice, print } from './output.ts'
import { required } from './session.ts'

/** Polls until the login is approved, and returns the token. `command` is what the user runs to try again. */
export async function approvedToken(call: SparseClient, device: Device, command: string): Promise<string> {
  const address = required(device, 'verification_uri')
  const withCode = device.verification_uri_complete
  print(`Your code: ${bold(clean(required(device, 'user_code')))}`)
  print(`${withCode ? 'Approve' : 'Enter'} it at ${cyan(clean(withCode || address))}`)
  void openBrowser(withCode || address)
  notice('Waiting for your approval...')
  return await waitForToken(call, device, command)
}

function expired(command: string): string {
  return `The code expired. Run ${command} again.`
}

type Device = Sparse<Answer<EndpointTable['POST /auth/device']>>

/** Reads a number of seconds. A missing or invalid number becomes `usual`, the default of RFC 8628 or of the platform. */
const secondsOf = (value: number | null | undefined, usual: number): number =>
  typeof value === 'number' && value >= 0 ? Math.min(value, 3600) : usual

/** What an error of a poll means: how many seconds to add to the interval, or why the login ended. */
const answers: Record<string, number | ((command: string) => string)> = {
  authorization_pending: 0,
  slow_down: 5,
  network_error: 5,
  unavailable: 5,
  expired_token: expired,
  access_denied: () => 'Authorization was denied.',
}

async function waitForToken(call: SparseClient, device: Device, command: string): Promise<string> {
  const device_code = required(device, 'device_code')
  const deadline = Date.now() + secondsOf(device.expires_in, 900) * 1000
  let interval = secondsOf(device.interval, 5)
  let isAway = false
  while (true) {
    await sleep(Math.max(0, Math.min(interval * 1000, deadline - Date.now())))
    if (Date.now() >= deadline) throw new Failure(expired(command))
    try {
      return required(await call('POST /auth/device/poll', { body: { device_code } }), 'token')
    } catch (error) {
      const code = error instanceof ApiError ? error.code : ''
      if (code === 'network_error' && !isAway) notice("Can't reach the server. Retrying…")
      isAway = code === 'network_error'
      const answer = answers[code]
      if (answer === undefined) throw error
      if (typeof answer !== 'number') throw new Failure(answer(command))
      interval += answer
    }
  }
}
