// Places for apps in a sandbox: each app has a network namespace of its own, and the same port in it.
import { untilAccepted } from '../accepting.ts'
import { appPort } from '../port.ts'
import type { Outbound } from '../private-networks.ts'
import type { NetworkNamespace } from './network/namespace.ts'
import { Namespaces } from './network/namespaces.ts'
import { missingFor, type OutboundSettings, resolvConfFor } from './network/outbound.ts'
import type { Place, Places } from './place.ts'
import { listeningIn } from './process-tree.ts'
import type { Wall } from './sandbox.ts'

interface WalledSettings extends OutboundSettings {
  /** Directories of the platform. */
  hidden: readonly string[]
}

const outboundWords: Record<Outbound, string> = {
  on: 'apps may connect to all addresses',
  public: 'apps may connect to public addresses',
  off: 'apps may not connect to other machines',
}

export class WalledPlaces implements Places {
  readonly words: string
  readonly warnings: readonly string[]
  readonly #wall: Wall
  readonly #settings: WalledSettings
  readonly #namespaces: Namespaces

  private constructor(wall: Wall, settings: WalledSettings, warnings: string[]) {
    this.words = `${wall.words}, ${outboundWords[settings.outbound]}`
    this.warnings = warnings
    this.#wall = wall
    this.#settings = settings
    this.#namespaces = new Namespaces(settings)
  }

  /** If the system does not allow outbound connections, it warns, and apps start without them. */
  static async open(wall: Wall, settings: WalledSettings): Promise<WalledPlaces> {
    const problem = await problemWith(settings)
    if (problem === undefined) return new WalledPlaces(wall, settings, [])
    const warning = `server apps cannot connect to other machines: ${problem}, or set SVCD_APP_OUTBOUND=off`
    return new WalledPlaces(wall, { ...settings, outbound: 'off' }, [warning])
  }

  async take(instanceId: string): Promise<Place> {
    const namespace = await this.#namespaces.acquire()
    const { hidden, outbound } = this.#settings
    return {
      address: { host: instanceId, port: appPort },
      walls: { wall: this.#wall, namespace, hidden, resolvConf: resolvConfFor(outbound) },
      lost: namespace.ended,
      connect: () => namespace.connect(appPort),
      async untilAccepted(_child, signal) {
        await untilAccepted(() => isListening(namespace), signal)
        return true
      },
      isTaken: async () => false,
      otherPorts: () => listeningIn(namespace.pid).filter(port => port !== appPort),
      leave: () => namespace.close(),
    }
  }

  prepare(): void {
    this.#namespaces.prepare()
  }

  close(): Promise<void> {
    return this.#namespaces.close()
  }
}

/** What is wrong with the way out, and what to do about it. */
async function problemWith(settings: OutboundSettings): Promise<string | undefined> {
  const missing = missingFor(settings.outbound).join(' ')
  if (missing !== '') return `install ${missing.replace(' ', ' and ')} (Debian: apt-get install ${missing})`
  const namespaces = new Namespaces(settings)
  try {
    await (await namespaces.acquire()).close()
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
    return false // Not yet.
  }
}
