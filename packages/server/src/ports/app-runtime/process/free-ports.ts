// Ports for apps: below those that the system gives to outgoing connections, so that none of these takes one away.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const first = 20_000
const last = 31_999

export class FreePorts {
  readonly #taken = new Set<number>()

  /** Nobody listens on it at this moment. Whoever got it must check that it was they who opened it. */
  async take(): Promise<number> {
    for (;;) {
      const port = randomInt(first, last + 1)
      if (this.#taken.has(port)) continue
      this.#taken.add(port)
      if (await isFree(port)) return port
      this.#taken.delete(port)
    }
  }

  giveBack(port: number): void {
    this.#taken.delete(port)
  }
}

/** On every address, since apps choose theirs. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = await new Promise<boolean>(resolve => {
    server.once('error', () => resolve(false))
    server.listen({ port, exclusive: true }, () => resolve(true))
  })
  if (listening) await new Promise(resolve => server.close(resolve))
  return listening
}
