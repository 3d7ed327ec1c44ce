// Clients that ask again and again, and count the requests that failed. As browsers do, they repeat a request only if the server
// closed a kept connection before it answered, or refused a stream: on a machine that stands still for longer than svcd
// keeps such connections, that may happen.
import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Visited {
  host: string
  port: number
  path?: string
  /** Set for HTTPS. */
  ca?: string | Buffer
}

/** One request. Resolves with the status and the text of the answer, or rejects. */
type Ask = () => Promise<string>

const pauseMs = 15

export class Load {
  answered = 0
  readonly failed: string[] = []
  #isStopped = false
  readonly #clients: Promise<void>[]

  constructor(clients: Ask[], expected: string) {
    this.#clients = clients.map(ask => this.#run(ask, expected))
  }

  async #run(ask: Ask, expected: string): Promise<void> {
    while (!this.#isStopped) {
      try {
        const got = await ask()
        if (got === expected) this.answered++
        else this.failed.push(got.slice(0, 200))
      } catch (error) {
        this.failed.push(String(error))
      }
      await sleep(pauseMs)
    }
  }

  /** Resolves when so many more requests were answered. */
  async more(count: number): Promise<void> {
    for (const wanted = this.answered + count; this.answered < wanted && this.failed.length === 0; )
      await sleep(pauseMs)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#clients)
  }
}

/** HTTP/1.1, on a connection that is kept as long as the server allows it, or on a new one for each request. */
export function http1({ host, port, path = '/', ca }: Visited, keepAlive: boolean): Ask {
  const make = ca ? SecureAgent : Agent
  const agent = new make({ keepAlive, maxSockets: 1 })
  const send = ca ? secureRequest : request
  const address = { host: '127.0.0.1', port, path, agent, servername: host, ca, headers: { host } }
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const req = send(address, res => {
        let text = `${res.statusCode} `
        res.setEncoding('utf8').on('data', part => (text += part))
        res.on('error', reject).on('end', () => resolve(text))
      })
      req.on('error', error => (req.reusedSocket ? ask().then(resolve, reject) : reject(error))).end()
    })
  return ask
}

/** HTTP/2, on one session until the server announces its end. */
export function http2({ host, port, path = '/', ca }: Visited): Ask {
  let session: ClientHttp2Session | undefined
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      if (!session || session.closed || session.destroyed) {
        session = connect(`https://${host}:${port}`, { ca, servername: host, host: '127.0.0.1' } as object)
        session.on('error', () => undefined)
      }
      const stream = session.request({ ':path': path, ':authority': host })
      let [status, text] = ['', '']
      // On a busy machine, node:http2 may pass on the body before it.
      stream.on('response', headers => (status = `${headers[':status']} `))
      stream.setEncoding('utf8').on('data', part => (text += part))
      const isRefused = () => stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
      stream.on('error', error => (isRefused() ? ask().then(resolve, reject) : reject(error)))
      stream.on('close', () => isRefused() || reject(new Error('The stream was closed.')))
      stream.on('end', () => resolve(status ? status + text : `no answer, code ${stream.rstCode}`)).end()
    })
  return ask
}
