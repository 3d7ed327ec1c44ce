import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startRawApp, startTestApp } from './testapp.ts'

test.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'],
])(
  'a %s for a request whose answer waits for an earlier one does not mix with the answers',
  async (_, interim) => {
    const held = new Map<string, Socket>()
    const raw = await startRawApp((chunk, socket) => void held.set(chunk.split(' ')[1]!, socket))
    const bed = await startTestApp((_req, res) => res.end())
    bed.apps.address = { host: '127.0.0.1', port: raw.port }
    const request = (path: string, ...fields: string[]) =>
      [`GET ${path} HTTP/1.1`, 'Host: shop.example.test', ...fields, '', ''].join('\r\n')
    const answer = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    let text = ''
    const client = connect(bed.port, '127.0.0.1')
    client.on('data', data => {
      text += data
    })
    try {
      client.write(request('/first') + request('/second', 'Connection: close'))
      await eventually(async () => held.size === 2)
      held.get('/second')!.write(interim + answer('two'))
      // A later request of another client shows that the edge has read the answer.
      const other = bed.ask('shop', '/third')
      await eventually(async () => held.size === 3)
      held.get('/third')!.write(answer('three'))
      expect((await other).text).toBe('three')
      held.get('/first')!.write(answer('one'))
      await eventually(async () => client.closed)
      expect(text.match(/HTTP\/1\.1 \d+|\r\n\r\n(?:one|two)/g)).toEqual([
        ...['HTTP/1.1 200', '\r\n\r\none'],
        ...['HTTP/1.1 200', '\r\n\r\ntwo'],
      ])
    } finally {
      client.destroy()
      await bed.stop()
      await raw.stop()
    }
  },
)
