// What a listener dispatches to in tests: an edge with a few functions, behind no rules of transport, with one certificate.
import { createSecureContext } from 'node:tls'
import { Secret } from '../lib/secret.ts'
import type { Listener } from '../listener.ts'

type Handlers = Parameters<Listener['dispatchTo']>[0]

export function handlersWith(
  { cert, key }: { cert: string; key: string },
  edge: Partial<Handlers['edge']>,
  hosts: Handlers['hosts'] = { find: () => ({ to: 'unknown' }) },
): Handlers {
  const context = createSecureContext({ cert, key })
  return {
    hosts,
    parts: {},
    edge: {
      handle: ({ res }) => void res.end('hello'),
      upgrade: (_exchange, upgrade) => upgrade.decline(),
      findHot: () => undefined,
      findStored: () => undefined,
      countHot: () => undefined,
      findApp: () => undefined,
      countApp: () => undefined,
      mayUseLane: () => false,
      ...edge,
    },
    transport: { handle: (_exchange, next) => next(), mayLaneAnswer: () => true },
    tls: {
      certificates: {
        find: async () => context,
        findDefault: async () => undefined,
        onDefaultChange: () => undefined,
      },
      tickets: new Secret('tickets'),
    },
  }
}
