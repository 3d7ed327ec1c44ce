// Creates network namespaces. One is created in advance, so that the start of an app does not wait for it.
import { NetworkNamespace } from './namespace.ts'
import { type OutboundSettings, openOutbound } from './outbound.ts'

export class Namespaces {
  readonly #outbound: OutboundSettings
  #spare: Promise<NetworkNamespace> | undefined
  #isClosed = false

  constructor(outbound: OutboundSettings) {
    this.#outbound = outbound
  }

  /** Returns a namespace that no app has used before. */
  async acquire(): Promise<NetworkNamespace> {
    const taken = this.#spare
    this.#spare = undefined
    const spare = await taken?.catch(() => undefined)
    return spare?.isOpen ? spare : await this.#make()
  }

  /** Creates the spare namespace if there is none. Call it when no start is in progress. */
  prepare(): void {
    if (this.#isClosed || this.#spare) return
    this.#spare = this.#make()
    // On an error the next start tries again and reports it.
    this.#spare.catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#spare?.catch(() => undefined))?.close()
  }

  async #make(): Promise<NetworkNamespace> {
    const namespace = await NetworkNamespace.open()
    try {
      const closeOutbound = await openOutbound(namespace, this.#outbound)
      namespace.ended.then(closeOutbound)
      return namespace
    } catch (error) {
      await namespace.close()
      throw error
    }
  }
}
