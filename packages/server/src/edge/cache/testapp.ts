// For tests of the cache: an app behind the edge whose answers a test writes, and whose requests it sees.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'

export type Fields = [name: string, value: string][]
type Handler = (req: IncomingMessage, res: ServerResponse, count: number) => void

class CachedApp {
  /** The requests that reached the app. */
  asked: IncomingMessage[] = []
  handle: Handler = (_req, res) => void res.end()
  #bed!: TestApp
  #paths = 0

  static async start(): Promise<CachedApp> {
    const app = new CachedApp()
    app.#bed = await startTestApp((req, res) => app.handle(req, res, app.asked.push(req)))
    return app
  }

  stop(): Promise<void> {
    return this.#bed.stop()
  }

  /** From here on `get` asks for a path that is not in the cache. */
  next(): void {
    this.asked = []
    this.#paths++
  }

  get path(): string {
    return `/${this.#paths}`
  }

  get time(): TestApp['time'] {
    return this.#bed.time
  }

  /** Relative to the clock of the edge, in seconds. */
  date(seconds: number): string {
    return new Date(this.time.now + seconds * 1000).toUTCString()
  }

  /** The app answers with these fields, and nothing else but the count of its requests. */
  answering(fields: Fields, status = 200): void {
    this.handle = (_req, res, count) => {
      res.sendDate = false
      res.writeHead(status, fields.flat()).end(`answer ${count}`)
    }
  }

  async get(headers: Record<string, string> = {}) {
    const { status, headers: got, text } = await this.#bed.ask('shop', this.path, { headers })
    return { status, text, headers: got, state: got['x-svc-cache'] }
  }
}

/** One app for the tests of a file. Each test begins with a path that is not in the cache. */
export function useCachedApp() {
  let app: CachedApp
  beforeAll(async () => {
    app = await CachedApp.start()
  })
  beforeEach(() => app.next())
  afterAll(() => app.stop())
  return {
    app: () => app,
    date: (seconds: number) => app.date(seconds),
    answering: (fields: Fields, status?: number) => app.answering(fields, status),
    get: (headers?: Record<string, string>) => app.get(headers),
  }
}
