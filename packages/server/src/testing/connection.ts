// A connection that a test writes to byte by byte.
import { connect } from 'node:net'

/** Writes the chunks in turn, each after an answer to the one before. Returns everything that was received. */
export function exchange(port: number, chunks: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const left = [...chunks]
    let answer = ''
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, next)
    function next() {
      const chunk = left.shift()
      if (chunk !== undefined) socket.write(chunk, 'latin1')
    }
    socket.on('data', data => {
      answer += data.toString('latin1')
      next()
    })
    socket.on('error', fail)
    socket.on('close', () => done(answer))
  })
}
