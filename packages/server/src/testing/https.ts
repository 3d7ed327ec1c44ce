// Clients of the HTTPS listener. Each sends one request by HTTP/2 or HTTP/1.1 to a host that the test names.
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { request } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

interface SecureAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface SecureRequest {
  port: number
  ca: string
  host: string
  path?: string
  method?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

type Ask = (request: SecureRequest) => Promise<SecureAnswer>

export const protocols: Record<'h2' | 'http/1.1', Ask> = {
  'http/1.1': ({ port, ca, host, path = '/', method = 'GET', headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = {
        host: '127.0.0.1',
        port,
        ca,
        path,
        method,
        servername: host,
        headers: { host, ...length, ...headers },
        agent: false,
      } as const
      const req = request(options, res => {
        const chunks: Buffer[] = []
        res.on('data', chunk => chunks.push(chunk)).on('error', reject)
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text })
        })
      })
      req.on('error', reject)
      req.end(body)
    }),
  h2: ({ port, ca, host, path = '/', method = 'GET', headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const session = connectHttp2(`https://${host}`, {
        createConnection: () =>
          connect({ host: '127.0.0.1', port, ca, servername: host, ALPNProtocols: ['h2'] }),
      })
      session.on('error', reject)
      const stream = session.request({ ...headers, ':method': method, ':path': path })
      let got: IncomingHttpHeaders & { ':status'?: number } = {}
      const chunks: Buffer[] = []
      stream.on('response', answer => {
        got = answer
      })
      stream.on('data', chunk => chunks.push(chunk)).on('error', reject)
      stream.on('end', () => {
        session.close()
        resolve({ status: got[':status'] ?? 0, headers: got, text: Buffer.concat(chunks).toString() })
      })
      stream.end(body)
    }),
}

/** Opens a TLS connection. Resolves after the handshake. */
export function secureSocket(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', ...options }, () => resolve(socket))
    socket.once('error', reject)
  })
}
