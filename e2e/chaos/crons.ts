// A scheduled job that is due again and again: it runs once each time, whichever nodes are there.
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { must } from './values.ts'
import { type Actor, call, type World } from './world.ts'

export class Crons implements Actor {
  readonly #world: World
  readonly #id: string
  #due = 0

  private constructor(world: World, id: string) {
    this.#world = world
    this.#id = id
  }

  static async begin(world: World): Promise<Crons> {
    const body = { schedule: '0 0 1 1 *', path: '/' }
    const { text } = await must(call(world, 'POST', '/projects/site/crons', { body }))
    return new Crons(world, JSON.parse(text).id)
  }

  async step(): Promise<void> {
    // Only between faults: this is the test's own connection to the database.
    if (!this.#world.isCalm) return
    await this.#rows(async db => {
      const minute = Math.floor(Date.now() / 60_000) * 60_000
      await db.updateTable('crons').set({ next_run_at: minute }).where('id', '=', this.#id).execute()
    })
    this.#due++
  }

  async settle(): Promise<void> {
    const runs = await this.#rows(db =>
      db.selectFrom('cron_runs').select(['id', 'status']).where('cron_id', '=', this.#id).execute(),
    )
    if (runs.length > this.#due)
      this.#world.ledger.violated(`a job ran ${runs.length} times, due ${this.#due} times`)
  }

  async #rows<T>(work: (db: Awaited<ReturnType<typeof openPostgres>>['db']) => Promise<T>): Promise<T> {
    const store = await openPostgres(this.#world.cluster.database.url, () => undefined)
    try {
      return await work(store.db)
    } finally {
      await store.close()
    }
  }
}
