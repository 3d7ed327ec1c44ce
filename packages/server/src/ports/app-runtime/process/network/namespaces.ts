// Hands out network namespaces. One is kept in reserve, so that the start of an app does not wait for its making.
import { NetworkNamespace } from './namespace.ts'
import { type OutboundSettings, openOutbound } from './outbound.ts'

export class Namespaces {
  readonly #outbound: OutboundSettings
  #spare: Promise<NetworkNamespace> | undefined
  #isClosed = false

  constructor(outbound: OutboundSettings) {
    this.#outbound = outbound
  }

  /** Nobody else has it, and nobody had it before. */
  async acquire(): Promise<NetworkNamespace> {
    const taken = this.#spare
    this.#spare = undefined
    const spare = await taken?.catch(() => undefined)
    return spare?.isOpen ? spare : await this.#make()
  }

  /** Makes the spare one if there is none. Called when nobody waits for a start. */
  prepare(): void {
    if (this.#isClosed || this.#spare) return
    this.#spare = this.#make()
    // The next start tries again, and says why it cannot.
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
