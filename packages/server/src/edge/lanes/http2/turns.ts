// Shares the event loop between connections that have something to send. One turn of the loop sends a bounded number of bytes, so
// that accepts, handshakes and new requests come soon, however many connections are busy. Connections take turns, and those that had
// nothing to send until now come before those that always have more.
import { Queue } from './queue.ts'

/** A connection with something to send. */
export interface Sender {
  /** Sends the next piece, and returns its bytes. Returns 0 if there is nothing to send now. */
  sendPiece(): number
}

const KB = 1024
/** How much is sent in one turn of the event loop, by all connections together. */
const turnBytes = 256 * KB
/** What a piece costs besides its bytes: about as much time as encrypting so many. */
const pieceCost = 8 * KB

/** Connections that had nothing to send until now. */
const fresh = new Queue<Sender>()
/** Connections that have sent a piece since they had nothing to send. They may have more. */
const busy = new Queue<Sender>()
const waiting = new Set<Sender>()
let isScheduled = false

/** Lets `sender` send its pieces, one after the other, until it has no more. */
export function takeTurns(sender: Sender): void {
  if (waiting.has(sender)) return
  waiting.add(sender)
  fresh.push(sender)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(run)
}

function run(): void {
  isScheduled = false
  for (let spent = 0; spent < turnBytes; ) {
    const sender = fresh.shift() ?? busy.shift()
    if (sender === undefined) return
    const bytes = sender.sendPiece()
    if (bytes === 0) waiting.delete(sender)
    else {
      busy.push(sender)
      spent += bytes + pieceCost
    }
  }
  schedule()
}
