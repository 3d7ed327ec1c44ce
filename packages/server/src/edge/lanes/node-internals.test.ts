// Direct reads and writes use internals of Node. Here they run in processes with flags about deprecations, and in processes
// where internals are missing.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const moduleAt = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/** A server that answers `ping`, and prints the answer and whether the streams were used. */
const program = (prepare: string) => `
  import { createServer, connect } from 'node:net'
  ${prepare}
  const { readDirectly } = await import(${moduleAt('./direct-reads.js')})
  const { writeDirectly, writeTextDirectly } = await import(${moduleAt('./direct-writes.js')})
  const used = { reading: false, writing: false }
  const server = createServer(socket => {
    const write = socket.write.bind(socket)
    socket.write = (...given) => {
      used.writing = true
      return write(...given)
    }
    const answer = chunk => {
      writeDirectly(socket, Buffer.from(chunk))
      writeTextDirectly(socket, ' pong')
      socket.end()
    }
    socket.on('data', chunk => {
      used.reading = true
      answer(chunk)
    })
    readDirectly(socket, answer)
  }).listen(0, '127.0.0.1', async () => {
    const client = connect(server.address().port, '127.0.0.1')
    client.write('ping')
    const text = Buffer.concat(await client.toArray()).toString()
    console.log(JSON.stringify({ text, ...used }))
    server.close()
  })`

async function play(flags: string[], prepare = '') {
  const { stdout, stderr } = await run(process.execPath, [
    ...flags,
    '--input-type=module',
    '-e',
    program(prepare),
  ])
  return { stderr, ...JSON.parse(stdout) }
}

test.each([
  [[]],
  [['--no-deprecation']],
  [['--pending-deprecation']],
  [['--throw-deprecation']],
  [['--pending-deprecation', '--throw-deprecation']],
])('with %j nothing is warned of, and the streams are not used', async flags => {
  expect(await play(flags)).toEqual({ stderr: '', text: 'ping pong', reading: false, writing: false })
})

test.each([
  ['process.binding', 'process.binding = undefined', { writing: true }],
  [
    'the right to use process.binding',
    "process.binding = () => { throw new Error('ERR_ACCESS_DENIED') }",
    { writing: true },
  ],
  ['the class of write requests', 'process.binding = () => ({})', { writing: true }],
  ['the keys of the read buffer', 'Object.getOwnPropertySymbols = () => []', { reading: true }],
])('without %s the streams are used', async (_, prepare, used) => {
  const expected = { stderr: '', text: 'ping pong', reading: false, writing: false, ...used }
  expect(await play([], prepare)).toEqual(expected)
})

test('warnings of other parts of the program are still printed', async () => {
  const { stderr } = await play(
    ['--pending-deprecation'],
    `setTimeout(() => process.emitWarning('old', 'DeprecationWarning'))`,
  )
  expect(stderr).toContain('DeprecationWarning: old')
})
