import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { Output } from './output.ts'

const KB = 1024

/** A socket that takes each write only when the test says so. It looks at the bytes as late as a socket may. */
class SlowSocket extends Writable {
  readonly taken: Buffer[] = []
  #next: (() => void) | undefined

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#next = () => {
      this.taken.push(Buffer.from(chunk))
      done()
    }
  }

  get isWriting(): boolean {
    return this.#next !== undefined
  }

  take(): void {
    const next = this.#next
    this.#next = undefined
    next?.()
  }

  get text(): string {
    return Buffer.concat(this.taken).toString()
  }
}

const noAnswers = { maySend: false, fill: (_into: Buffer, at: number) => at }

const frame = (letter: string, bytes: number) => Buffer.alloc(bytes, letter)

describe('the output of a connection', () => {
  it('writes everything that was collected at once', async () => {
    const socket = new SlowSocket()
    const output = new Output(socket, noAnswers, () => undefined)
    for (const letter of ['a', 'b', 'c']) output.put(frame(letter, 3))
    output.flush()
    await nextTurn()
    socket.take()
    expect(socket.taken.map(String)).toEqual(['aaabbbccc'])
  })

  it('collects while a write is under way, and writes the rest after it', async () => {
    const socket = new SlowSocket()
    let sent = 0
    const output = new Output(socket, noAnswers, () => sent++)
    output.put(frame('a', 3))
    output.flush()
    await nextTurn()
    output.put(frame('b', 3))
    output.flush()
    output.put(frame('c', 3))
    expect(output.unsentBytes).toBe(9)
    socket.take()
    await eventually(() => socket.isWriting)
    socket.take()
    await nextTurn()
    expect([socket.taken.map(String), output.unsentBytes, sent]).toEqual([['aaa', 'bbbccc'], 0, 2])
  })

  it('never changes bytes that a slow socket has not taken, and keeps their order', async () => {
    const clients = Array.from({ length: 40 }, () => new SlowSocket())
    const outputs = clients.map(socket => new Output(socket, noAnswers, () => undefined))
    const expected = clients.map(() => '')
    for (let round = 0; round < 12; round++) {
      for (const [at, output] of outputs.entries()) {
        const letter = String.fromCharCode(65 + ((at * 7 + round) % 50))
        const bytes = [10, 3 * KB, 20 * KB, 100 * KB, 256 * KB, 300 * KB][(at + round) % 6]!
        output.put(frame(letter, bytes))
        expected[at] += letter.repeat(bytes)
        output.flush()
        if ((at + round) % 3 === 0) clients[at]!.take()
      }
      await nextTurn()
    }
    for (const [at, socket] of clients.entries()) {
      outputs[at]!.flushAll()
      for (; socket.isWriting; await nextTurn()) socket.take()
      expect(socket.text === expected[at]).toBe(true)
    }
  })
})
