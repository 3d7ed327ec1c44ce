// A whole platform in the process of the test, with its own port and data directory. Tests call it over HTTP.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient } from '@svc/contract/client'
import { type DestinationStream, pino } from 'pino'
import { afterAll, beforeAll, describe } from 'vitest'
import { type RunningPlatform, startPlatform } from '../compose.ts'
import { readSettings } from '../config.ts'
import { createAccount } from '../core/identity/accounts.ts'
import { makeToken } from '../core/identity/tokens.ts'
import type { AlarmClock } from '../lib/clock.ts'
import type { Engine } from '../store/store.ts'
import { databases } from './databases.ts'
import { hashPasswordsCheaply } from './passwords.ts'
import { migratedPostgres } from './postgres.ts'
import { commitWithoutDisk, migratedSqlite } from './sqlite.ts'

hashPasswordsCheaply()
commitWithoutDisk()

/** A clock that shows the real time until a test moves it. */
export class TestClock implements AlarmClock {
  readonly #alarms = new Set<{ at: number; ring: () => void }>()
  #ahead = 0

  now = (): number => Date.now() + this.#ahead

  timeout = (ms: number): AbortSignal => {
    const ringing = new AbortController()
    const alarm = { at: this.now() + ms, ring: () => this.#alarms.delete(alarm) && ringing.abort() }
    this.#alarms.add(alarm)
    setTimeout(alarm.ring, ms).unref()
    return ringing.signal
  }

  advance(ms: number): void {
    this.#ahead += ms
    for (const alarm of this.#alarms) if (alarm.at <= this.now()) alarm.ring()
  }
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
}

export interface RequestOptions {
  method?: string
  /** The Host header. Default: the host of the API. */
  host?: string
  headers?: Record<string, string>
  token?: string | undefined
  body?: unknown
}

export class TestServer {
  readonly running: RunningPlatform
  readonly clock: TestClock
  readonly dataDir: string
  /** The settings of the server, for commands that run at the same time. */
  readonly environment: Record<string, string>
  readonly remove: () => Promise<void>

  private constructor(parts: Pick<TestServer, 'running' | 'clock' | 'dataDir' | 'environment' | 'remove'>) {
    this.running = parts.running
    this.clock = parts.clock
    this.dataDir = parts.dataDir
    this.environment = parts.environment
    this.remove = parts.remove
  }

  static async start(
    engine: Engine = 'sqlite',
    extra: Record<string, string> = {},
    logTo: DestinationStream = pino.destination(2),
  ): Promise<TestServer> {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-server-'))
    const database = engine === 'postgres' ? await migratedPostgres() : undefined
    if (engine === 'sqlite') await migratedSqlite(path.join(dataDir, 'svc.db'))
    const clock = new TestClock()
    const environment = {
      SVCD_PORT: '0',
      SVCD_DATA_DIR: dataDir,
      SVCD_LOG_LEVEL: 'error',
      // `SVCD_FAST_LANES=0 npm test` runs everything without the fast lanes.
      SVCD_FAST_LANES: process.env.SVCD_FAST_LANES ?? '1',
      // Apps run as processes, even if this machine has a container engine.
      SVCD_RUNNER: 'process',
      SVCD_UNSANDBOXED_APPS: '1',
      ...(database ? { SVCD_DATABASE_URL: database.url } : {}),
      ...extra,
    }
    const settings = readSettings(environment)
    const log = pino({ level: settings.logLevel }, logTo)
    const running = await startPlatform(settings, { log, clock })
    const remove = async () => {
      await running.stop()
      await database?.drop()
      await rm(dataDir, { recursive: true, force: true })
    }
    return new TestServer({ running, clock, dataDir, environment, remove })
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.running.port}`
  }

  client(token?: string): Client {
    return createClient({ baseUrl: this.apiUrl, token })
  }

  /** Creates an account with a `cli` token. */
  async account(
    login = `user-${randomBytes(6).toString('hex')}`,
  ): Promise<{ id: string; login: string; token: string }> {
    const { platform } = this.running
    const account = await createAccount(platform, { login, password: undefined })
    const token = { kind: 'cli', label: 'test', accountId: account.id } as const
    const made = await makeToken(platform.store.db, this.clock.now(), token)
    return { id: account.id, login, token: made.token }
  }

  /** Sends an HTTP request with any Host header and body. */
  request(target: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    const { body } = options
    const raw = body === undefined || Buffer.isBuffer(body) || typeof body === 'string'
    const payload = raw ? body : JSON.stringify(body)
    const headers: Record<string, string> = { host: options.host ?? '127.0.0.1' }
    if (!raw) headers['content-type'] = 'application/json'
    if (options.token) headers.authorization = `Bearer ${options.token}`
    if (payload !== undefined) headers['content-length'] = String(Buffer.byteLength(payload as string))
    Object.assign(headers, options.headers)
    return new Promise((resolve, reject) => {
      const req = request(
        {
          host: '127.0.0.1',
          port: this.running.port,
          path: target,
          method: options.method ?? 'GET',
          headers,
          agent: false,
        },
        res => {
          const chunks: Buffer[] = []
          res.on('data', (chunk: Buffer) => chunks.push(chunk))
          res.on('error', reject)
          res.on('end', () => {
            const bytes = Buffer.concat(chunks)
            const text = bytes.toString()
            const isJson = (res.headers['content-type'] ?? '').startsWith('application/json')
            resolve({
              status: res.statusCode ?? 0,
              headers: res.headers,
              body: bytes,
              text,
              json: isJson && text !== '' ? JSON.parse(text) : undefined,
            })
          })
        },
      )
      req.on('error', reject)
      req.end(payload)
    })
  }

  /** Sends a request to a site. `host` is the part before `.localhost`. */
  site(host: string, target = '/', options: RequestOptions = {}): Promise<HttpAnswer> {
    return this.request(target, { ...options, host: `${host}.localhost` })
  }

  /** Uploads an archive as the CLI does. */
  upload(token: string, project: string, archive: Buffer, query = ''): Promise<HttpAnswer> {
    return this.request(`/projects/${project}/deployments${query}`, {
      method: 'POST',
      token,
      body: archive,
      headers: { 'content-type': 'application/gzip' },
    })
  }
}

/** Runs the same tests against a server on SQLite and one on PostgreSQL. */
export function onEveryServer(
  tests: (server: () => TestServer) => void,
  environment: Record<string, string> = {},
): void {
  describe.each(databases())('on %s', engine => {
    let server: TestServer
    beforeAll(async () => {
      server = await TestServer.start(engine, environment)
    })
    afterAll(() => server?.remove())
    tests(() => server)
  })
}
