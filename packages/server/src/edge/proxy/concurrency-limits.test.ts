import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTestApp } from './testapp.ts'

test('requests by the thousand on one connection reach an app only up to a bound', async () => {
  const held: ServerResponse[] = []
  const bed = await startTestApp((_req, res) => void held.push(res), {
    appConcurrency: { perApp: 5, inAll: 100 },
  })
  const request = 'POST / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 0\r\n\r\n'
  const client = connect(bed.port, '127.0.0.1', () => client.write(request.repeat(50)))
  let text = ''
  client.on('data', data => {
    text += data
  })
  const answers = () => text.match(/HTTP\/1\.1 \d+/g) ?? []
  await eventually(async () => held.length === 5 && bed.apps.underWay === 50)
  // Those that were let in are answered: then come the others, which were not.
  for (const res of held) res.end('let in')
  await eventually(async () => answers().length === 50)
  expect(answers().filter(line => line.endsWith('503'))).toHaveLength(45)
  expect(held).toHaveLength(5)

  const next = bed.ask('shop', '/', { method: 'POST' })
  await eventually(async () => held.length === 6)
  held[5]!.end('next')
  expect((await next).text).toBe('next')
  expect(bed.errors).toEqual([])
  client.destroy()
  await bed.stop()
})
