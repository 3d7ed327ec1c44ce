// Connects the listeners to what they serve: sites, control plane, HTTPS.
import { createSecureContext, type SecureContext } from 'node:tls'
import { dayMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import { ownCertificate, type Settings, trustedAddresses } from '../config.ts'
import type { Platform, Rows, Vault } from '../core/base/platform.ts'
import { certificateReader, challengeReader } from '../core/domains/certificates/reader.ts'
import { demandCertificate } from '../core/projects/certificate-demand.ts'
import { ChartRecorder } from '../core/stats/chart-recorder.ts'
import { measureOwnUse } from '../core/stats/own-use.ts'
import { closedEdge, type Edge } from '../edge/edge.ts'
import type { Hosts } from '../edge/hosts.ts'
import { CertificateFiles } from '../edge/https/certificate-files.ts'
import { Challenges } from '../edge/https/challenges.ts'
import { ShownCertificates } from '../edge/https/shown-certificates.ts'
import { createTransport } from '../edge/https/transport.ts'
import { acrossNodes, batchInvalidations, type CacheChange } from '../edge-workers/invalidations.ts'
import { cameByHttps } from '../lib/client-address.ts'
import type { Parts } from '../listener.ts'
import { challengeCertificate } from '../ports/acme/challenge-certificate.ts'
import { openAccessLog, openEdge } from './edge.ts'
import type { EdgeRows } from './edge-copies.ts'
import { openGeo } from './ports.ts'
import type { ProcessListener } from './process-listener.ts'

/** How long requests may still take when svcd stops. */
const drainMs = 8_000

type Served = ProcessListener & {
  hosts: Hosts
  isEdge: boolean
  rows: EdgeRows
  /** Passes requests to sites on to other nodes. */
  elsewhere: Edge
}

interface Serving {
  /** Serves sites, wherever the request comes from. */
  edge: Edge
  stop(idleMs: number): Promise<void>
}

export async function startServing(
  platform: Platform,
  settings: Settings,
  { listener, hosts, isEdge, servesSites, onInvalidated, rows, elsewhere }: Served,
  parts: Partial<Parts>,
  log: Logger,
): Promise<Serving> {
  const geo = await openGeo(settings, log)
  const charts = new ChartRecorder(platform.store, err =>
    log.warn({ err }, 'cannot write charts, trying again'),
  )
  const stopMeasuring = measureOwnUse(charts, platform.clock)
  const accessLog = openAccessLog(platform, settings, { geo, charts }, log)
  // With edge workers, the edge of the main process serves only the platform's own requests.
  const tellNodes = toOtherNodes(platform, log)
  const edgeParts = {
    ...{ accessLog, geo, rows },
    onInvalidated: (key: string) => {
      onInvalidated?.(key)
      tellNodes?.(key)
    },
  }
  const ownEdge = isEdge ? openEdge(platform, settings, edgeParts, log) : elsewhere
  rows.usedBy(ownEdge)
  const edge = servesSites || !isEdge ? ownEdge : closedEdge
  const { transport, tls, close } = openTransport(platform, settings, { listener, rows }, log)
  await listener.dispatchTo({ hosts, parts, edge, transport, tls })
  return {
    edge: ownEdge,
    async stop(idleMs) {
      await listener.stop(drainMs, idleMs)
      ownEdge.close()
      close()
      await accessLog.close()
      stopMeasuring()
      await charts.close()
      geo.close()
    },
  }
}

/** Announces invalidated cache keys to other nodes. `undefined` with SQLite, which has only one node. */
function toOtherNodes({ store }: Pick<Platform, 'store'>, log: Logger): ((key: string) => void) | undefined {
  if (store.engine !== 'postgres') return undefined
  const tell = (changes: CacheChange[]) =>
    store
      .transact(async (_tx, changed) => {
        for (const change of changes) await changed(change)
      })
      .catch(err => log.warn({ err }, 'could not announce invalidated cache keys to other nodes'))
  return batchInvalidations(tell, acrossNodes)
}

type ServedParts = Rows & Vault & Pick<Platform, 'issuing' | 'urls'>

/** Creates the certificates for HTTPS, and the transport step, which answers ACME challenges and redirects to HTTPS. */
function openTransport(
  platform: ServedParts,
  settings: Settings,
  { listener: { tlsPort }, rows }: Pick<Served, 'listener' | 'rows'>,
  log: Logger,
) {
  const onError = (err: unknown) => log.error({ err }, 'HTTPS failed')
  const { tlsCert: cert, tlsKey: key, platformDomain: domain, publicScheme, publicPort = 443 } = settings
  const files = cert && key ? new CertificateFiles({ cert, key }, onError) : undefined
  if (files) {
    warnOfExpiry(files, log)
    files.onChange(() => warnOfExpiry(files, log))
  }
  const certificates = new ShownCertificates({
    stored: certificateReader(rows.source, platform),
    kept: rows.kept && certificateReader(rows.kept, platform),
    changes: platform.store.changes,
    clock: platform.clock,
    domain,
    files,
    demand: platform.issuing?.perHost ? host => demandCertificate(platform, host) : undefined,
  })
  const challenges = new Challenges(
    challengeReader(platform),
    platform.store.changes,
    platform.clock,
    answerByTls,
  )
  const transport = createTransport({
    challenge: (host, token) => challenges.answer(host, token),
    https:
      tlsPort === undefined
        ? undefined
        : {
            certificates,
            port: publicScheme === 'https' ? publicPort : tlsPort,
            isAwaited: publicScheme === 'https' && ownCertificate(settings) !== undefined,
          },
    cameSecurely: cameByHttps(trustedAddresses(settings)),
    onError,
  })
  const close = () => {
    certificates.close()
    challenges.close()
  }
  const forHandshakes = {
    find: (name: string) => certificates.findOrAwait(name),
    findDefault: () => certificates.findDefault(),
    onDefaultChange: (listener: () => void) => certificates.onDefaultChange(listener),
    challenges,
  }
  const tls = { certificates: forHandshakes, tickets: platform.keyring.current.derive('tls tickets') }
  return { transport, tls, close }
}

async function answerByTls(host: string, answer: string): Promise<SecureContext> {
  const { cert, key } = await challengeCertificate(host, answer)
  return createSecureContext({ cert, key: key.reveal() })
}

/** Browsers refuse an expired certificate, so the log says so at once. */
function warnOfExpiry({ path, current: { expiresAt } }: CertificateFiles, log: Logger): void {
  const days = Math.floor((expiresAt - Date.now()) / dayMs)
  const expires = new Date(expiresAt).toISOString()
  if (days < 0) log.error({ file: path, expires }, 'the certificate of SVCD_TLS_CERT has expired: replace it')
  else if (days < 14)
    log.warn({ file: path, expires }, 'the certificate of SVCD_TLS_CERT expires soon: replace it')
}
