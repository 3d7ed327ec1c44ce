// One stream of events for the whole tab. It says what changed, and the pages that show it load it again. While the stream
// is down, the pages poll.
import type { LiveEvent } from '@svc/contract'
import { announce, concerns, isLive } from './changes.ts'
import { config } from './config.ts'
import { readEvents } from './event-stream.ts'
import { endRefusedSession, session } from './session.ts'

const firstRetryMs = 1_000
const lastRetryMs = 60_000

/** Follows the session: connects while somebody is signed in and the tab is visible. */
export function followLiveEvents(): void {
  let current: { token: string; stop: AbortController } | undefined
  const adjust = () => {
    const now = session.get()
    // Browsers allow six connections to an HTTP/1.1 server. A hidden tab must not use one up.
    const isWanted = now.state === 'signed in' && document.visibilityState === 'visible'
    const token = isWanted ? now.token : undefined
    if (current?.token === token) return
    current?.stop.abort()
    current = token === undefined ? undefined : { token, stop: new AbortController() }
    if (current) void stayConnected(current.token, current.stop.signal)
  }
  session.subscribe(adjust)
  document.addEventListener('visibilitychange', adjust)
  adjust()
}

async function stayConnected(token: string, signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const outcome = await connect(token, signal, isFirst).catch(() => 'failed' as const)
    isLive.set(false)
    if (outcome === 'unauthorized' && !signal.aborted) return endRefusedSession(token)
    retryMs = outcome === 'ended' ? firstRetryMs : Math.min(retryMs * 2, lastRetryMs)
    // Random, so that all tabs do not come back at the same moment after a restart of the platform.
    await pause(retryMs * (0.5 + Math.random()), signal)
  }
}

async function connect(
  token: string,
  signal: AbortSignal,
  isFirst: boolean,
): Promise<'ended' | 'failed' | 'unauthorized'> {
  const response = await fetch(`${config().api_url}/events`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    cache: 'no-store',
    signal,
  })
  if (response.status === 401) return 'unauthorized'
  if (!response.ok || !response.body) return 'failed'
  for await (const { event, data } of readEvents(response.body)) {
    if (event === 'ready') isLive.set(true)
    // After a break, and after `reload`, everything that is shown may be stale.
    if ((event === 'ready' && !isFirst) || event === 'reload') announce(() => true)
    if (event === 'change') {
      const change = JSON.parse(data) as LiveEvent
      announce(watch => concerns(watch, change))
    }
  }
  return 'ended'
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
