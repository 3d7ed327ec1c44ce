import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Sender, takeTurns } from './turns.ts'

const pieceBytes = 64 * 1024

/** Connections that always have more to send. */
function startBusy(count: number) {
  const sent = { pieces: 0 }
  let isOver = false
  onTestFinished(async () => {
    isOver = true
    for (let turn = 0; turn < count; turn++) await nextTurn()
  })
  for (let i = 0; i < count; i++)
    takeTurns({
      sendPiece() {
        if (isOver) return 0
        sent.pieces++
        return pieceBytes
      },
    })
  return sent
}

const sendOnce = (onSend: () => void): Sender => {
  let bytes = 100
  return {
    sendPiece() {
      if (bytes > 0) onSend()
      const sent = bytes
      bytes = 0
      return sent
    },
  }
}

describe('connections that have something to send', () => {
  it('send at most 256 KB in one turn of the event loop, all together', async () => {
    const sent = startBusy(128)
    for (let turn = 1; turn <= 100; turn++) {
      await nextTurn()
      expect(sent.pieces).toBeLessThanOrEqual(4 * (turn + 1))
    }
    expect(sent.pieces).toBeGreaterThan(100)
  })

  it('wait for no more than one turn of 128 others that never stop', async () => {
    const sent = startBusy(128)
    // All of them have sent something, and want to send more.
    while (sent.pieces < 2 * 128) await nextTurn()
    for (let newcomer = 0; newcomer < 50; newcomer++) {
      const before = sent.pieces
      const waited = await new Promise<number>(resolve =>
        takeTurns(sendOnce(() => resolve(sent.pieces - before))),
      )
      expect(waited).toBe(0)
    }
  })

  it('take turns', async () => {
    const counts = Array.from({ length: 20 }, () => 0)
    for (const at of counts.keys())
      takeTurns({
        sendPiece: () => {
          if (counts[at]! >= 30) return 0
          counts[at]!++
          expect(counts[at]! - Math.min(...counts)).toBeLessThanOrEqual(1)
          return pieceBytes
        },
      })
    while (counts.some(count => count < 30)) await nextTurn()
  })
})
