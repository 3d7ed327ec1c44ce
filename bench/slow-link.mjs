// A link of limited speed to a port of this machine: bytes towards it pass at so many bits per second.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export async function slowLink(port, bitsPerSecond) {
  const link = { sent: 0, url: '', close: () => server.close() }
  const server = createServer(client => {
    const platform = connect(port, '127.0.0.1')
    const close = () => {
      client.destroy()
      platform.destroy()
    }
    for (const socket of [client, platform]) socket.on('error', close).on('close', close)
    client.pipe(throttle(bitsPerSecond / 8, link)).pipe(platform)
    platform.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  link.url = `http://127.0.0.1:${server.address().port}`
  return link
}

/** Each piece passes when the one before has had its time. */
function throttle(bytesPerSecond, link) {
  let freeAt = 0
  return new Transform({
    async transform(chunk, _, done) {
      link.sent += chunk.length
      freeAt = Math.max(freeAt, performance.now()) + (chunk.length / bytesPerSecond) * 1000
      const wait = freeAt - performance.now()
      if (wait > 1) await sleep(wait)
      done(null, chunk)
    },
  })
}
