// `svc run`: runs a command on the platform, in a new instance of the live app, as if it ran here: it reads what is typed or piped in, has
// a terminal if svc has one, and svc ends as it ended.

import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { target } from '@svc/contract/client'
import { createWebSocketStream, WebSocket } from 'ws'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { clean, notice } from '../../output.ts'
import { openWebSocket } from '../../web-socket.ts'

/** A line of the platform. Lines that say something else belong to newer platforms. */
interface Line {
  stdout?: unknown
  stderr?: unknown
  exit_code?: unknown
  reason?: unknown
  error?: { code?: unknown; message?: unknown }
}

interface Connection {
  webSocket: WebSocket
  bytes: Duplex
}

/** The platform gives a sign of life every 10 seconds. */
const silentMs = 45_000

/** A shell that people know, if the image has it. */
const shell = 'exec "$(command -v bash || command -v sh)"'

export const runRemotely: Run = async ({ args, options }) => {
  const name = requireProject(options)
  const isTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY)
  if (args.length === 0 && !isTerminal)
    throw new Failure('Which command?', { hint: "Without one, 'svc run' opens a shell, on a terminal only." })
  const webSocket = await openWebSocket(target('GET /projects/:name/run', { params: { name } }).path)
  endIfSilent(webSocket)
  const bytes = createWebSocketStream(webSocket)
  bytes.on('error', () => undefined)
  const connection = { webSocket, bytes }
  send(connection, {
    command: args.length === 0 ? [shell] : args,
    ...(isTerminal && { terminal: terminal() }),
  })
  try {
    giveInput(connection, isTerminal)
    process.exit(await show(bytes))
  } finally {
    if (isTerminal) process.stdin.setRawMode(false)
  }
}

/** Returns false if the reader should be waited for. Nothing is sent on a connection that is being closed. */
const send = ({ webSocket, bytes }: Connection, line: object): boolean =>
  webSocket.readyState !== WebSocket.OPEN || bytes.write(`${JSON.stringify(line)}\n`)

const size = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 })
const terminal = () => ({ ...size(), type: process.env.TERM || 'xterm' })

/** On a terminal every key goes to the command, also Ctrl-C. */
function giveInput(connection: Connection, isTerminal: boolean): void {
  const { stdin, stdout } = process
  if (isTerminal) {
    stdin.setRawMode(true)
    stdout.on('resize', () => send(connection, { size: size() }))
  }
  stdin.on('data', (chunk: Buffer) => {
    if (send(connection, { stdin: chunk.toString('base64') })) return
    stdin.pause()
    connection.bytes.once('drain', () => stdin.resume())
  })
  stdin.once('end', () => send(connection, { end: true }))
  // A program that was started without a stdin has nothing to give.
  stdin.once('error', () => send(connection, { end: true }))
}

/** Returns the exit code of the command. */
async function show(bytes: Duplex): Promise<number> {
  for await (const line of linesOf(bytes)) {
    for (const stream of ['stdout', 'stderr'] as const) {
      const data = line[stream]
      if (typeof data === 'string') await write(process[stream], Buffer.from(data, 'base64'))
    }
    if (line.error)
      throw new Failure(`${clean(String(line.error.message))} (${clean(String(line.error.code))})`)
    if (typeof line.exit_code !== 'number') continue
    if (typeof line.reason === 'string') notice(clean(line.reason))
    return line.exit_code
  }
  throw brokeOff()
}

/** The last line may be cut. */
async function* linesOf(bytes: Duplex): AsyncGenerator<Line> {
  try {
    for await (const text of createInterface({ input: bytes })) yield JSON.parse(text)
  } catch {
    throw brokeOff()
  }
}

const brokeOff = () => new Failure('The connection broke before the command ended. The platform ends it.')

/** A terminal on which every key goes to the command could not be left otherwise. */
function endIfSilent(webSocket: WebSocket): void {
  const late = setTimeout(() => webSocket.terminate(), silentMs)
  late.unref()
  for (const sign of ['ping', 'message'] as const) webSocket.on(sign, () => late.refresh())
}

/** Waits for a slow reader, so that the memory does not fill with what it has not read. */
const write = (stream: NodeJS.WriteStream, data: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(data, error => (error ? reject(error) : resolve()))
  })
