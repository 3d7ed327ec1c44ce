// Waits until an app accepts connections on one of several hosts.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The pause between attempts is short at first, since visitors wait for the app. */
const shortestPauseMs = 2
const longestPauseMs = 20
const attemptMs = 1_000

/** A proxy in front of the app accepts connections early. It closes them within this time if the app does not listen yet. */
export const behindProxyMs = 100

/** The first host that accepts a connection and does not close it within `steadyMs`. Rejects when the signal fires. */
export async function acceptingHost(
  hosts: readonly string[],
  port: number,
  signal: AbortSignal,
  steadyMs = 0,
): Promise<string> {
  let accepting = ''
  await untilAccepted(async () => {
    for (const host of hosts)
      if (await accepts(host, port, steadyMs)) {
        accepting = host
        return true
      }
    return false
  }, signal)
  return accepting
}

/** Calls `isAccepted` until it returns true. Rejects when the signal fires. */
export async function untilAccepted(isAccepted: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let pause = shortestPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.02)) {
    if (await isAccepted()) return
    await sleep(pause, undefined, { signal })
  }
}

/** Whether the port accepts a connection and does not close it within `steadyMs`. */
export function accepts(host: string, port: number, steadyMs = 0): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: attemptMs })
    let steady: NodeJS.Timeout | undefined
    const done = (answer: boolean) => {
      clearTimeout(steady)
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => {
      if (steadyMs === 0) done(true)
      else steady = setTimeout(() => done(true), steadyMs)
    })
    for (const event of ['timeout', 'error', 'end'] as const) socket.once(event, () => done(false))
    socket.resume()
  })
}
