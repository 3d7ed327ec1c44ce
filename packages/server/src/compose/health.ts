// The API's host on a node without the role `api`: it says how this node is, and passes everything else on.
import type { Logger } from 'pino'
import { createApi } from '../api/server.ts'
import { type Settings, trustedAddresses } from '../config.ts'
import type { Platform } from '../core/base/platform.ts'
import { sendPage } from '../edge/pages.ts'
import { clientAddress } from '../lib/client-address.ts'
import { type Part, type Parts, respondingTo } from '../listener.ts'
import { allParts } from './process-listener.ts'

export function healthAndPassing(
  platform: Platform,
  settings: Settings,
  toApi: Part | undefined,
  log: Logger,
): Parts {
  const addressOf = clientAddress(trustedAddresses(settings))
  const health = respondingTo({ api: createApi({ platform, log, clientAddress: addressOf }) }).api!
  const pass: Part = toApi ?? (exchange => sendPage(exchange, 'unknownHost'))
  const isHealth = (path: string | undefined) => path === '/health' || path?.startsWith('/health/')
  return {
    ...allParts(pass),
    api: (exchange, upgrade) => (isHealth(exchange.target?.path) ? health : pass)(exchange, upgrade),
  }
}
