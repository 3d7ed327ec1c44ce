// Endpoints for apps in a sandbox: each app has a network namespace of its own, and the same port in it.
import { untilAccepted } from '../accepting.ts'
import { appPort } from '../port.ts'
import type { Outbound } from '../private-networks.ts'
import type { Endpoint, Endpoints } from './endpoint.ts'
import type { NetworkNamespace } from './network/namespace.ts'
import { Namespaces } from './network/namespaces.ts'
import { missingFor, type OutboundSettings, resolvConfFor } from './network/outbound.ts'
import { listeningIn } from './process-tree.ts'
import type { Sandbox } from './sandbox.ts'

interface NamespaceSettings extends OutboundSettings {
  /** The platform's directories, which apps must not see. */
  hidden: readonly string[]
}

const outboundWords: Record<Outbound, string> = {
  on: 'apps may connect to all addresses',
  public: 'apps may connect to public addresses',
  off: 'apps may not connect to other machines',
}

export class NamespaceEndpoints implements Endpoints {
  readonly description: string
  readonly warnings = []
  readonly problems: readonly string[]
  readonly #sandbox: Sandbox
  readonly #settings: NamespaceSettings
  readonly #namespaces: Namespaces

  private constructor(sandbox: Sandbox, settings: NamespaceSettings, problems: string[]) {
    this.description = `${sandbox.description}, ${outboundWords[settings.outbound]}`
    this.problems = problems
    this.#sandbox = sandbox
    this.#settings = settings
    this.#namespaces = new Namespaces(settings)
  }

  /** If outbound connections cannot be set up here, apps start without them, and `problems` says why. */
  static async open(sandbox: Sandbox, settings: NamespaceSettings): Promise<NamespaceEndpoints> {
    const problem = await problemWith(settings)
    if (problem === undefined) return new NamespaceEndpoints(sandbox, settings, [])
    const found = `server apps cannot connect to other machines: ${problem}, or set SVCD_APP_OUTBOUND=off`
    return new NamespaceEndpoints(sandbox, { ...settings, outbound: 'off' }, [found])
  }

  async allocate(instanceId: string): Promise<Endpoint> {
    const namespace = await this.#namespaces.acquire()
    const { hidden, outbound } = this.#settings
    return {
      address: { host: instanceId, port: appPort },
      isolation: { sandbox: this.#sandbox, namespace, hidden, resolvConf: resolvConfFor(outbound) },
      lost: namespace.ended,
      connect: () => namespace.connect(appPort),
      async untilAccepted(_child, signal) {
        await untilAccepted(() => isListening(namespace), signal)
        return true
      },
      isTaken: async () => false,
      otherPorts: () => listeningIn(namespace.pid).filter(port => port !== appPort),
      release: () => namespace.close(),
    }
  }

  prepare(): void {
    this.#namespaces.prepare()
  }

  close(): Promise<void> {
    return this.#namespaces.close()
  }
}

/** The modes that work here. Apps and builds both need one, and try it once. */
const working = new Set<Outbound>()

/** Why outbound connections do not work here and how to fix it. `undefined` if they work. */
async function problemWith(settings: OutboundSettings): Promise<string | undefined> {
  if (working.has(settings.outbound)) return undefined
  const missing = missingFor(settings.outbound).join(' ')
  if (missing !== '') return `install ${missing.replace(' ', ' and ')} (Debian: apt-get install ${missing})`
  const namespaces = new Namespaces(settings)
  try {
    await (await namespaces.acquire()).close()
    working.add(settings.outbound)
    return undefined
  } catch (error) {
    return `repair this: ${(error as Error).message}`
  }
}

async function isListening(namespace: NetworkNamespace): Promise<boolean> {
  try {
    const socket = await namespace.connect(appPort)
    socket.destroy()
    return true
  } catch {
    return false // The app does not listen yet.
  }
}
