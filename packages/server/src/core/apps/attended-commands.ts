// Runs a command while its caller attends it: the caller types what it reads, on a terminal if they have one. Both sides send lines of
// JSON, and wait for each other.
import type { Readable } from 'node:stream'
import { limits, shapes, type TerminalSize } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { drained } from '../../lib/drained.ts'
import { Fault } from '../../lib/fault.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { ByteTunnel } from '../base/byte-tunnel.ts'
import type { Caller } from '../base/caller.ts'
import {
  type CommandParts,
  checkedCommand,
  isRefusal,
  placeOfCommand,
  record,
  signOfLifeMs,
} from './commands.ts'

const beginWithinMs = 10_000

type Schema<T> = { safeParse(value: unknown): { success: true; data: T } | { success: false } }

export async function attendCommand(
  platform: CommandParts,
  caller: Caller,
  project: ProjectWithOrg,
  { confirmRights }: { confirmRights: () => Promise<void> },
): Promise<(tunnel: ByteTunnel) => Promise<void>> {
  await placeOfCommand(platform, project)
  return async tunnel => {
    const client = new Client(tunnel)
    try {
      await attend(platform, caller, project, client, confirmRights)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      client.writeLast({ error: { code: error.code, message: error.message } })
    }
  }
}

async function attend(
  platform: CommandParts,
  caller: Caller,
  project: ProjectWithOrg,
  client: Client,
  confirmRights: () => Promise<void>,
): Promise<void> {
  const { clock } = platform
  const begun = client.begin()
  let isBegun = false
  clock
    .timeout(beginWithinMs)
    .addEventListener('abort', () => isBegun || client.tunnel.end('No command came.'))
  const { command, terminal } = await begun
  isBegun = true
  // Since the request was answered, another deployment may have become the live one.
  const { app, here } = await placeOfCommand(platform, project)
  const gone = new AbortController()
  client.tunnel.gone.then(() => gone.abort('The connection was closed.'))
  const run = await here.prepare({
    ...{ ...app, command: checkedCommand(command) },
    attended: { terminal, input: client.input(gone) },
    output: (stream, chunk) => client.write({ [stream]: chunk.toString('base64') }),
  })
  await record(platform, caller, project).catch(async error => {
    gone.abort('It was refused.')
    await run(gone.signal)
    throw error
  })
  const isOver = new AbortController()
  const look = async () => {
    const silent = client.silentSince(clock.now())
    if (terminal && silent > limits.terminalIdleMinutes * minuteMs)
      return gone.abort(`Nothing was sent for ${limits.terminalIdleMinutes} minutes.`)
    await confirmRights().catch(error => isRefusal(error) && gone.abort(error.message))
  }
  beat(clock, isOver.signal, async () => {
    client.tunnel.ping()
    await look()
  })
  try {
    const { exitCode, reason } = await run(gone.signal)
    client.writeLast({ exit_code: exitCode, reason })
  } finally {
    isOver.abort()
  }
}

/** Until it is over. */
function beat(clock: CommandParts['clock'], isOver: AbortSignal, look: () => Promise<void>): void {
  clock.timeout(signOfLifeMs).addEventListener('abort', async () => {
    if (isOver.aborted) return
    await look()
    beat(clock, isOver, look)
  })
}

/** The lines in both directions. */
class Client {
  readonly tunnel: ByteTunnel
  readonly #lines: AsyncGenerator<string>
  #bytes = 0
  /** The number of bytes when that was last looked at, and since when it is the same. */
  #seen = { bytes: -1, at: 0 }

  constructor(tunnel: ByteTunnel) {
    this.tunnel = tunnel
    this.#lines = linesOf(tunnel.bytes)
  }

  async begin() {
    const { value, done } = await this.#lines.next()
    if (done) throw new Fault('invalid_request', 'The first line must be the command.')
    return parsed(shapes.attendedCommand, value)
  }

  async *input(gone: AbortController): AsyncGenerator<Buffer | TerminalSize | 'end'> {
    try {
      for await (const line of this.#lines) {
        const given = parsed(shapes.attendedInput, line)
        this.#bytes += line.length
        if ('end' in given) yield 'end'
        else yield 'size' in given ? given.size : Buffer.from(given.stdin, 'base64')
      }
    } catch (error) {
      gone.abort(error instanceof Fault ? error.message : 'The connection was closed.')
    }
  }

  /** Waits for a slow reader. */
  async write(line: object): Promise<void> {
    const { bytes } = this.tunnel
    const text = `${JSON.stringify(line)}\n`
    this.#bytes += text.length
    if (bytes.writable && !bytes.write(text)) await drained(bytes)
  }

  /** Does not wait: a slow reader has some time before the connection is closed. */
  writeLast(line: object): void {
    void this.write(line)
  }

  /** For how long nothing was sent in either direction. */
  silentSince(now: number): number {
    if (this.#seen.bytes !== this.#bytes) this.#seen = { bytes: this.#bytes, at: now }
    return now - this.#seen.at
  }
}

async function* linesOf(bytes: Readable): AsyncGenerator<string> {
  let held = ''
  // Who sends what cannot be read is still told why the command ends.
  for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
    const lines = (held + chunk.toString('latin1')).split('\n')
    held = lines.pop() ?? ''
    if (Math.max(held.length, ...lines.map(line => line.length)) > limits.attendedLineBytes)
      throw new Fault('invalid_request', `A line may have at most ${limits.attendedLineBytes} bytes.`)
    yield* lines.map(line => Buffer.from(line, 'latin1').toString())
  }
}

function parsed<T>(schema: Schema<T>, line: string): T {
  try {
    const result = schema.safeParse(JSON.parse(line))
    if (result.success) return result.data
  } catch {
    // It is no JSON.
  }
  throw new Fault('invalid_request', 'A line is not one that this endpoint knows.')
}
