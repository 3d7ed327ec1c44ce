// A real receiver of webhooks, and a project's target that leads to it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { send } from './send.ts'
import type { TestServer } from './server.ts'

/** Answers with `state`, until the test ends. */
export async function startReceiver() {
  const received: { headers: Record<string, unknown>; body: string; url: string }[] = []
  const state = { status: 200, headers: {} as Record<string, string>, answer: 'thanks' }
  const server = createServer(async (req, res) => {
    received.push({ headers: req.headers, body: await text(req), url: req.url! })
    res.writeHead(state.status, state.headers).end(state.answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`
  return { url, received, state }
}

/** Adds a webhook to a project. The server must have `SVCD_ALLOW_PRIVATE_TARGETS`. */
export async function addReceiver(
  server: TestServer,
  owner: { token: string },
  name: string,
  events?: string[],
) {
  const receiver = await startReceiver()
  const all = `/projects/${name}/notifications` as const
  const body = { kind: 'webhook', address: receiver.url, ...(events && { events }) }
  const { json: target } = await send(server, `POST ${all}`, owner, body)
  // A webhook may be sent again when the test moves the clock before its answer is noted.
  const bodies = () => [
    ...new Map(receiver.received.map(({ body }) => JSON.parse(body)).map(body => [body.id, body])).values(),
  ]
  return { receiver, all, target, bodies }
}
