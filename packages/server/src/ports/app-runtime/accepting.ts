// Waits until somebody accepts connections at one of several addresses.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Short at first, since whoever waits for the app waits for this, too. */
const shortestPauseMs = 2
const longestPauseMs = 20
const attemptMs = 1_000

/** The first host that accepts; rejects when the signal fires. */
export async function acceptingHost(
  hosts: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<string> {
  for (let pause = shortestPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.02)) {
    for (const host of hosts) if (await accepts(host, port)) return host
    await sleep(pause, undefined, { signal })
  }
}

export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: attemptMs })
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => done(true))
    socket.once('timeout', () => done(false))
    socket.once('error', () => done(false))
  })
}
