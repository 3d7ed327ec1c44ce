// Changes of other nodes by LISTEN/NOTIFY, which PostgreSQL delivers in order and only after commit.
import pg from 'pg'
import { type ChangeListeners, changeOf } from '../platform/change-log.ts'

export const channel = 'svc_changes'

export class Feed {
  readonly #url: string
  readonly #listeners: ChangeListeners
  readonly #log: (message: string, error: unknown) => void
  #client: pg.Client | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(url: string, listeners: ChangeListeners, log: (message: string, error: unknown) => void) {
    this.#url = url
    this.#listeners = listeners
    this.#log = log
  }

  async start(): Promise<void> {
    if (this.#client || this.#stopped) return
    const client = new pg.Client({ connectionString: this.#url, keepAlive: true })
    this.#client = client
    client.on('notification', ({ payload }) =>
      this.#listeners.notify([changeOf(JSON.parse(payload ?? '{}'))]),
    )
    client.on('error', error => this.#log('the change feed broke', error))
    client.on('end', () => this.#reconnect(client))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
    } catch (error) {
      // A client that never connected emits no `end`.
      this.#reconnect(client)
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    const client = this.#client
    this.#client = undefined
    await client?.end()
  }

  /** Changes may have been missed while disconnected, so after reconnecting it announces `everything`. */
  #reconnect(client: pg.Client): void {
    if (this.#stopped || this.#client !== client) return
    this.#client = undefined
    this.#retry = setTimeout(() => {
      this.start()
        .then(() => this.#listeners.notify([{ topic: 'everything' }]))
        .catch(error => this.#log('the change feed cannot reconnect', error))
    }, 500)
  }
}
