// Speaks SFTP with a program that ssh connects to, over its input and output. Many requests are under way at a time.
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { startProgram } from '../../../lib/start-program.ts'
import { StorageFailure } from '../port.ts'
import { code, Fields, number, string, type } from './messages.ts'

export interface SftpSettings {
  /** What speaks SFTP on its input and output: ssh with its arguments. */
  command: readonly [string, ...string[]]
  /** The directory on the other side. Without a slash at its beginning, it is in the home of the user. */
  dir: string
  /** For messages. */
  host: string
}

/** An answer that says no. */
class SftpRefusal extends StorageFailure {
  readonly code: number
  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

interface Answer {
  type: number
  fields: Fields
}

/** Larger than every message of OpenSSH. */
const messageBytesAtMost = 1024 * 1024
const errorBytes = 2_000

export class SftpClient {
  readonly #program: ChildProcessWithoutNullStreams
  readonly #host: string
  readonly #waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  readonly #extensions = new Set<string>()
  #received: Buffer = Buffer.alloc(0)
  #said = ''
  #lastId = 0
  #failure: Error | undefined

  private constructor({ command: [file, ...args], host }: SftpSettings) {
    this.#host = host
    this.#program = startProgram(file, args, { stdio: 'pipe' })
    this.#program.stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-errorBytes)
    })
    this.#program.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#program.on('error', error => this.#end(error.message))
    this.#program.on('close', () => this.#end(this.#said.trim().split('\n').at(-1) || 'the connection ended'))
  }

  static async connect(settings: SftpSettings): Promise<SftpClient> {
    const client = new SftpClient(settings)
    // The answer to this message has the version in the place of an id.
    const answered = client.#wait(3)
    client.#send(Buffer.concat([Buffer.from([type.init]), number(3)]))
    const { fields } = await answered
    while (!fields.isAtEnd) {
      client.#extensions.add(fields.string().toString())
      fields.string()
    }
    client.#lastId = 3
    return client
  }

  knows(extension: string): boolean {
    return this.#extensions.has(extension)
  }

  /** Rejects with SftpRefusal if the answer is a status other than ok. */
  async request(kind: number, ...fields: Buffer[]): Promise<Answer> {
    if (this.#failure) throw this.#failure
    this.#lastId = (this.#lastId + 1) % 2 ** 32
    const answered = this.#wait(this.#lastId)
    const isTaken = this.#send(Buffer.concat([Buffer.from([kind]), number(this.#lastId), ...fields]))
    if (!isTaken)
      await new Promise<void>(resolve => this.#program.stdin.once('drain', resolve).once('close', resolve))
    const answer = await answered
    if (answer.type !== type.status) return answer
    const status = answer.fields.number()
    if (status === code.ok) return answer
    throw new SftpRefusal(`${this.#host} refused: ${answer.fields.string()}`, status)
  }

  /** Like `request`, but `undefined` if the answer has this code. */
  async unless(status: number, kind: number, ...fields: Buffer[]): Promise<Answer | undefined> {
    return await this.request(kind, ...fields).catch(error => {
      if (error instanceof SftpRefusal && error.code === status) return undefined
      throw error
    })
  }

  close(): void {
    this.#end('it was closed')
    this.#program.stdin.end()
    this.#program.kill()
  }

  #wait(id: number): Promise<Answer> {
    const answered = new Promise<Answer>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    // The caller may still wait for the pipe.
    answered.catch(() => undefined)
    return answered
  }

  #send(message: Buffer): boolean {
    return this.#program.stdin.write(Buffer.concat([number(message.length), message]))
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    while (this.#received.length >= 4) {
      const length = this.#received.readUInt32BE()
      const isMessage = length >= 5 && length <= messageBytesAtMost
      if (!isMessage) this.#end('it does not speak SFTP')
      if (!isMessage || this.#received.length < 4 + length) return
      this.#take(this.#received.subarray(4, 4 + length))
      this.#received = this.#received.subarray(4 + length)
    }
  }

  #take(message: Buffer): void {
    const fields = new Fields(message.subarray(1))
    const id = fields.number()
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiting?.resolve({ type: message[0]!, fields })
  }

  #end(why: string): void {
    this.#failure ??= new StorageFailure(`The connection to ${this.#host} failed: ${why}`)
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
    this.#program.kill()
  }
}

export const pathField = (dir: string, name: string): Buffer => string(`${dir}/${name}`)
