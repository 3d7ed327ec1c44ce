// A DNS server on this machine for tests, with the records that a test sets.
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const
type Type = keyof typeof types
type Records = Partial<Record<Type, string[]>>

export class DnsServer {
  /** The value for SVCD_DNS_SERVERS. */
  readonly address: string
  /** The queries so far, such as `TXT _svc-challenge.example.com`. */
  readonly asked: string[] = []
  /** If true, the server answers no query. */
  isSilent = false
  readonly #socket: Socket
  readonly #zone = new Map<string, Records>()

  private constructor(socket: Socket) {
    this.#socket = socket
    this.address = `127.0.0.1:${socket.address().port}`
    socket.on('message', (question, from) => {
      const answer = this.#answer(question)
      if (!this.isSilent) socket.send(answer, from.port, from.address)
    })
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new DnsServer(socket)
  }

  /** Replaces all records of a name. */
  set(name: string, records: Records): void {
    this.#zone.set(name, records)
  }

  /** Adds a value to the TXT records of a name. */
  addTxt(name: string, value: string): void {
    const records = this.#zone.get(name) ?? {}
    this.#zone.set(name, { ...records, TXT: [...(records.TXT ?? []), value] })
  }

  stop(): void {
    this.#socket.close()
  }

  #answer(question: Buffer): Buffer {
    const { name, type, end } = readQuestion(question)
    const wanted = (Object.keys(types) as Type[]).find(key => types[key] === type)
    this.asked.push(`${wanted ?? type} ${name}`)
    const found = wanted ? this.#find(name, wanted) : []
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    // An answer with authority; NXDOMAIN for names without any record.
    header.writeUInt16BE(this.#zone.has(name) ? 0x8580 : 0x8583, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(found.length, 6)
    return Buffer.concat([header, question.subarray(12, end), ...found])
  }

  /** Finds the records of a name. CNAME records come first, as real servers answer, then the records of their target. */
  #find(name: string, type: Type): Buffer[] {
    const records = this.#zone.get(name) ?? {}
    const [alias] = records.CNAME ?? []
    if (alias === undefined || type === 'CNAME')
      return (records[type] ?? []).map(value => record(name, type, value))
    return [record(name, 'CNAME', alias), ...this.#find(alias, type)]
  }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const encodeName = (name: string): Buffer => Buffer.concat([...name.split('.').map(text), Buffer.from([0])])

/** A text with its length before it, as DNS messages hold it. */
const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')])

const encode: Record<Type, (value: string) => Buffer> = {
  A: value => Buffer.from(value.split('.').map(Number)),
  AAAA: encodeIpv6,
  CNAME: encodeName,
  TXT: value => Buffer.concat((value.match(/.{1,255}/gs) ?? ['']).map(text)),
}

function encodeIpv6(address: string): Buffer {
  if (isIPv4(address)) throw new Error(`${address} is no IPv6 address`)
  const [head = '', tail = ''] = address.split('::')
  const [first, last] = [head, tail].map(part => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(
    groups.flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  )
}

function record(name: string, type: Type, value: string): Buffer {
  const data = encode[type](value)
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(types[type], 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}
