// Builds the `Platform` that core works on from ports and settings.
import { reservedNames } from '@svc/contract'
import { watchDiskUse } from '../builder/disk-use.ts'
import { acmeSettings, ownCertificate, type Settings } from '../config.ts'
import { AiUsageRecorder } from '../core/ai/recorder.ts'
import type { Issuing, Party } from '../core/base/parts.ts'
import type { Platform } from '../core/base/platform.ts'
import { urlsAt } from '../core/base/urls.ts'
import { AuthorityBackoff } from '../core/domains/certificates/authority-backoff.ts'
import { TokenUses } from '../core/identity/token-uses.ts'
import { LiveEvents } from '../core/platform/live-events.ts'
import type { DataDirectory } from '../data-directory.ts'
import type { InternalSocket } from '../edge/internal-socket.ts'
import { diskSpace } from '../lib/disk-space.ts'
import { PictureMark } from '../lib/picture-mark.ts'
import { acmeClient } from '../ports/acme/client.ts'
import { DirectoryDisks } from '../ports/app-disks/directory.ts'
import { watchMemory } from '../ports/app-runtime/process/memory-watch.ts'
import { end, treeOf } from '../ports/app-runtime/process/process-tree.ts'
import { giveTo, projectUser } from '../ports/app-runtime/project-user.ts'
import { addressLookup } from '../ports/dns/addresses.ts'
import { dnsResolver } from '../ports/dns/resolver.ts'
import { hookDns01 } from '../ports/dns01/hook.ts'
import { builtinForge } from '../ports/forge/builtin.ts'
import { gitHosts } from '../ports/git-hosts/hosts.ts'
import { requestProbe } from '../ports/http-probe/request.ts'
import { httpSiteCaller } from '../ports/site-call/http.ts'
import { chromiumPictures } from '../ports/site-picture/chromium.ts'
import { alpnProbe } from '../ports/tls-probe/alpn.ts'
import { handshakeProbe } from '../ports/tls-probe/handshake.ts'
import { viesRegistry } from '../ports/vat-registry/vies.ts'
import { httpWebhooks } from '../ports/webhook/http.ts'
import { version } from '../version.ts'
import { backupPlan } from './backups.ts'
import type { PaymentsAt } from './billing.ts'
import { measuredDiskUses } from './disk-uses.ts'
import { livePartsOf } from './operator-settings.ts'

type Ports = Pick<
  Platform,
  | 'store'
  | 'packs'
  | 'repos'
  | 'clock'
  | 'mailer'
  | 'logs'
  | 'apps'
  | 'unpack'
  | 'findMissing'
  | 'evictions'
  | 'requestCounts'
  | 'catalog'
  | 'github'
  | 'lateStart'
  | 'nodeVersions'
  | 'settings'
  | 'databases'
> & {
  inner?: InternalSocket | undefined
  paymentsAt: PaymentsAt
}

export function platformOf(settings: Settings, data: DataDirectory, ports: Ports, port: number): Platform {
  const { publicScheme: scheme, platformDomain: domain, allowPrivateTargets: allowPrivate } = settings
  const urls = urlsAt({ scheme, domain, port: publicPort(settings, port) })
  const dns = dnsResolver(settings.dnsServers)
  const addresses = addressLookup(dns, settings.dnsServers.length > 0)
  const pictureMark = new PictureMark(data.keyring.current.derive('pictures of sites'), ports.clock)
  return {
    ...ports,
    commands: { here: undefined },
    forge: builtinForge(urls.dashboard),
    hasBuiltinForge: settings.forge.includes('builtin'),
    repositoryBytes: settings.gitRepositoryBytes,
    tlsProbe: handshakeProbe({
      port: settings.certCheckPort,
      allowPrivate,
      addresses,
    }),
    alpnProbe: alpnProbe({ port: settings.certCheckPort, allowPrivate }),
    httpProbe: requestProbe({ port: settings.acmeHttpPort, allowPrivate }),
    dns,
    issuing: issuingBy(settings),
    callSite: httpSiteCaller(urls.site, ports.inner),
    takePicture: picturesBy(settings, urls.site, { edge: ports.inner, mark: pictureMark }),
    pictureMark,
    sendWebhook: httpWebhooks({ allowPrivate, addresses }),
    gitHosts: gitHosts({ allowPrivate, addresses }),
    urls,
    keyring: data.keyring,
    tokenUses: new TokenUses(ports.store.db, ports.clock),
    liveEvents: new LiveEvents(ports.store, ports.clock),
    aiUsage: new AiUsageRecorder(ports.store, ports.clock),
    nodeId: data.nodeId,
    appDisks: new DirectoryDisks(data.disksDir, giveTo),
    domain,
    dnsTarget: settings.dnsTarget,
    allowPrivateTargets: allowPrivate,
    version,
    domainProof: settings.domainProof,
    setupToken: data.keyring.current.derive('set-up link'),
    visitKey: data.keyring.current.derive('site visits'),
    reservedNames: new Set([...reservedNames, settings.dnsTarget.split('.')[0] ?? '']),
    ...livePartsOf(settings),
    billing: settings.billing,
    payments: ports.paymentsAt(urls),
    seller: sellerOf(settings),
    vatRegistry: viesRegistry({ url: settings.viesUrl, requester: settings.sellerVatNumber }),
    databaseLimits: {
      sizeBytes: settings.appDatabaseMb * 1024 * 1024,
      connections: settings.appDatabaseConnections,
    },
    disk: {
      dir: settings.dataDir,
      space: () => diskSpace(settings.dataDir),
      uses: measuredDiskUses(data),
      reserveBytes: settings.diskReserveMb === undefined ? undefined : settings.diskReserveMb * 1024 * 1024,
    },
    backups: backupPlan(settings),
    analytics: settings.analytics === 'on',
    hasAi: settings.aiUpstream !== undefined || settings.aiUpstreamsFile !== undefined,
  }
}

/** `urlOf` gives the public URL of a project. */
export const picturesBy = (
  { chromium: program, unsandboxedApps: unsandboxed }: Settings,
  urlOf: (project: string) => string,
  to: { edge?: { socketPath: string } | undefined; mark?: PictureMark } = {},
) => (program === undefined ? undefined : chromiumPictures({ program, unsandboxed, urlOf, ...to, processes }))

const processes = { userOf: projectUser, treeOf, end, watchMemory, watchDiskUse }

/** The setting has the address in one line, with commas between its parts. */
const sellerOf = (settings: Settings): Party => ({
  name: settings.sellerName,
  address: settings.sellerAddress.split(',').flatMap(line => line.trim() || []),
  vat_number: settings.sellerVatNumber ?? null,
  email: settings.sellerEmail ?? null,
})

function issuingBy(settings: Settings): Issuing | undefined {
  const { dns01Hook } = settings
  const authority = acmeSettings(settings)
  if (authority === undefined) return undefined
  const own = ownCertificate(settings)
  return {
    acme: acmeClient(authority),
    dns01: dns01Hook && own === 'dns-01' ? hookDns01(dns01Hook) : undefined,
    perHost: own === 'per host',
    backoff: new AuthorityBackoff(),
  }
}

/** `undefined` if it is the default port of the scheme. */
function publicPort(settings: Settings, port: number): number | undefined {
  const shown = settings.publicPort ?? (settings.publicScheme === 'http' ? port : undefined)
  return shown === (settings.publicScheme === 'http' ? 80 : 443) ? undefined : shown
}
