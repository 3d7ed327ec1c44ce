// Runs the command of an instance while its caller attends it: a small program in the instance (packages/server/attended.cjs) starts it and
// is reached as the app would be, so that this works the same wherever apps run.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { ByteReader } from '../../lib/byte-reader.ts'
import { drained } from '../../lib/drained.ts'
import { programFile } from '../../program-files.ts'
import type { AppExit, AppRuntime, AppSpec, Attended } from './port.ts'

const kind = { begin: 0, input: 1, endOfInput: 2, size: 3, stdout: 4, stderr: 5, exit: 6 } as const
const headBytes = 5
/** More than the program reads at once. The command may speak in its place, and is not trusted. */
const longestFrame = 1024 * 1024

/** Rejects with the reason of the signal if that aborts. The command has ended then. */
export async function runAttended(
  runtime: AppRuntime,
  spec: AppSpec,
  attended: Attended,
  signal: AbortSignal,
): Promise<AppExit> {
  const program = await readFile(programFile('../attended.cjs'), 'utf8')
  const key = randomBytes(32).toString('base64url')
  const env = { ...spec.env, SVC_ATTENDED_KEY: key }
  const app = await runtime.start({ ...spec, command: ['node', '-e', program], env }, signal)
  // The last one tells of a problem.
  const stop = () => void app.stop(0).catch(() => undefined)
  signal.addEventListener('abort', stop)
  try {
    if (signal.aborted) stop()
    const socket = await runtime.connect(app.address)
    const exit = await converse(socket, { ...attended, key, command: spec.command }, signal)
    stop()
    const ended = await app.ended
    signal.throwIfAborted()
    return exit ? { ...exit, outOfMemory: ended.outOfMemory } : ended
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    await app.stop(0)
  }
}

type Conversation = Attended & Pick<AppSpec, 'command'> & { key: string }

/** Resolves with how the command ended, if it told. */
async function converse(
  socket: Socket,
  { key, command, terminal, input, output }: Conversation,
  signal: AbortSignal,
): Promise<Omit<AppExit, 'outOfMemory'> | undefined> {
  // What breaks the connection ends the instance, whose end tells more.
  socket.on('error', () => undefined)
  try {
    await write(socket, kind.begin, JSON.stringify({ key, command, terminal }))
    void giveInput(socket, input)
    return await unlessAborted(signal, readOutput(socket, output, signal))
  } finally {
    socket.destroy()
  }
}

/** Rejects with the reason of the signal, also while nobody reads what the command writes. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Waits for a command that reads slowly. Never rejects, since nobody may be waiting for it. */
async function giveInput(socket: Socket, input: Attended['input']): Promise<void> {
  const all = input[Symbol.asyncIterator]()
  const closed = new Promise<{ done: true; value: undefined }>(resolve => {
    socket.once('close', () => resolve({ done: true, value: undefined }))
  })
  for (;;) {
    const { done, value } = await Promise.race([all.next(), closed])
    if (done) return
    if (value === 'end') await write(socket, kind.endOfInput, '')
    else if (Buffer.isBuffer(value)) await write(socket, kind.input, value)
    else await write(socket, kind.size, JSON.stringify(value))
  }
}

async function write(socket: Socket, type: number, content: string | Buffer): Promise<void> {
  if (!socket.writable) return
  const bytes = Buffer.from(content)
  const head = Buffer.alloc(headBytes)
  head[0] = type
  head.writeUInt32BE(bytes.length, 1)
  if (!socket.write(Buffer.concat([head, bytes]))) await drained(socket)
}

/** `undefined` if the connection ends before the command has told how it ended. */
async function readOutput(
  socket: Socket,
  output: Attended['output'],
  signal: AbortSignal,
): Promise<Omit<AppExit, 'outOfMemory'> | undefined> {
  const reader = new ByteReader(socket)
  try {
    for (;;) {
      const head = await reader.read(headBytes)
      const length = head?.readUInt32BE(1) ?? 0
      if (!head || length > longestFrame) return undefined
      const content = await reader.read(length)
      // Nothing may come after the reason.
      if (!content || signal.aborted) return undefined
      if (head[0] === kind.exit) return exitIn(content)
      await output(head[0] === kind.stderr ? 'stderr' : 'stdout', content)
    }
  } catch {
    return undefined
  }
}

function exitIn(content: Buffer): Omit<AppExit, 'outOfMemory'> {
  const { code, signal } = JSON.parse(content.toString())
  return {
    code: Number.isInteger(code) ? code & 255 : null,
    signal: typeof signal === 'string' ? (signal as NodeJS.Signals) : null,
  }
}
