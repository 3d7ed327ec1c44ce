import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { programFile } from '../../program-files.ts'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-ports.ts'
import { runAttended } from './attended.ts'

describe('the program that starts an attended command', () => {
  let port: number
  let program: ChildProcess

  beforeEach(async () => {
    port = await freePort()
    const env = { PATH: process.env.PATH, PORT: String(port), HOSTNAME: '127.0.0.1', SVC_ATTENDED_KEY: 'k' }
    program = spawn(process.execPath, [fileURLToPath(programFile('../attended.cjs'))], {
      env,
      stdio: 'inherit',
    })
    await eventually(async () => (await connected()).destroy())
  })

  afterEach(() => program.kill('SIGKILL'))

  async function connected(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }

  /** All that the program answers, until it closes the connection. */
  async function answerTo(...bytes: Buffer[]): Promise<string> {
    const socket = await connected()
    socket.on('error', () => undefined)
    socket.write(Buffer.concat(bytes))
    let said = ''
    socket.on('data', chunk => {
      said += chunk
    })
    await once(socket, 'close')
    return said
  }

  const command = ['echo', 'hello']

  test('hears only the connection that begins with its key', async () => {
    const strangers = [
      begin({ command }),
      begin({ key: '', command }),
      begin({ key: ['k'], command }),
      begin('k'),
      begin(null),
      frame(0, 'k'),
      frame(1, 'echo hello\n'),
      Buffer.from('GET / HTTP/1.1\r\nhost: shop\r\n\r\n'),
    ]
    for (const bytes of strangers) expect(await answerTo(bytes)).toBe('')
    expect(await answerTo(begin({ key: 'k', command }))).toContain('hello')
  })

  test('keeps nothing of a stranger who sends without an end', async () => {
    const head = Buffer.from([0, 0xff, 0xff, 0xff, 0xff])
    expect(await answerTo(head, Buffer.alloc(1_000))).toBe('')
    expect(await answerTo(begin({ key: 'k', command }))).toContain('hello')
  })
})

test('svcd goes on if the connection to a command breaks while nobody reads its output, and can end it', async () => {
  const instance = createServer()
  await once(instance.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void instance.close())
  let near: Socket | undefined
  const runtime = {
    start: async () => ({ stop: async () => undefined, ended: new Promise(() => undefined) }),
    async connect() {
      near = connect((instance.address() as AddressInfo).port, '127.0.0.1')
      await once(near, 'connect')
      return near
    },
  }
  let isRead = false
  const output = () => {
    isRead = true
    return new Promise<void>(() => undefined)
  }
  const ending = new AbortController()
  const attended = { terminal: undefined, input: new PassThrough(), output }
  const ran = runAttended(runtime as never, { command: ['yes'] } as never, attended, ending.signal)
  const [far] = (await once(instance, 'connection')) as [Socket]
  far.write(frame(4, 'y\n'))
  await eventually(() => isRead)
  far.resetAndDestroy()
  await eventually(() => near?.destroyed)
  ending.abort('It took too long.')
  await expect(ran).rejects.toBe('It took too long.')
})

const begin = (content: unknown): Buffer => frame(0, JSON.stringify(content))

function frame(kind: number, content: string): Buffer {
  const head = Buffer.alloc(5)
  head[0] = kind
  head.writeUInt32BE(Buffer.byteLength(content), 1)
  return Buffer.concat([head, Buffer.from(content)])
}
