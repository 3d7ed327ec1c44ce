// Listens on this machine for clients of PostgreSQL, and connects each of them to the project's database through the API. Other users
// of the machine reach the port, too, so clients are asked for a password that only this command and its user know.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { clean, notice } from '../../output.ts'
import { openTunnel, type TunnelPlace } from './tunnel.ts'

export interface LocalServer {
  host: string
  port: number
  password: string
  close(): void
}

const host = '127.0.0.1'
const [cancelCode, tlsCode, gssCode] = [80_877_102, 80_877_103, 80_877_104]
/** What PostgreSQL itself allows. */
const longestMessage = 10_000
const helloWithinMs = 30_000

export async function listenForClients(place: TunnelPlace): Promise<LocalServer> {
  const password = randomBytes(18).toString('base64url')
  const server = createServer(socket => {
    // `close` follows, and pipelines see it.
    socket.on('error', () => undefined).setNoDelay(true)
    serve(socket, password, place).catch((error: Error) => socket.end(refusal('08001', error.message)))
  })
  server.listen(0, host)
  await once(server, 'listening')
  return { host, port: (server.address() as AddressInfo).port, password, close: () => server.close() }
}

async function serve(client: Socket, password: string, place: TunnelPlace): Promise<void> {
  client.setTimeout(helloWithinMs, () => client.destroy())
  const hello = await helloOf(client)
  if (!hello) return void client.destroy()
  if (hello.readInt32BE(4) !== cancelCode) {
    client.write(askForPassword)
    const given = await messageOf(client, 1)
    if (!given) return void client.destroy()
    if (!isPassword(given, password))
      return void client.end(refusal('28P01', 'The password is wrong. svc makes a new one each time.'))
  }
  client.setTimeout(0)
  const tunnel = await openTunnel(place, reason =>
    notice(`The platform closed the connection: ${clean(reason)}`),
  )
  tunnel.write(hello)
  pipeline(client, tunnel, () => undefined)
  pipeline(tunnel, client, () => undefined)
}

/** The message with which a client begins, or asks to cancel. It is told that there is no encryption inside. */
async function helloOf(client: Socket): Promise<Buffer | undefined> {
  for (;;) {
    const message = await messageOf(client, 0)
    if (!message || message.length < 8) return undefined
    if (![tlsCode, gssCode].includes(message.readInt32BE(4))) return message
    client.write('N')
  }
}

/** A whole message: so many bytes of its type, its length, and the rest. `undefined` if there is none. */
async function messageOf(client: Socket, typeBytes: number): Promise<Buffer | undefined> {
  const head = await take(client, typeBytes + 4)
  const rest = (head?.readInt32BE(typeBytes) ?? 0) - 4
  if (!head || rest < 0 || rest > longestMessage) return undefined
  const body = rest === 0 ? Buffer.alloc(0) : await take(client, rest)
  return body && Buffer.concat([head, body])
}

async function take(client: Socket, count: number): Promise<Buffer | undefined> {
  for (;;) {
    const bytes = client.read(count) as Buffer | null
    if (bytes?.length === count) return bytes
    if (bytes || client.readableEnded || client.destroyed) return undefined
    await new Promise<void>(resolve => {
      const events = ['readable', 'end', 'close']
      const look = () => {
        for (const event of events) client.off(event, look)
        resolve()
      }
      for (const event of events) client.on(event, look)
    })
  }
}

function isPassword(message: Buffer, password: string): boolean {
  const [given, expected] = [message.subarray(5), Buffer.from(`${password}\0`)]
  return message[0] === 0x70 && given.length === expected.length && timingSafeEqual(given, expected)
}

/** AuthenticationCleartextPassword: it does not leave the machine. */
const askForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])

function refusal(code: string, words: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${clean(words)}\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
