// Relays requests that an edge worker received but the main process answers (API, dashboard, …). They go through a unix
// socket in the data directory that only svcd's user can open, so the main process trusts the client address sent along.
import path from 'node:path'
import { minuteMs } from '@svc/contract/durations'
import type { Settings } from '../config.ts'
import { sendPage } from '../edge/pages.ts'
import { Upstream } from '../edge/proxy/upstream.ts'
import { relay } from '../edge/relay.ts'
import type { Part } from '../listener.ts'

/** Each main process has its own: while one takes over from another, both run. */
export const mainSocket = ({ dataDir }: Pick<Settings, 'dataDir'>, pid: number): string =>
  path.join(dataDir, `main-${pid}.sock`)

/** The process that a socket of this name belongs to. */
export const mainSocketPid = (name: string): number | undefined => {
  const pid = /^main-(\d+)\.sock$/.exec(name)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** The same as those of the main process's own listener. */
const timeouts = { answer: 60 * minuteMs, idle: 10 * minuteMs }

export function relayTo(socketPath: string, onError: (error: unknown) => void): Part {
  const upstream = new Upstream(timeouts)
  return (exchange, upgrade) =>
    relay(
      exchange,
      {
        send: outgoing => upstream.send({ socketPath }, outgoing),
        onFailure(error) {
          onError(error)
          sendPage(exchange, 'unavailable')
        },
      },
      upgrade,
    )
}
