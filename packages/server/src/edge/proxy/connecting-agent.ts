// An HTTP agent whose connections are opened by whoever knows the way to the app.
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { connect as connectPlainly, type NetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connect } from '../../core/apps/reach.ts'

type Done = (error: Error | null, socket: Duplex) => void

export class ConnectingAgent extends Agent {
  readonly #connect: Connect | undefined

  /** Without `connect`, connections are opened as node:http does it. */
  constructor(options: AgentOptions, connect: Connect | undefined) {
    super(options)
    this.#connect = connect
  }

  /** Called by node:http for each connection that it needs. */
  override createConnection(options: ClientRequestArgs, done?: Done): Duplex | undefined {
    if (!this.#connect) return connectPlainly(options as NetConnectOpts)
    const address = { host: options.host ?? '', port: Number(options.port) }
    this.#connect(address).then(
      socket => done?.(null, socket),
      error => (done as (error: Error) => void)(error),
    )
    return undefined
  }
}
