import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const linked = () => temporaryDirectory({ 'svc.json': '{"project":"shop"}' })
const base64 = (text: string) => Buffer.from(text).toString('base64')

const answering = (...lines: object[]) => ({
  'POST /projects/shop/run': (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const line of lines) response.write(`${JSON.stringify(line)}\n`)
    response.end()
  },
})

async function run(scripts: Parameters<typeof standIn>[0], ...args: string[]) {
  const api = await standIn(scripts)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  return { api, ...(await svc(['run', ...args], { cwd: linked(), env })) }
}

it('svc run passes on output, errors and the exit code', async () => {
  const { code, stdout, stderr } = await run(
    answering(
      { stdout: base64('one ') },
      {},
      { stderr: base64('oh\n') },
      { stdout: base64('two\n') },
      { exit_code: 7, reason: null },
    ),
    ...['--', 'node', 'report.js', '--month', '5'],
  )
  expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: 'one two\n', stderr: 'oh\n' })
})

it('svc run sends the words as they were typed', async () => {
  const api = await standIn({ 'POST /projects/shop/run': { body: { exit_code: 0 } } })
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token }
  expect(await svc(['run', '--', 'echo', 'a b', '--x'], { cwd: linked(), env })).toMatchObject({ code: 0 })
  expect(JSON.parse(String(api.calls[0]?.body))).toEqual({ command: ['echo', 'a b', '--x'] })
})

it('svc run says why a command was ended', async () => {
  const { code, stderr } = await run(
    answering({ exit_code: 137, reason: 'It took longer than 30 minutes.' }),
    'x',
  )
  expect({ code, stderr }).toEqual({ code: 137, stderr: 'It took longer than 30 minutes.\n' })
})

it('svc run fails if the connection breaks before the end', async () => {
  const { code, stderr } = await run(answering({ stdout: base64('half') }), 'x')
  expect(code).toBe(1)
  expect(stderr).toContain('The connection broke before the command ended.')
})

it('svc run says so if the connection is cut in the middle', async () => {
  const { code, stdout, stderr } = await run(
    {
      'POST /projects/shop/run': (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write(`${JSON.stringify({ stdout: base64('half') })}\n{"std`, () => response.destroy())
      },
    },
    'x',
  )
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 1, stdout: 'half' },
    stderr: 'svc: The connection broke before the command ended. The platform ends it.\n',
  })
})

it('svc run passes on a refusal', async () => {
  const { code, stderr } = await run(
    { 'POST /projects/shop/run': refusal('run_under_way', 'The app runs and has its disk.', 409) },
    'x',
  )
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'svc: The app runs and has its disk. (run_under_way)\n',
  })
})
