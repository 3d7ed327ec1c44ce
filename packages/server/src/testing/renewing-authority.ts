// An authority with renewal information (RFC 9773), which Pebble 2.4 does not have: it passes everything on to Pebble, and is as
// strict as section 5 of the RFC about the certificate that an order says it replaces.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { certificateId } from '../ports/acme/certificate-id.ts'
import { Authority } from './authority.ts'
import type { Pebble } from './pebble.ts'

interface Issued {
  account: string
  names: string[]
  isReplaced: boolean
}

interface Order {
  names: string[]
  /** The name of the certificate that the order replaces, if it says one. */
  replaces: string | undefined
  /** Why the authority refused it. */
  refused: string | undefined
}

export class RenewingAuthority {
  readonly orders: Order[] = []
  /** The certificates that were fetched, by their names for renewal information. */
  readonly issued = new Map<string, Issued>()
  readonly #authority: Authority
  readonly #server: Server
  readonly #agent: Agent
  readonly #pebble: string

  private constructor(authority: Authority, server: Server, pebble: Pebble, ca: string) {
    this.#authority = authority
    this.#server = server
    this.#agent = new Agent({ ca, keepAlive: true })
    this.#pebble = new URL(pebble.directory).port
    server.on('request', (req, res) => void this.#answer(req, res).catch(error => res.destroy(error)))
  }

  static async start(pebble: Pebble): Promise<RenewingAuthority> {
    const authority = await Authority.make()
    const { cert, key } = await authority.certificate('localhost')
    const server = createServer({ cert, key }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RenewingAuthority(authority, server, pebble, await readFile(pebble.caFile, 'utf8'))
  }

  /** The settings of a server that gets its certificates here, in addition to those of Pebble. */
  environment(): Record<string, string> {
    return {
      SVCD_ACME_DIRECTORY: `${this.#url}/dir`,
      SVCD_ACME_CA_FILE: `${this.#authority.dir}/ca.pem`,
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#agent.destroy()
    await new Promise(resolve => this.#server.close(resolve))
    await this.#authority.remove()
  }

  get #url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { url: path = '' } = req
    // It has no wishes of its own, so the time that follows from the lifetime stays.
    if (path.startsWith('/renewal/')) return void res.writeHead(404).end('{}')
    const body = await buffer(req)
    const { account, payload } = signed(body)
    const order = isOrder(payload) ? payload : undefined
    if (order) {
      const refused = this.#refusalOf(account, order)
      if (refused) {
        this.#note(order, refused)
        const { headers } = await this.#ask('HEAD', '/nonce-plz', {})
        const problem = { type: `urn:ietf:params:acme:error:${refused}`, detail: refused }
        res.writeHead(refused === 'alreadyReplaced' ? 409 : 400, {
          'replay-nonce': headers['replay-nonce'],
          'content-type': 'application/problem+json',
        })
        return void res.end(JSON.stringify(problem))
      }
    }
    const answer = await this.#ask(req.method ?? 'GET', path, req.headers, body)
    // Pebble refuses some requests by chance, as if their nonce were old. The client sends them again.
    if (order && answer.statusCode === 201) this.#note(order)
    let content = await buffer(answer)
    if (path === '/dir')
      content = Buffer.from(
        JSON.stringify({ ...JSON.parse(content.toString()), renewalInfo: `${this.#url}/renewal` }),
      )
    if (answer.headers['content-type']?.startsWith('application/pem')) this.#keep(account, content.toString())
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers
    res.writeHead(answer.statusCode ?? 500, headers).end(content)
  }

  /** Pebble checks that a request is signed for its URL, so it gets the Host as the client wrote it. */
  async #ask(
    method: string,
    path: string,
    headers: IncomingMessage['headers'],
    body?: Buffer,
  ): Promise<IncomingMessage> {
    const at = { host: '127.0.0.1', servername: 'localhost', port: this.#pebble, agent: this.#agent }
    const asked = request({ ...at, method, path, headers })
    asked.end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    if (method === 'HEAD') answer.resume()
    return answer
  }

  #keep(account: string, chain: string): void {
    const { subjectAltName = '' } = new X509Certificate(chain)
    const names = subjectAltName.split(', ').map(name => name.slice('DNS:'.length))
    const id = certificateId(chain)
    if (id && !this.issued.has(id)) this.issued.set(id, { account, names, isReplaced: false })
  }

  /** The type of the error with which the order is refused. */
  #refusalOf(account: string, { identifiers, replaces }: NewOrder): string | undefined {
    if (replaces === undefined) return undefined
    const before = this.issued.get(replaces)
    const isOfOrder = before?.names.some(name => identifiers.some(({ value }) => value === name))
    if (before?.account !== account || !isOfOrder) return 'malformed'
    return before.isReplaced ? 'alreadyReplaced' : undefined
  }

  #note({ identifiers, replaces }: NewOrder, refused?: string): void {
    const before = replaces === undefined ? undefined : this.issued.get(replaces)
    if (before && refused === undefined) before.isReplaced = true
    this.orders.push({ names: identifiers.map(({ value }) => value), replaces, refused })
  }
}

interface NewOrder {
  identifiers: { value: string }[]
  replaces?: string
}

const isOrder = (payload: unknown): payload is NewOrder => (payload as NewOrder)?.identifiers !== undefined

/** What a signed request says, and which account says it. */
function signed(body: Buffer): { account: string; payload: unknown } {
  if (body.length === 0) return { account: '', payload: undefined }
  const parts = JSON.parse(body.toString()) as { protected: string; payload: string }
  const read = (part: string) =>
    part === '' ? undefined : JSON.parse(Buffer.from(part, 'base64url').toString())
  return { account: read(parts.protected)?.kid ?? '', payload: read(parts.payload) }
}
