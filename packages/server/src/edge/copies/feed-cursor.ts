// How far a node has followed the changes, kept on its disk. A start reads the changes since then, and those drop the copies that
// went stale while the node did not run.
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { minuteMs, secondMs } from '@svc/contract/durations'
import type { FeedCursor } from '../../store/postgres/feed.ts'

/** The database forgets changes after an hour. */
const knownForMs = 50 * minuteMs
/**
 * The noted position is this much older than the feed's. Another process of this node may be behind, and write a copy that it
 * does not know to be stale. After this time it has dropped the copy, or does not trust what it knows.
 */
const behindMs = 10 * secondMs
const writeIntervalMs = 15 * secondMs

interface Position {
  horizon: number
  at: number
}

export class CursorFile implements FeedCursor {
  readonly #file: string
  readonly #writes: boolean
  #recent: Position[] = []
  #writtenAt = 0
  #writing: Promise<void> = Promise.resolve()

  /** Only one process of a node writes the file. */
  constructor(file: string, { writes }: { writes: boolean }) {
    this.#file = file
    this.#writes = writes
  }

  last(): number | undefined {
    try {
      const { horizon, at } = JSON.parse(readFileSync(this.#file, 'utf8')) as Position
      return Number.isSafeInteger(horizon) && Date.now() - at < knownForMs ? horizon : undefined
    } catch {
      return undefined // There is no file yet, or it is damaged.
    }
  }

  note(horizon: number): void {
    if (!this.#writes) return
    const now = Date.now()
    this.#recent.push({ horizon, at: now })
    const settled = this.#recent.findLastIndex(({ at }) => at <= now - behindMs)
    if (settled < 0) return
    this.#recent.splice(0, settled)
    const position = this.#recent[0]
    if (position === undefined || now - this.#writtenAt < writeIntervalMs) return
    this.#writtenAt = now
    this.#writing = this.#write(position)
  }

  async close(): Promise<void> {
    await this.#writing
  }

  async #write(position: Position): Promise<void> {
    const temporary = `${this.#file}.tmp`
    try {
      await writeFile(temporary, JSON.stringify(position), { mode: 0o600 })
      await rename(temporary, this.#file)
    } catch {
      // An older position is right, too. It only means more to read after a start.
    }
  }
}
