// Several svcd with data directories of their own, on one database and one storage. Each reaches the database through a proxy of its
// own, so that one of them alone can lose it.
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { TcpProxy } from '@svc/server/dist/testing/tcp-proxy.js'
import { Machine, type Svcd } from '../svcd.ts'
import { Database } from './database.ts'

/** Status 0: there was no answer, so nobody knows what became of the request. */
export interface Answer {
  status: number
  text: string
}

export interface Asked {
  method?: string
  token?: string
  headers?: Record<string, string>
  body?: unknown
}

interface Node {
  machine: Machine
  proxy: TcpProxy
  roles: string
  /** `undefined` while it is down. */
  svcd: Svcd | undefined
  port: number
}

const answerMs = 20_000
const readyMs = 120_000

export class Cluster {
  readonly database: Database
  readonly s3: S3Server
  readonly nodes: Node[] = []

  private constructor(database: Database, s3: S3Server) {
    this.database = database
    this.s3 = s3
  }

  static async start(roles: readonly string[]): Promise<Cluster> {
    const cluster = new Cluster(await Database.start(), await S3Server.start())
    const shared = {
      SVCD_STORAGE_URL: cluster.s3.storageUrl,
      SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
      SVCD_DATABASE_CONNECT_SECONDS: '2',
      SVCD_LOG_LEVEL: 'error',
    }
    for (const each of roles) {
      const { proxy, url } = await TcpProxy.before(cluster.database.url)
      const machine = await Machine.make({ ...shared, SVCD_DATABASE_URL: url })
      cluster.nodes.push({ machine, proxy, roles: each, svcd: undefined, port: 0 })
    }
    for (const index of cluster.nodes.keys()) await cluster.startNode(index)
    return cluster
  }

  async startNode(index: number): Promise<void> {
    const node = this.nodes[index]!
    node.svcd = await node.machine.start('--listen', '--role', node.roles)
    node.port = Number(/:(\d+)/.exec(node.svcd.stdout.find(line => line.includes('svcd ready')) ?? '')?.[1])
  }

  async killNode(index: number): Promise<void> {
    const node = this.nodes[index]!
    const { svcd } = node
    node.svcd = undefined
    await svcd?.stop('SIGKILL')
  }

  ask(index: number, host: string, path: string, asked: Asked = {}): Promise<Answer> {
    const { method = 'GET', token, headers = {}, body } = asked
    const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body)
    const sent = isJson ? JSON.stringify(body) : body
    return new Promise(resolve => {
      const fail = (error: Error) => resolve({ status: 0, text: error.message })
      const req = request({
        ...{ host: '127.0.0.1', port: this.nodes[index]!.port, method, path, agent: false },
        headers: {
          host,
          ...(token && { authorization: `Bearer ${token}` }),
          ...(isJson && { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: AbortSignal.timeout(answerMs),
      })
      req.on('error', fail).on('response', res => {
        let text = ''
        res.setEncoding('utf8').on('data', part => (text += part))
        res.on('error', fail).on('end', () => resolve({ status: res.statusCode ?? 0, text }))
      })
      req.end(sent)
    })
  }

  api(index: number, path: string, asked?: Asked): Promise<Answer> {
    return this.ask(index, 'api.localhost', path, asked)
  }

  /** Resolves when every node says that it is ready. Throws if one does not say so for long. */
  async ready(): Promise<void> {
    const isReady = async (index: number) => (await this.api(index, '/health/ready')).status === 200
    for (const index of this.nodes.keys())
      for (const until = Date.now() + readyMs; !(await isReady(index)); await sleep(100))
        if (Date.now() > until) throw new Error(`Node ${index} is not ready: ${this.#lastWords(index)}`)
  }

  #lastWords(index: number): string {
    return this.nodes[index]!.svcd?.stderr.slice(-5).join('\n') ?? 'it is down'
  }

  async stop(): Promise<void> {
    for (const { svcd, machine, proxy } of this.nodes) {
      await svcd?.stop('SIGKILL')
      await proxy.close()
      await machine.remove()
    }
    await this.database.stop()
    await this.s3.stop()
  }
}
